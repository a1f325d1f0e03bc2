"""How often the checks of a model's quality are wrong on honest tables.

    python benchmarks/alarms_quality.py --tables 40        # renews its part of docs/checks.md

Boosting, forest and linear model are fitted on made-up tables, and 4,000 fresh rows tell whether
what a check says is true. Each table has its own seed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from alarms_results import drawn, evaluated, inputs
from alarms_worlds import Table
from pages import renew

from crivo.checks.documentation import PAGE
from crivo.checks.quality.features import LOSSES, NOTHING
from crivo.checks.quality.simple import SMALL, simple_estimator
from crivo.checks.registry import CHECKS
from crivo.checks.running import chosen
from crivo.core import artifacts
from crivo.core.blocks import Training
from crivo.core.findings import Finding, NotApplicable
from crivo.core.modelfile import save_model
from crivo.core.registry import make_block
from crivo.evaluation.inspection import permutation_importance
from crivo.project.model_choice import candidates

MODELS = ("boosting", "forest", "linear")
CODES = ("R010", "R012", "R013", "R017")
MAIN = {"binary": "roc_auc", "multiclass": "log_loss", "regression": "rmse"}
PART = """\
## <a id="quality-alarms"></a>How often a check of a model's quality is wrong

Written by `benchmarks/alarms_quality.py`, from {tables} of the tables above with 120 to 1,200
training rows. The truth is taken from 4,000 fresh rows of the same kind. R010 is wrong if on fresh
rows the model's gain over the linear model is more than a tenth of the linear model's gain over the
baseline. R012 is wrong if a feature that it names is shown to cost more than 1 % of the gain on
fresh rows. R013 and R017 are wrong if they report anything: no column of these tables is a copy,
and hardly any column is a sum of others. The goal is at most 5 %, and higher rates are bold. Even
without a false alarm, {tables} tables leave {possible:.0f} % possible. This is a first look at few
tables. R011, R014 and R016 compare or count what is there: chance affects only the verdict
*equivalent* in R011.

| check | model | tables | reported, % | wrong, % |
| --- | --- | ---: | ---: | ---: |
"""


def fitted(table: Table, name: str) -> Any:
    """Return a model fitted on the training rows, set as `crivo init` does."""
    rows = table.split("train")
    settings = dict(candidates(len(rows))[0].settings) if name == "boosting" else {}
    block = make_block("model", name, settings)
    watched = np.random.default_rng(0).random(len(rows)) < 0.1
    training = Training(watched, lambda metrics: None)
    return block.fit(block.build(table.task, 0), inputs(rows), rows["y"], training)


def project_of(root: Path, table: Table, model: Any, name: str) -> Any:
    """Write what the checks read, and return what stands for a project, and its baseline."""
    prior = make_block("model", "prior", {})
    baseline = prior.build(table.task, 0).fit(
        inputs(table.split("train")), table.split("train")["y"]
    )
    predictions, metrics, _ = evaluated(table, "valid", (model, baseline), {})
    about = {"split": "valid", "task": table.task, "primary": MAIN[table.task]}
    about |= {"n_rows": len(predictions)}
    artifacts.write_json(root / artifacts.EVALUATION / "evaluation.json", about)
    artifacts.write_json(root / artifacts.EVALUATION / "metrics.json", metrics)
    artifacts.write_table(root / artifacts.EVALUATION / "predictions.parquet", predictions)
    importance = importances(model, table, "valid")
    artifacts.write_csv(root / artifacts.EVALUATION / "plots/importance.csv", importance)
    artifacts.write_schema(table.schema, root / artifacts.SCHEMA)
    for split in ("train", "valid"):
        artifacts.write_table(root / artifacts.prepared(split), table.split(split))
        artifacts.write_table(root / artifacts.features(split), inputs(table.split(split)))
    save_model(root / artifacts.MODEL, model)
    settings = {"model": name, "baseline": "prior", "evaluate": {}}
    return SimpleNamespace(root=root, settings=settings), baseline


def importances(model: Any, table: Table, split: str) -> pd.DataFrame:
    rows = table.split(split)
    return permutation_importance(model, inputs(rows), rows["y"], 0)


def wrong(code: str, finding: Finding, table: Table, model: Any, baseline: Any) -> bool:
    """Return whether fresh rows contradict a finding."""
    if code in ("R013", "R017"):
        return True
    train = table.split("train")
    _, own, _ = evaluated(table, "fresh", (model, baseline), {})
    if code == "R010":
        simple = simple_estimator(table.schema).fit(inputs(train), train["y"])
        _, other, _ = evaluated(table, "fresh", (simple, baseline), {})
        name = MAIN[table.task]
        sign = 1 if name == "roc_auc" else -1
        gain = sign * (other[name] - other[f"baseline_{name}"])
        return bool(sign * (own[name] - other[name]) > SMALL * gain)
    name = next(one for one in LOSSES if one in own)
    gain = own[f"baseline_{name}"] - own[name]
    fresh = importances(model, table, "fresh").set_index("feature")["loss_increase_low"]
    listed = finding.message.split("show, ")[1].split(":")[0].split(", ")
    named = [one for one in listed if one in fresh.index]
    return bool((fresh[named] > NOTHING * max(gain, 0.0)).any())


def found(seed: int) -> list[dict[str, Any]]:
    """Return a row for each model of a table and each check: whether it rang, and wrongly."""
    table = drawn(np.random.default_rng(seed))
    if table is None:
        return []
    lines = []
    for name in MODELS:
        model = fitted(table, name)
        with tempfile.TemporaryDirectory() as folder:
            project, baseline = project_of(Path(folder), table, model, name)
            for code in CODES:
                try:
                    findings = CHECKS[code].applied(project)
                except NotApplicable:
                    continue
                false = any(wrong(code, one, table, model, baseline) for one in findings)
                rang = bool(findings)
                lines.append({"code": code, "model": name, "rang": rang, "wrong": false})
    return lines


def part(rows: pd.DataFrame, tables: int) -> str:
    """Return the part of the page."""
    lines = []
    for (code, name), own in rows.groupby(["code", "model"]):
        share = 100 * own["wrong"].mean()
        text = f"**{share:.1f}**" if share > 5 else f"{share:.1f}"
        lines.append(f"| {code} | {name} | {len(own)} | {100 * own['rang'].mean():.0f} | {text} |")
    return (
        PART.format(tables=tables, possible=100 * (1 - 0.05 ** (1 / tables)))
        + "\n".join(lines)
        + "\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=40)
    tables = parser.parse_args().tables
    warnings.simplefilter("ignore")
    assert chosen(CODES)
    lines: list[dict[str, Any]] = []
    for seed in range(tables):
        lines += found(seed)
        print(part(pd.DataFrame(lines), seed + 1), flush=True)
    renew(PAGE, part(pd.DataFrame(lines), tables))


if __name__ == "__main__":
    main()
