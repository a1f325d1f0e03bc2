"""What reports say of results that together reach every branch of the templates."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from math import nan
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pytest
from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator
from markdown_it import MarkdownIt

from crivo.core.findings import Finding, Silent
from crivo.core.params import ValueSettings
from crivo.core.schema import Words
from crivo.evaluation.evaluate import Result
from crivo.evaluation.plain import PlainResult
from crivo.evaluation.report import Subject, page, to_html, to_markdown
from crivo.evaluation.thresholds import OperatingPoint
from tests.crivo.evaluation.report import made_up
from tests.crivo.evaluation.report.made_up import EVIL, FACTS, changed, evaluation, report, told

FLIGHTS = Subject("late", (False, True), True, Words(rows="flights", positive="late"), "€", "prior")
KINDS = Subject("kind", ("a", "b", "c"), baseline="prior")
DELAYS = Subject("delay", words=Words(rows="flights", unit="minutes"), baseline="prior")
PASSED = Silent("L003", "passed", "A *group* is in two splits")
SKIPPED = Silent("R001", "not applicable", "One value", "too few rows")
SILENT = [PASSED, replace(PASSED, code="L001"), SKIPPED, replace(SKIPPED, code="R003")]
FOUND = [
    Finding("L001", "error", "a", "wrong."),
    Finding("L005", "warning", "b", "likely."),
    Finding("L005", "warning", "c", "surely."),
    Finding("R001", "warning", "predictions", "odd."),
    Finding("T001", "note", "c", "so so."),
]
WORTH = {"value_per_1000": -3.0, "value_per_1000_low": -5.0, "value_per_1000_high": -1.0}
CAPACITY = OperatingPoint((None, None), ValueSettings(capacity=0.1, true_positive=4.5))
INCUMBENT = made_up.LOST | {"incumbent_chosen_among": 3}
SEVERAL = pd.DataFrame({"feature": [*"abcdefg"], "loss_increase": 0.1})
UNSURE = SEVERAL.assign(loss_increase_low=nan, loss_increase_high=nan)
SEVERAL = SEVERAL.assign(loss_increase_low=0.0, loss_increase_high=0.2)
PLACE = made_up.WEAK.assign(difference_low=-0.2, difference_high=-0.1, rows=7, status="judged")
CURVE = pd.DataFrame({"iteration": [0, 1], "loss": [0.5, 0.4]})
RIGHT = pd.DataFrame({"actual": [*"ab"], "predicted": [*"ab"], "rows": [2, 3]})


def about(**facts: Any) -> dict[str, Any]:
    return FACTS | facts


def with_places(made: Result) -> Result:
    """Return a report of many slices and a segment, one of them far off and one too small."""
    one = made.tables["slices"].iloc[[1]]
    lines = pd.concat([one] * 15).assign(slice=[f"s = {i}" for i in range(15)], verdict="worse")
    lines = lines.assign(kind=["segment", *["column"] * 14]).reset_index(drop=True)
    lines.loc[14, "difference_low"] = -50.0
    lines.loc[13, ["difference", "status"]] = [nan, "too small"]
    lines = lines.assign(calibration_in_the_large_low=0.01, calibration_in_the_large=0.02)
    return changed(made, tables=made.tables | {"slices": lines})


def with_scores_off(made: Result, off: float) -> Result:
    """Return a report whose scores are too high, or too low, by so much."""
    lines, name = made.tables["slices"].copy(), "calibration_in_the_large"
    lines[[name, f"{name}_low", f"{name}_high"]] = off, off - 0.01, off + 0.01
    return changed(made, tables=made.tables | {"slices": lines.query("kind == 'all'")})


def with_a_loss(made: Result) -> Result:
    """Return a report in which acting on all rows loses, with a line for the same threshold."""
    value = made.tables["value"].copy()
    value.loc[value["of"] == "act_on_all", "value_per_1000"] = -5.0
    same = value[value["of"] == "model"].assign(of="model_at_threshold")
    tables = made.tables | {"value": pd.concat([value, same])}
    return changed(made, tables=tables, subject=replace(made.subject, currency="€"))


def with_another_verdict(made: Result, metric: str) -> Result:
    """Return a report in which one metric is undecided: the first sentence's, or the primary."""
    versus = made.evaluation.against_baseline.copy()
    versus.loc[metric, "verdict"] = "undecided"
    return changed(made, evaluation=replace(made.evaluation, against_baseline=versus))


