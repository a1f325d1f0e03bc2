"""The report's sentences on the whole result."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any, NamedTuple

import pandas as pd

from crivo.core.evaluation import Evaluation
from crivo.core.findings import GRAVE
from crivo.evaluation.plain import PlainResult
from crivo.evaluation.report.contents import Report
from crivo.evaluation.report.numbers import (
    counted,
    digits_of,
    number,
    out_of,
    with_interval,
)
from crivo.evaluation.report.subject import Subject

SPLITS = {"valid": "validation rows", "test": "test rows"}

VERDICTS = {
    "better": "better than the baseline",
    "worse": "worse than the baseline",
    "equivalent": "equivalent to the baseline",
    "identical": "identical to the baseline",
    "undecided": "not distinguishable from the baseline",
}
# How a verdict is marked, beside its word.
MARKS = {"better": "good", "worse": "bad", "holds": "good", "violated": "bad"}
MAX_NAMED = 5


class Answer(NamedTuple):
    """A question that a reader has first, its answer, how it is marked and where to read on."""

    question: str
    answer: str
    mark: str
    link: str


def title(chosen: Mapping[str, str], about: Mapping[str, Any]) -> str:
    """Return what was evaluated: the model, the data, the split."""
    split = SPLITS.get(str(about.get("split")), "given rows")
    if "model" not in chosen:
        return f"Predictions of {split}"
    return f"{chosen['model']} on {chosen['dataset']}, {split}"


def headline(report: Report) -> list[str]:
    """Return the sentences a person wants first, in the words of the task."""
    sentences = [plain(report.plain, report.subject, report.task), worth(report)]
    return [one for one in sentences if one] or [primary(report.evaluation, report.subject)]


def plain(result: PlainResult | None, subject: Subject, task: str) -> str:
    """Return the result in a number that everybody understands; nothing where there is none."""
    if result is None:
        return ""
    if result.flagged == 0:
        return f"No {subject.rows} are flagged."
    if isnan(result.value):
        return ""
    if task == "regression":
        return _off_by(result, subject)
    size = out_of(result.value, result.without_model)
    right, ends = counted(result.value, size), ""
    if not isnan(result.low):
        ends = f" ({counted(result.low, size)}–{counted(result.high, size)})"
    if task == "binary":
        said = subject.is_class(subject.positive)
        random = counted(result.without_model, size)
        flagged = f"Of {size:,} {subject.rows} flagged, {right} {said}{ends}"
        return f"{flagged}; picked at random, {random}."
    sentence = f"Of {size:,} {subject.rows}, {right} get the right class{ends}"
    if isnan(result.without_model):
        return f"{sentence}."
    return f"{sentence}; with the {_baseline(subject)} {counted(result.without_model, size)}."


def _off_by(result: PlainResult, subject: Subject) -> str:
    digits = digits_of(result.low, result.high)
    size, low, high = (number(value, digits) for value in (result.value, result.low, result.high))
    ends = "" if isnan(result.low) else f" ({low}–{high})"
    sentence = f"Predictions of {subject.target} are off by {size}{subject.unit} on average{ends}"
    if isnan(result.without_model):
        return f"{sentence}."
    beside = f"{number(result.without_model, digits)}{subject.unit}"
    return f"{sentence}; those of the {_baseline(subject)} by {beside}."


def worth(report: Report) -> str:
    """Return what acting on the flagged rows is worth; nothing where no gains are set."""
    value = report.headline.get("value_per_1000")
    if value is None or isnan(value):
        return ""
    row = _row(report.headline, "value_per_1000")
    return f"Worth about {report.subject.money(row)} per 1,000 {report.subject.rows}."


def primary(evaluation: Evaluation, subject: Subject) -> str:
    """Return the metric that decides, its interval and the verdict."""
    name = evaluation.primary
    row = evaluation.metrics.to_dict("index")[name]
    if pd.isna(row["value"]):
        return f"{name} is not defined on these rows."
    sentence = f"{name} is {with_interval(row)}"
    if name not in evaluation.against_baseline.index:
        return f"{sentence}."
    versus = evaluation.against_baseline.to_dict("index")[name]
    verdict = VERDICTS.get(str(versus["verdict"]), "not compared with the baseline")
    named = f", {subject.baseline}" if subject.baseline else ""
    difference = with_interval(versus | {"value": versus["difference"]}, sign=True)
    return f"{sentence}, {verdict}{named} ({difference})."


def worse(evaluation: Evaluation) -> str:
    """Return which metrics are worse than the baseline's, in one sentence."""
    table = evaluation.against_baseline
    if table.empty:
        return ""
    names = [str(name) for name in table.index[table["verdict"] == "worse"]]
    return (
        f"Worse than the baseline in {', '.join(names)}."
        if names
        else "No metric is shown to be worse than the baseline's."
    )


def against_incumbent(incumbent: Mapping[str, Any]) -> str:
    """Return the verdict against the incumbent; nothing where there is none."""
    if not incumbent:
        return ""
    row = _row(incumbent, "vs_incumbent")
    name, verdict = incumbent["verdict_against"], incumbent["verdict"]
    among = incumbent.get("incumbent_chosen_among", 1)
    chosen = f", chosen among {among} models" if among > 1 else ""
    difference = with_interval(row, sign=True)
    return f"Against the incumbent, {name}{chosen}: {verdict} ({difference})."


def if_chosen(about: Mapping[str, Any]) -> list[str]:
    """Say on validation rows, which choose, what the intervals don't allow for."""
    if about.get("split") != "valid":
        return []
    return [
        "These intervals assume that the model wasn't chosen by its result on these rows. If it "
        "was, `crivo compare` and `crivo gate` give the estimate after selection."
    ]


