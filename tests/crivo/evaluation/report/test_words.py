"""The report's sentences, word by word."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crivo.core.evaluation import Evaluation
from crivo.core.findings import Finding, findings_table
from crivo.core.schema import Words
from crivo.evaluation.limits import CheckedLimit
from crivo.evaluation.plain import PlainResult
from crivo.evaluation.report import Report, Subject, words

NUMBERS = {"value": 0.7, "low": 0.68, "high": 0.72}
GAP = {"difference": -0.2, "low": -0.25, "high": -0.15, "verdict": "worse"}


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


@pytest.mark.parametrize(
    ("settings", "split", "expected"),
    [
        ({"model": "linear", "dataset": "orders"}, "valid", "linear on orders, validation rows"),
        ({"model": "linear", "dataset": "orders"}, "test", "linear on orders, test rows"),
        ({"dataset": "orders"}, "test", "Predictions of test rows"),
        ({}, None, "Predictions of given rows"),
    ],
)
def test_the_title_says_what_was_evaluated(
    settings: dict[str, str], split: str | None, expected: str
) -> None:
    assert words.title(settings, {"split": split}) == expected


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("better", "better than the baseline"),
        ("worse", "worse than the baseline"),
        ("equivalent", "equivalent to the baseline"),
        ("identical", "identical to the baseline"),
        ("undecided", "not distinguishable from the baseline"),
        (np.nan, "not compared with the baseline"),
    ],
)
def test_the_primary_metric_is_said_with_the_verdict(verdict: Any, said: str) -> None:
    shown = evaluation(roc_auc=GAP | {"verdict": verdict})
    assert words.primary(shown, Subject(baseline="prior")) == (
        f"roc_auc is 0.700 [0.680, 0.720], {said}, prior (−0.200 [−0.250, −0.150])."
    )


def test_the_primary_metric_leaves_out_what_is_not_there() -> None:
    alone = NUMBERS | {"low": np.nan, "high": np.nan}
    assert words.primary(evaluation(alone), Subject()) == "roc_auc is 0.7000."
    gap = GAP | {"low": np.nan, "high": np.nan}
    shown = words.primary(evaluation(alone, roc_auc=gap), Subject())
    assert shown.endswith("the baseline (−0.2000).")
    nothing = evaluation(NUMBERS | {"value": np.nan})
    assert words.primary(nothing, Subject()) == "roc_auc is not defined on these rows."


FLIGHTS = Subject("late", (False, True), True, Words(rows="flights", positive="late"), "€", "prior")
KINDS = Subject("kind", ("a", "b", "c"), baseline="prior")
DELAYS = Subject("delay", words=Words(rows="flights", unit="minutes"), baseline="prior")


@pytest.mark.parametrize(
    ("task", "subject", "result", "said"),
    [
        (
            "binary",
            FLIGHTS,
            PlainResult("precision", 0.5506, 0.3603, 0.7271, 0.157, 0.1, 0.35, 0.05),
            "Of 100 flights flagged, 55 are late (36–73); picked at random, 16.",
        ),
        (
            "binary",
            Subject("late", (False, True), True),
            PlainResult("precision", 0.042, 0.03, 0.05, 0.003, 0.1, 0.35, 0.05),
            "Of 1,000 rows flagged, 42 have late = True (30–50); picked at random, 3.",
        ),
        ("binary", FLIGHTS, PlainResult("precision", nan, flagged=0.0), "No flights are flagged."),
        (
            "multiclass",
            KINDS,
            PlainResult("accuracy", 0.8, 0.75, 0.84, 0.4),
            "Of 100 rows, 80 get the right class (75–84); with the baseline, prior, 40.",
        ),
        (
            "multiclass",
            KINDS,
            PlainResult("accuracy", 0.8),
            "Of 100 rows, 80 get the right class.",
        ),
        (
            "regression",
            DELAYS,
            PlainResult("mae", 12.345, 11.0, 13.7, 20.04),
            "Predictions of delay are off by 12.35 minutes on average (11.00–13.70); those of the "
            "baseline, prior, by 20.04 minutes.",
        ),
        ("regression", DELAYS, None, ""),
    ],
)
def test_the_result_in_a_number_that_everybody_understands(
    task: str, subject: Subject, result: PlainResult | None, said: str
) -> None:
    assert words.plain(result, subject, task) == said


def test_without_a_schema_the_positive_class_is_named() -> None:
    assert Subject.of(None, "yes", "", None).is_class("yes") == "have target = yes"


def test_what_a_first_look_asks() -> None:
    gaps = {"brier": GAP, "roc_auc": GAP | {"verdict": "better"}, "log_loss": GAP}
    incumbent = {"vs_incumbent": -0.5, "vs_incumbent_low": -1.5, "vs_incumbent_high": 0.5}
    incumbent |= {"verdict": "undecided", "verdict_against": "main"}
    limits = (
        CheckedLimit("a", "at least 1", 2.0, "holds"),
        CheckedLimit("b", "at least 1", 0.0, "violated"),
        CheckedLimit("c", "at least 1", None, "not measured"),
    )
    shown = Report(evaluation(**gaps), FACTS, incumbent=incumbent, limits=limits)
    good, kept = words.answers(shown)
    assert good.mark == "good"
    assert good.answer.endswith(
        " Worse than the baseline in brier, log_loss. "
        "Against the incumbent, main: undecided (−0.50 [−1.50, 0.50])."
    )
    assert kept.answer == "1 of 3 limits hold; violated: b; not measured: 1."
    assert kept.mark == "bad"
    plain = words.answers(Report(evaluation(roc_auc=GAP), FACTS, checked=findings_table([])))
    assert [one.mark for one in plain] == ["bad", "", "good"]
    assert plain[1].answer == "No limits are set."


def test_what_it_is_worth_is_said_in_its_currency() -> None:
    value = {"value_per_1000": 1803.5, "value_per_1000_low": 579.9, "value_per_1000_high": 3027.2}
    shown = Report(evaluation(), FACTS, subject=FLIGHTS, headline=value)
    assert words.worth(shown) == "Worth about €1,800 [580, 3,030] per 1,000 flights."
    assert words.worth(Report(evaluation(), FACTS)) == ""


@pytest.mark.parametrize(
    ("currency", "value", "said"),
    [("EUR", 1803.5, "1,800 [580, 3,030] EUR"), ("", -2.5, "−0 [580, 3,030]")],
)
def test_a_value_names_its_currency(currency: str, value: float, said: str) -> None:
    row = {"value": value, "low": 579.9, "high": 3027.2}
    assert Subject(currency=currency).money(row) == said


def test_doubts_are_all_findings_but_the_notes() -> None:
    findings = [
        Finding("L001", "error", "a", "wrong."),
        Finding("L005", "warning", "b", "likely."),
        Finding("T001", "note", "c", "so so."),
    ]
    assert words.doubts(findings_table(findings)) == ["L001, a: wrong.", "L005, b: likely."]
    assert words.doubts(None) == []


FACTS = {
    "task": "binary",
    "n_rows": 12345,
    "n_clusters": 61,
    "split": "test",
    "environment": "locked",
    "rows": "r1",
    "definition": "d1",
}


def test_what_was_evaluated_is_listed() -> None:
    shown = Report(evaluation(), FACTS, {"model": "linear"}, subject=Subject(baseline="prior"))
    assert words.about(shown) == [
        ("model", "linear"),
        ("baseline", "prior"),
        ("task", "binary"),
        ("rows", "12,345 in 61 clusters"),
        ("split", "test rows"),
        ("code", "that of the commit whose dvc.lock names this report (crivo trace finds it)"),
        ("environment", "as locked in requirements.txt"),
        ("fingerprint of the rows", "r1"),
        ("fingerprint of the definition", "d1"),
    ]


def test_what_is_not_known_of_an_evaluation_is_said() -> None:
    facts = {"environment": "differs", "split": "other"}
    found = dict(words.about(Report(evaluation(), facts)))
    assert found["rows"] == "unknown"
    assert found["split"] == "given rows"
    unknown = {"environment": "unknown", "split": "test"}
    outside = dict(words.about(Report(evaluation(), unknown)))
    assert outside["code"] == "not known: these are predictions of another system"
    assert found["environment"] == "differs from requirements.txt"
    unchecked = Report(evaluation(), {"environment": "not checked"})
    assert dict(words.about(unchecked))["environment"] == "not checked"


def test_the_commands_that_make_the_numbers_again() -> None:
    again = ["git checkout REVISION", "make repro", "git diff --exit-code dvc.lock"]
    assert words.reproduce({"environment": "differs", "split": "valid"}) == again
    assert words.reproduce({}) == ["crivo evaluate --predictions FILE"]


@pytest.mark.parametrize(("split", "said"), [("valid", 1), ("test", 0), ("file", 0), (None, 0)])
def test_rows_that_choose_are_said_to(split: str | None, said: int) -> None:
    """A stage can't know whether its model is chosen later."""
    found = words.if_chosen({"split": split})
    assert len(found) == said
    assert all("`crivo compare` and `crivo gate` give the estimate after" in one for one in found)