def with_one_class(made: Result) -> Result:
    """Return a report of one class, without a baseline's curve and without a threshold."""
    roc = made.plots["roc"].assign(baseline=nan)
    plots = made.plots | {"confusion": RIGHT[:1], "scores": pd.DataFrame(), "roc": roc}
    point = replace(made.operating_point, thresholds=(None, None))
    return changed(made, plots=plots, operating_point=point)


# What a number that everybody understands is, by the task.
PLAIN = (
    ("binary", FLIGHTS, PlainResult("precision", 0.5506, 0.3603, 0.7271, 0.157, 0.1, 0.35, 0.05)),
    ("binary", FLIGHTS, PlainResult("precision_at_share", 0.15, 0.09, 0.25, 0.06, 0.0, top=0.1)),
    ("binary", FLIGHTS, PlainResult("precision", 0.042, 0.03, 0.05, 0.003, 0.1, 0.35, 0.05)),
    ("binary", FLIGHTS, PlainResult("precision", nan, flagged=0.0)),
    ("multiclass", KINDS, PlainResult("accuracy", 0.8, 0.75, 0.84, 0.4)),
    ("multiclass", KINDS, PlainResult("accuracy", 0.8)),
    ("regression", DELAYS, PlainResult("mae", 12.345, 11.0, 13.7, 20.04)),
    ("regression", DELAYS, PlainResult("mae", 12.345)),
)
VALUE = {"value_per_1000": 1803.5, "value_per_1000_low": 579.9, "value_per_1000_high": 3027.2}


def results() -> Iterator[Result]:
    """Give results that together say all that a report can say."""
    binary = report("binary", with_value=True)
    yield from (binary, with_places(binary), report("regression", with_baseline=False))
    yield from (with_scores_off(report(), off) for off in (0.1, -0.1))
    yield from (report("multiclass"), report("multiclass", plots={"confusion": RIGHT}))
    weights = {"weight": [2.0, *[1.0] * (len(binary.predictions) - 1)]}
    yield changed(binary, predictions=binary.predictions.assign(**weights))
    above = PlainResult("precision_at_share", 0.5, 0.4, 0.6, 0.2, 0.0, 0.0, 0.0, 0.1)
    euros = replace(binary.subject, currency="EUR")
    yield changed(binary, dataset="table", plain=above, subject=euros)
    regression = report("regression")
    yield from (with_a_loss(binary), with_one_class(binary))
    yield from (with_another_verdict(regression, name) for name in ("rmse", "mae"))
    tenths = {"calibration": regression.plots["calibration"].assign(observed_rate_low=nan)}
    yield report("multiclass", plain=PlainResult("f1", 0.5, 0.4, 0.6, 0.2), plots=tenths)
    yield changed(regression, subject=DELAYS, plots={**regression.plots, "learning": CURVE})
    perfect, unnamed = PlainResult("mae", 0.8, 0.7, 0.9, 0.0), replace(DELAYS, baseline=None)
    yield changed(regression, subject=unnamed, plain=perfect, plots={"importance": SEVERAL})
    yield report(plots={"importance": UNSURE})
    yield report(plots={"learning": CURVE[::-1], "importance": SEVERAL[:3]})
    yield report(plots={"importance": SEVERAL[:1]})
    for verdict in ("better", "worse", "equivalent", "identical", "undecided", nan):
        yield told(evaluation(roc_auc=made_up.GAP | {"verdict": verdict}), FACTS, subject=FLIGHTS)
    for count in (1, 2):
        warned = replace(evaluation(), warnings=("Few rows.",) * count)
        yield told(warned, about(fitted_on="training rows"), all_checked=SILENT)
        yield told(warned, FACTS, all_checked=FOUND)
    yield told(evaluation(), FACTS, all_checked=[FOUND[-1]], against_incumbent=INCUMBENT)
    doubt = made_up.LOST | {"verdict": "undecided"}
    yield told(evaluation(made_up.NUMBERS | {"value": nan}), FACTS, against_incumbent=doubt)
    outside = about(environment="unknown")
    yield told(evaluation(), outside, tables={"slices": PLACE.assign(verdict="", difference=nan)})
    yield told(evaluation(), outside, headline=WORTH, operating_point=CAPACITY, subject=FLIGHTS)
    for top, flagged, low in ((nan, 0.0, nan), (0.1, 0.1, nan), (nan, 0.1, 0.4)):
        shown = PlainResult("precision", 0.5, low, 0.6, 0.2, flagged, 0.3, 0.1, top)
        yield told(evaluation(), FACTS, plain=shown, subject=FLIGHTS)
    for verdict in ("worse", "undecided"):
        tables = {"slices": PLACE.assign(verdict=verdict)}
        yield told(evaluation(), FACTS, tables=tables, all_checked=[PASSED])
    for task, subject, plain in PLAIN:
        yield told(evaluation(), about(task=task), plain=plain, subject=subject)
    yield told(evaluation(), about(split="valid", environment="differs"), subject=FLIGHTS)
    yield told(evaluation(), about(split="file"), headline=VALUE, subject=FLIGHTS)
    many = pd.concat([PLACE] * 7).assign(slice=[f"{one} = c" for one in "abcdefg"])
    yield told(evaluation(brier=made_up.GAP, log_loss=made_up.GAP), FACTS, tables={"slices": many})


