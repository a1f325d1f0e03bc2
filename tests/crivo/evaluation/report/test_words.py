"""The report's sentences, word by word."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crivo.core.evaluation import Evaluation
from crivo.core.findings import Finding, findings_table
from crivo.evaluation.report import words

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
        ("undecided", "not told apart from the baseline"),
        (np.nan, "not compared with the baseline"),
    ],
)
def test_the_first_sentence_has_the_metric_and_the_verdict(verdict: Any, said: str) -> None:
    shown = evaluation(roc_auc=GAP | {"verdict": verdict})
    assert words.headline(shown, {}) == (
        f"roc_auc is 0.7000 [0.6800, 0.7200], {said} (−0.2000 [−0.2500, −0.1500])."
    )


def test_the_first_sentence_leaves_out_what_is_not_there() -> None:
    alone = NUMBERS | {"low": np.nan, "high": np.nan}
    assert words.headline(evaluation(alone), {}) == "roc_auc is 0.7000."
    gap = GAP | {"low": np.nan, "high": np.nan}
    assert words.headline(evaluation(alone, roc_auc=gap), {}).endswith("baseline (−0.2000).")
    nothing = evaluation(NUMBERS | {"value": np.nan})
    assert words.headline(nothing, {}) == "roc_auc is not defined on these rows."


def test_what_follows_the_first_sentence() -> None:
    gaps = {"brier": GAP, "roc_auc": GAP | {"verdict": "better"}, "log_loss": GAP}
    shown = evaluation(**gaps)
    assert words.beside(shown, {}, {}) == ["Worse than the baseline in brier, log_loss."]
    none = "No metric is shown to be worse than the baseline's."
    assert words.beside(evaluation(), {}, {}) == [none]
    incumbent = {"vs_incumbent": -0.5, "vs_incumbent_low": -1.5, "vs_incumbent_high": 0.5}
    incumbent |= {"verdict": "undecided", "verdict_against": "main"}
    value = {"value_per_1000": 0.0, "value_per_1000_low": np.nan, "value_per_1000_high": np.nan}
    assert words.beside(evaluation(), {}, incumbent) == [
        "Against the incumbent, main: undecided (−0.5000 [−1.500, 0.5000]).",
        "No metric is shown to be worse than the baseline's.",
    ]
    value |= {"value_per_1000_low": -1.0, "value_per_1000_high": 2.0}
    assert words.beside(evaluation(), value, {})[1:] == [
        "Worth +0.000 [−1.000, 2.000] per 1,000 rows, by the gains that are set.",
    ]


def test_doubts_are_all_findings_but_the_notes() -> None:
    findings = [
        Finding("L001", "error", "a", "wrong."),
        Finding("L005", "warning", "b", "likely."),
        Finding("T001", "note", "c", "so so."),
    ]
    assert words.doubts(findings_table(findings)) == ["L001, a: wrong.", "L005, b: likely."]
    assert words.doubts(None) == []


def test_an_interval_goes_into_the_cell_of_its_number() -> None:
    table = pd.DataFrame(
        {
            "a": [0.5, 0.5],
            "a_low": [0.25, np.nan],
            "a_high": [0.75, np.nan],
            "b": [1, 2],
            "b_low": [0, 0],
        },
        index=[7, 8],
    )
    found = words.with_intervals(table)
    assert found.to_dict("list") == {"a": ["0.5000 [0.2500, 0.7500]", "0.5000"], "b": [1, 2]}
    assert found.index.tolist() == [7, 8]
    assert words.with_intervals(table[["a", "a_low", "a_high"]]).index.tolist() == [7, 8]


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
    assert words.about({"model": "linear"}, FACTS) == [
        ("model", "linear"),
        ("task", "binary"),
        ("rows", "12,345 in 61 clusters"),
        ("split", "test rows"),
        ("code", "of the commit whose dvc.lock names this report (crivo trace finds it)"),
        ("environment", "as locked in requirements.txt"),
        ("fingerprint of the rows", "r1"),
        ("fingerprint of the definition", "d1"),
    ]


def test_what_is_not_known_of_an_evaluation_is_said() -> None:
    facts = {"environment": "differs", "split": "other"}
    found = dict(words.about({}, facts))
    assert found["rows"] == "unknown"
    assert found["split"] == "given rows"
    outside = dict(words.about({}, {"environment": "unknown", "split": "test"}))
    assert outside["code"] == "not known: these are predictions of another system"
    assert found["environment"] == "differs from requirements.txt"
    assert dict(words.about({}, {"environment": "not checked"}))["environment"] == "not checked"


def test_the_commands_that_make_the_numbers_again() -> None:
    again = ["git checkout REVISION", "make repro", "git diff --exit-code dvc.lock"]
    assert words.reproduce({"environment": "differs", "split": "valid"}) == again
    assert words.reproduce({}) == ["crivo evaluate --predictions FILE"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (999.94, "999.9"),
        (999.96, "1,000"),
        (1000, "1,000"),
        (-1000.4, "−1,000"),
        (12, "12.00"),
        (0, "0.000"),
        (1e-7, "1.000e−07"),
        (np.nan, "not defined"),
    ],
)
def test_a_number_has_four_digits(value: float, said: str) -> None:
    assert words.number(value) == said


@pytest.mark.parametrize(
    ("value", "said"), [(0, "+0.000"), (2.5, "+2.500"), (-2.5, "−2.500"), (math.nan, "not defined")]
)
def test_a_difference_has_a_sign(value: float, said: str) -> None:
    assert words.signed(value) == said


@pytest.mark.parametrize(("low", "high"), [(math.nan, 1.0), (1.0, math.nan)])
def test_half_an_interval_is_none(low: float, high: float) -> None:
    assert words.interval({"low": low, "high": high}) == ""


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, ""),
        (pd.NaT, ""),
        ([None], "[None]"),
        (0.5, "0.5000"),
        (1234567, "1,234,567"),
        (True, "True"),
        ("a", "a"),
        (pd.Timestamp("2013-01-02"), "2013-01-02"),
        (pd.Timestamp("2013-01-02 03:04:05"), "2013-01-02 03:04"),
    ],
)
def test_a_cell_is_short(value: Any, said: str) -> None:
    assert words.cell(value) == said


@pytest.mark.parametrize(("split", "said"), [("valid", 1), ("test", 0), ("file", 0), (None, 0)])
def test_rows_that_choose_are_said_to(split: str | None, said: int) -> None:
    """A stage can't know whether its model is chosen later."""
    found = words.if_chosen({"split": split})
    assert len(found) == said
    assert all("`crivo compare` and `crivo gate` give the estimate after" in one for one in found)
