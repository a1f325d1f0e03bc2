"""The report's sentences, word by word, as its short form has them."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crivo.core.evaluation import Evaluation
from crivo.core.findings import Finding, Silent
from crivo.core.schema import Words
from crivo.evaluation.plain import PlainResult
from crivo.evaluation.report import Subject, to_html, to_markdown
from crivo.evaluation.report.page import _environment
from crivo.featurization.row_checks import ROW_CHECKS
from tests.crivo.evaluation.report.made_up import told

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


def text_of(shown: Evaluation | None = None, facts: Any = None, **known: Any) -> str:
    """Return the short report of an evaluation."""
    return to_markdown(told(shown or evaluation(), FACTS | (facts or {}), **known))


def first(shown: Evaluation | None = None, facts: Any = None, **known: Any) -> str:
    """Return the first sentence of the report, below its title."""
    return text_of(shown, facts, **known).splitlines()[2]


@pytest.mark.parametrize(
    ("split", "expected"),
    [("valid", "validation rows"), ("test", "test rows"), ("file", "given rows")],
)
def test_the_title_says_what_was_evaluated(split: str, expected: str) -> None:
    text = text_of(facts={"split": split})
    assert text.startswith(f"## linear on orders, {expected}\n")
    # A stage can't know whether its model is chosen later.
    assert ("check` give the estimate after" in text) == (split == "valid")


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("better", "Yes, better than the baseline"),
        ("worse", "No, worse than the baseline"),
        ("equivalent", "No, equivalent to the baseline"),
        ("identical", "No, identical to the baseline"),
        ("undecided", "Not shown, not distinguishable from the baseline"),
        (np.nan, "Not compared with the baseline"),
    ],
)
def test_the_primary_metric_is_said_with_the_verdict(verdict: Any, said: str) -> None:
    shown = evaluation(roc_auc=GAP | {"verdict": verdict})
    assert first(shown, subject=Subject(baseline="prior")) == (
        f"{said}, prior: roc_auc is 0.700 [0.680, 0.720] (−0.200 [−0.250, −0.150])."
    )


def test_the_primary_metric_leaves_out_what_is_not_there() -> None:
    alone = NUMBERS | {"low": np.nan, "high": np.nan}
    assert first(evaluation(alone)) == "roc_auc is 0.7000."
    gap = GAP | {"low": np.nan, "high": np.nan}
    shown = first(evaluation(alone, roc_auc=gap))
    assert shown.endswith("the baseline: roc_auc is 0.7000 (−0.2000).")
    nothing = evaluation(NUMBERS | {"value": np.nan})
    assert first(nothing) == "roc_auc is not defined on these rows."


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
            Subject("is_late", (False, True), True),
            PlainResult("precision", 0.042, 0.03, 0.05, 0.003, 0.1, 0.35, 0.05),
            "Of 1,000 rows flagged, 42 are late (30–50); picked at random, 3.",
        ),
        (
            "binary",
            FLIGHTS,
            PlainResult("precision_at_share", 0.15, 0.09, 0.25, 0.06, 0.0, top=0.1),
            "Of 100 flights among the 10 % with the highest scores, 15 are late (9–25); picked at "
            "random, 6.",
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
    ],
)
def test_the_result_in_a_number_that_everybody_understands(
    task: str, subject: Subject, result: PlainResult, said: str
) -> None:
    assert first(facts={"task": task}, plain=result, subject=subject) == said


def test_what_a_first_look_asks() -> None:
    gaps = {"brier": GAP, "roc_auc": GAP | {"verdict": "better"}, "log_loss": GAP}
    incumbent = {"vs_incumbent": -0.5, "vs_incumbent_low": -1.5, "vs_incumbent_high": 0.5}
    incumbent |= {"verdict": "undecided", "verdict_against": "main", "incumbent_chosen_among": 3}
    text = text_of(evaluation(**gaps), against_incumbent=incumbent)
    assert (
        "Worse than the baseline in brier, log_loss. Against the incumbent, main, chosen among 3 "
        "models: undecided (−0.50 [−1.50, +0.50])."
    ) in text
    checked = [Finding("L001", "note", "a", "so so.")]
    text = text_of(evaluation(roc_auc=GAP), all_checked=checked)
    assert "as the run's checks go: they found no errors or warnings, only 1 note." in text
    doubtful = replace(evaluation(roc_auc=GAP), warnings=("Few rows.", "Few days."))
    text = text_of(doubtful, all_checked=checked)
    assert "trusted? With care: 2 warnings about the numbers are below." in text


def test_what_it_is_worth_is_said_in_its_currency() -> None:
    value = {"value_per_1000": 1803.5, "value_per_1000_low": 579.9, "value_per_1000_high": 3027.2}
    said = first(subject=FLIGHTS, headline=value)
    assert said == "Worth about €1,800 [580, 3,030] per 1,000 flights."
    assert "Worth" not in text_of()


@pytest.mark.parametrize(
    ("currency", "value", "said"),
    [("EUR", 1803.5, "1,800 [580, 3,030] EUR"), ("", -2.5, "−0 [580, 3,030]")],
)
def test_a_value_names_its_currency(currency: str, value: float, said: str) -> None:
    row = {"value": value, "low": 579.9, "high": 3027.2}
    assert Subject(currency=currency).money(row) == said


def test_doubts_are_all_findings_but_the_notes_a_line_for_each_check() -> None:
    findings = [
        Finding("L001", "error", "a", "wrong."),
        Finding("L005", "warning", "b", "likely."),
        Finding("L005", "warning", "c", "likely."),
        Finding("L005", "warning", "d", "surely."),
        Finding("T001", "note", "c", "so so."),
    ]
    lines = [one for one in text_of(all_checked=findings).splitlines() if one[:1] == ">"]
    assert lines == [
        "> A row is in two splits: a: wrong.",
        "> One feature predicts the target suspiciously well (3): b, c: likely. d: surely.",
    ]


FOUND = Finding("R001", "error", "model", "Nothing but one value.")
LOST = {"verdict": "worse", "verdict_against": "main"}
LOST |= {"vs_incumbent": -0.5, "vs_incumbent_low": -0.7, "vs_incumbent_high": -0.3}
WEAK = pd.DataFrame(
    {"slice": ["origin = JFK"], "kind": ["column"], "verdict": ["worse"], "difference": [-0.1]}
).assign(judged_by="roc_auc")
FINE = WEAK.assign(verdict="undecided")


@pytest.mark.parametrize(
    ("known", "step"),
    [
        ({"all_checked": [FOUND]}, "Clear up what the checks found"),
        ({"shown": evaluation(roc_auc=GAP)}, "Look for features that say more about target"),
        ({"against_incumbent": LOST}, "Keep the incumbent."),
        ({"tables": {"slices": WEAK}}, "Look at the rows where origin = JFK"),
        ({"tables": {"slices": FINE}, "facts": {"split": "valid"}}, "Change one setting with"),
        ({}, "Name columns as `evaluate.slices` in params.yaml: "),
        ({"tables": {"slices": FINE}}, "Nothing: these rows suggest no further step."),
    ],
)
def test_what_comes_next_follows_from_the_evidence(known: dict[str, Any], step: str) -> None:
    assert f"\n- What next? {step}" in text_of(**known)


@pytest.mark.parametrize(("count", "more"), [(1, ""), (5, ""), (7, " and 2 more")])
def test_five_slices_are_named_and_the_others_counted(count: int, more: str) -> None:
    names = [f"{name} = c" for name in "abcdefg"[:count]]
    slices = pd.concat([WEAK] * count, ignore_index=True).assign(slice=names)
    said = f"- Where is it bad? roc_auc is shown to be worse where {'; '.join(names[:5])}{more}."
    assert said in text_of(tables={"slices": slices})


def test_where_it_is_bad_says_that_no_slices_are_set() -> None:
    assert "- Where is it bad? No slices are set (`evaluate.slices` in params.yaml)." in text_of()
    page = to_html(told(evaluation(), FACTS))
    assert "No slices are set (<code>evaluate.slices</code> in params.yaml)." in page


def test_what_stands_in_backticks_is_code_in_the_page() -> None:
    said = replace(evaluation(), warnings=("Set `evaluate.block`, not <b>.",))
    checked = [
        Finding("L003", "error", "`day`", "name it in `evaluate.cluster`."),
        Silent("L001", "not applicable", "A row is in two splits", "no column is `group`"),
    ]
    page = to_html(told(said, FACTS, all_checked=checked))
    for text in ("evaluate.block", "day", "evaluate.cluster", "group"):
        assert f"<code>{text}</code>" in page
    assert "not &lt;b&gt;." in page
    assert "`" not in page[: page.index("<script>")].split("</style>")[1]


def test_the_checks_of_rows_are_called_as_where_they_are_made() -> None:
    terms = _environment(html=False).get_template("terms.j2").module
    assert {code: one.title for code, one in sorted(ROW_CHECKS.items())} == terms.row_checks


def test_what_was_evaluated_is_listed() -> None:
    lines = text_of(subject=Subject(baseline="prior")).splitlines()
    assert lines[lines.index("- dataset: orders") :] == [
        "- dataset: orders",
        "- model: linear",
        "- baseline: prior",
        "- task: binary",
        "- rows: 12,345 in 61 clusters",
        "- split: test rows",
        "- code: that of the commit whose dvc.lock names this report (crivo trace finds it)",
        "- environment: as locked in requirements.txt",
        "- fingerprint of the rows: r1",
        "- fingerprint of the definition: d1",
    ]


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ("differs", "- environment: differs from requirements.txt"),
        ("not checked", "- environment: not checked"),
        ("unknown", "- code: not known: these are predictions of another system"),
    ],
)
def test_what_ran_is_said(environment: str, said: str) -> None:
    assert said in text_of(facts={"environment": environment}).splitlines()
    page = to_html(told(evaluation(), FACTS | {"environment": environment}))
    assert ("make repro\n" in page) == (environment != "unknown")
    assert ("crivo evaluate --predictions FILE\n" in page) == (environment == "unknown")
