"""A report of made-up rows, in which the data look like code."""

from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.blocks import Context, Evaluation
from crivo.core.findings import Finding
from crivo.core.params import ValueSettings
from crivo.core.registry import make_block
from crivo.evaluation.evaluate import Result
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.report import Subject
from crivo.evaluation.thresholds import OperatingPoint
from crivo.featurization.row_checks import ROW_CHECKS
from tests.crivo.schemas import few_columns

EVIL = "<img src=x onerror=alert(1)>|a*b_c`d[e](f)"
NAMES = tuple(f"class {number:02d} of a long name & such" for number in range(40))
ROWS = 400
# What acting on a row is worth, where that is asked for.
GAINS = {"true_positive": 3, "false_positive": -1}


def report(
    task: str = "binary", *, with_baseline: bool = True, with_value: bool = False, **facts: Any
) -> Result:
    """Return a result of made-up rows to report on; `facts` take the place of what it says."""
    return changed(made_report(task, with_baseline, with_value), **facts)


def changed(result: Result, **facts: Any) -> Result:
    """Return a result that says other things than it has worked out."""
    other = copy(result)
    vars(other).update(facts)
    return other


TITLES = pd.DataFrame([(one.code, one.title) for one in ROW_CHECKS.values()])
TITLES.columns = ["code", "title"]
# No row says more than its prediction.
UNUSED = Predicting(few_columns())
NOTHING: dict[str, Any] = {
    "plots": {},
    "tables": {},
    "headline": {},
    "against_incumbent": {},
    "all_checked": [],
    "segments": ([], pd.DataFrame()),
    "plain": None,
    "subject": Subject("target"),
}
GAPS = ("difference", "difference_low", "difference_high")
NO_SLICES = pd.DataFrame(columns=["slice", "kind", "verdict", "judged_by", "rows", *GAPS])


def told(
    evaluation: Evaluation, about: dict[str, Any], threshold: float | None = None, **facts: Any
) -> Result:
    """Return a result of which just this is known: the rest can't be worked out."""
    point, context = OperatingPoint((threshold, None)), Context(about["task"])
    names = {"dataset": "orders", "model": "linear", "row_findings": TITLES}
    result = Result(pd.DataFrame(), context, evaluation, point, {}, UNUSED, **names)
    known = NOTHING | {"evaluation": evaluation, "about": about} | facts
    return changed(result, **known | {"tables": {"slices": NO_SLICES} | known["tables"]})


@cache
def made_report(task: str, with_baseline: bool, with_value: bool) -> Result:
    """Evaluate the rows of a task, which takes a second."""
    table, prior, signal, context = made_rows(task)
    context = replace(context, baseline=prior if with_baseline else None)
    value = ValueSettings(**GAINS if with_value else {})
    importance = pd.DataFrame({"feature": [EVIL, "a$b"], "loss_increase": [0.2, 0.1]})
    importance = importance.assign(loss_increase_low=0.0, loss_increase_high=0.3)
    raw = pd.DataFrame({"flight": np.arange(ROWS) + 5000, "note": EVIL, "temp": signal})
    evaluator = make_block("evaluator", "standard", {})
    result = Result(
        table,
        context,
        evaluator.evaluate(table, context),
        OperatingPoint.choose((table, prior), context, value, here=True),
        vars(evaluator),
        UNUSED,
        dataset="flights",
        model="boosting",
        split="valid",
        facts={"environment": "locked"},
        settings={"trees": 7},
        curves={"importance": importance},
        row_findings=TITLES,
    )
    vars(result)["beside"] = raw, pd.DataFrame(index=table.index)
    findings = [
        Finding("L005", "warning", EVIL, "1 of 4 features predicts the target alone."),
        Finding("T001", "note", "test", "6 of 49 columns are distributed differently."),
    ]
    return changed(
        result,
        subject=Subject("delay", context.classes, context.positive, baseline="prior"),
        all_checked=findings,
    )


def made_rows(task: str) -> tuple[pd.DataFrame, pd.DataFrame, np.ndarray, Context]:
    """Return predictions of a task, those of its baseline, what both know, and the context."""
    rng = np.random.default_rng(0)
    signal = rng.normal(size=ROWS)
    number = np.arange(ROWS)
    table = pd.DataFrame({"id": [f"r{i:03d}" for i in number], "cluster": number // 40})
    table = table.assign(weight=1.0, slice_place=np.where(number % 2, "odd", "年齢 & co"))
    if task == "binary":
        happened = signal + rng.normal(size=ROWS) > 0
        score = 1 / (1 + np.exp(-signal))
        table["target"] = np.where(happened, EVIL, "on time")
        table["prediction"] = np.where(score > 0.5, EVIL, "on time")
        table["score"] = score
        prior = table.assign(score=happened.mean(), prediction="on time")
        return table, prior, signal, Context("binary", ("on time", EVIL), EVIL)
    if task == "multiclass":
        place = number % len(NAMES)
        guess = np.where(rng.random(ROWS) < 0.7, place, (place + 1) % len(NAMES))
        table["target"], table["prediction"] = (np.array(NAMES)[codes] for codes in (place, guess))
        return table, table.assign(prediction=NAMES[0]), signal, Context("multiclass", NAMES)
    table["target"] = signal + rng.normal(size=ROWS)
    table["prediction"] = signal
    return table, table.assign(prediction=0.0), signal, Context("regression")


# A result in a few numbers.
NUMBERS = {"value": 0.7, "low": 0.68, "high": 0.72}
GAP = {"difference": -0.2, "low": -0.25, "high": -0.15, "verdict": "worse"}
FACTS = {
    "task": "binary",
    "n_rows": 12345,
    "n_clusters": 61,
    "split": "test",
    "environment": "locked",
    "rows": "r1",
    "definition": "d1",
}


def evaluation(numbers: dict[str, Any] | None = None, **gaps: dict[str, Any]) -> Evaluation:
    """Return an evaluation by ROC AUC with differences from the baseline by metric."""
    return Evaluation(
        metrics=pd.DataFrame([numbers or NUMBERS], ["roc_auc"]),
        baseline=pd.DataFrame(),
        against_baseline=pd.DataFrame.from_dict(gaps, orient="index", columns=list(GAP)),
        jackknife=pd.DataFrame(),
        primary="roc_auc",
        definition="d1",
    )


LOST = {"verdict": "worse", "verdict_against": "main"}
LOST |= {"vs_incumbent": -0.5, "vs_incumbent_low": -0.7, "vs_incumbent_high": -0.3}
WEAK = pd.DataFrame(
    {"slice": ["origin = JFK"], "kind": ["column"], "verdict": ["worse"], "difference": [-0.1]}
).assign(judged_by="roc_auc")