GOLDEN = Path(__file__).with_name("reports.md")


def reports() -> str:
    """Return a short report, what others say above their tables, and a page."""
    first, *others = (to_markdown(result) for result in results())
    above = [text.partition("\n| ")[0] for text in others]
    return "\n\n===\n\n".join([first, *above, text_of(report("binary", with_value=True))])


def text_of(result: Result) -> str:
    """Return what stands on a page, a line for each piece."""
    body = re.sub(r'<span class="together">(.*?)</span>', r"\1", to_html(result))
    body = re.sub(r"<(script|style|svg).*?</\1>", "", body, flags=re.DOTALL)
    pieces = (" ".join(piece.split()) for piece in re.split(r"<[^>]+>", body))
    return "\n".join(filter(None, pieces)) + "\n"


def test_reports_say_what_they_said() -> None:
    """Words are changed on purpose: look at the difference, and renew the file."""
    renew = "python -m tests.crivo.evaluation.report.test_branches"
    assert reports() == GOLDEN.read_text(encoding="utf-8"), f"if that is meant, run `{renew}`"


class Noting(CodeGenerator):
    """Compiles a template so that it notes whether each of its conditions was met, and not met."""

    outcomes: ClassVar[dict[str, set[bool]]] = {}

    def visit_Template(self, node: nodes.Template, frame: Any = None) -> None:
        self.environment.globals["tested"] = self.tested
        for place, one in enumerate([*node.find_all((nodes.If, nodes.CondExpr))]):
            name = f"{self.name}, line {one.lineno}, condition {place}"
            self.outcomes.setdefault(name, set())
            given = [nodes.Const(name), one.test]
            one.test = nodes.Call(nodes.Name("tested", "load"), given, [], None, None)
        super().visit_Template(node.set_environment(self.environment), frame)

    def tested(self, name: str, value: Any) -> Any:
        self.outcomes[name].add(bool(value))
        return value


@contextmanager
def one_sided(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Give the conditions of templates that are always met, or never, inside."""
    monkeypatch.setattr(Environment, "code_generator_class", Noting)
    monkeypatch.setattr(Noting, "outcomes", {})
    found: list[str] = []
    yield found
    assert Noting.outcomes
    found += [name for name, known in Noting.outcomes.items() if len(known) < 2]


def test_every_branch_of_the_templates_is_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "_environment", cache(page._environment.__wrapped__))
    with one_sided(monkeypatch) as never:
        assert all(to_html(result) and to_markdown(result) for result in results())
    assert never == []


def test_names_of_the_data_are_text_in_markdown() -> None:
    markdown, seen = MarkdownIt("commonmark").enable("table"), ""
    for token in (one for made in results() for one in markdown.parse(to_markdown(made))):
        assert token.type != "html_block"
        kinds = {one.type for one in token.children or ()}
        assert kinds <= {"text", "text_special", "code_inline", "softbreak"}, token.content
        seen += "".join(one.content for one in token.children or ())
    assert EVIL in seen


def test_the_first_answer_has_no_tick_where_the_headline_s_metric_is_undecided() -> None:
    made = report("regression")
    for metric, mark in (("mae", "warn"), (made.evaluation.primary, "")):
        page = to_html(with_another_verdict(made, metric))
        assert re.findall(r"Is it any good\?.*?<dd class=\"(\w*)\">", page, re.DOTALL)[0] == mark


if __name__ == "__main__":
    GOLDEN.write_text(reports(), encoding="utf-8")