def answers(report: Report) -> list[Answer]:
    """Return the questions of a first look with their answers."""
    evaluation = report.evaluation
    versus = evaluation.against_baseline
    verdict = versus["verdict"].get(evaluation.primary, "") if len(versus) else ""
    parts = [
        primary(evaluation, report.subject),
        worse(evaluation),
        against_incumbent(report.incumbent),
    ]
    good = " ".join(part for part in parts if part)
    found = [Answer("Is it any good?", good, MARKS.get(str(verdict), ""), "metrics")]
    found.append(_limits(report))
    if report.found is not None:
        found.append(_findings(report.found))
    if len(report.slices) + len(report.segments):
        found.append(_where(report))
    return found


def _limits(report: Report) -> Answer:
    question, states = "Does it meet its limits?", [one.state for one in report.limits]
    if not states:
        return Answer(question, "No limits are set.", "", "limits")
    broken = [one.name for one in report.limits if one.state == "violated"]
    unmeasured = states.count("not measured")
    said = f"{states.count('holds')} of {len(states)} limits hold"
    said += f"; violated: {', '.join(broken)}" if broken else ""
    said += f"; not measured: {unmeasured}" if unmeasured else ""
    mark = "bad" if broken else "" if unmeasured else "good"
    return Answer(question, f"{said}.", mark, "limits")


def _findings(checked: pd.DataFrame) -> Answer:
    question = "Can it be trusted?"
    grave = checked[checked["severity"] != "note"]
    notes = len(checked) - len(grave)
    beside = f" There {'is 1 note' if notes == 1 else f'are {notes} notes'}." if notes else ""
    if grave.empty:
        return Answer(
            question, f"The checks found no errors or warnings.{beside}", "good", "checks"
        )
    named = "; ".join(f"{one.code}, {one.subject}" for one in grave.head(MAX_NAMED).itertuples())
    more = f" and {len(grave) - MAX_NAMED} more" if len(grave) > MAX_NAMED else ""
    return Answer(question, f"The checks found: {named}{more}.{beside}", "bad", "checks")


def _where(report: Report) -> Answer:
    question, named = "Where is it bad?", []
    for table in (report.slices, report.segments):
        worse_rows = table[table["verdict"] == "worse"]
        if len(worse_rows):
            names = [str(name) for name in worse_rows["slice"][:MAX_NAMED]]
            more = len(worse_rows) - len(names)
            said = "; ".join(names) + (f" and {more} more" if more else "")
            named.append(f"{worse_rows['judged_by'].iloc[0]} is shown to be worse where {said}.")
    if named:
        return Answer(question, " ".join(named), "bad", "slices")
    if not (
        report.slices["difference"].notna().any() or report.segments["difference"].notna().any()
    ):
        return Answer(question, f"No slice has enough {report.subject.rows}.", "", "slices")
    return Answer(question, "No slice is shown to be worse than the other rows.", "good", "slices")


def doubts(checked: pd.DataFrame | None) -> list[str]:
    """Return the findings of the checks that make the numbers doubtful: all but the notes."""
    if checked is None:
        return []
    # What is worse than the baseline (R002) is said already.
    grave = checked[checked["severity"].isin(GRAVE) & (checked["code"] != "R002")]
    return [f"{one.code}, {one.subject}: {one.message}" for one in grave.itertuples()]


def about(report: Report) -> list[tuple[str, str]]:
    """Return what was evaluated, as pairs of a name and a value."""
    facts = report.about
    rows, clusters = facts.get("n_rows"), facts.get("n_clusters")
    baseline = report.subject.baseline
    pairs = list(report.chosen.items())
    pairs += [("baseline", baseline)] if baseline else []
    pairs += [
        ("task", str(facts.get("task"))),
        ("rows", f"{rows:,} in {clusters} clusters" if rows is not None else "unknown"),
        ("split", SPLITS.get(str(facts.get("split")), "given rows")),
        *([("fitted on", str(facts["fitted_on"]))] if "fitted_on" in facts else []),
        ("code", _code(facts)),
        ("environment", _environment(str(facts.get("environment")))),
        ("fingerprint of the rows", str(facts.get("rows"))),
        ("fingerprint of the definition", str(facts.get("definition"))),
    ]
    return pairs


def is_external(facts: Mapping[str, Any]) -> bool:
    """Return whether a file's predictions were evaluated: nobody knows what made them."""
    return facts.get("environment", "unknown") == "unknown"


def _code(facts: Mapping[str, Any]) -> str:
    # No file can hold the name of the commit that will hold the file.
    if is_external(facts):
        return "not known: these are predictions of another system"
    return "that of the commit whose dvc.lock names this report (crivo trace finds it)"


def _environment(state: str) -> str:
    if state == "locked":
        return "as locked in requirements.txt"
    return "differs from requirements.txt" if state == "differs" else state


def reproduce(facts: Mapping[str, Any]) -> list[str]:
    """Return the commands that make these numbers again."""
    if is_external(facts):
        return ["crivo evaluate --predictions FILE"]
    return ["git checkout REVISION", "make repro", "git diff --exit-code dvc.lock"]


def _baseline(subject: Subject) -> str:
    return f"baseline, {subject.baseline}," if subject.baseline else "baseline,"


def _row(numbers: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {"value": numbers[name], "low": numbers[f"{name}_low"], "high": numbers[f"{name}_high"]}
