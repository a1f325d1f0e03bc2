"""The report: the answer first, nothing from outside, nothing of the data taken for code."""

from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from crivo.core.evaluation import Context
from crivo.core.findings import Finding, findings_table
from crivo.core.registry import make_block
from crivo.evaluation.plots import plots
from crivo.evaluation.report import Report, to_html, to_markdown

EVIL = "<script>alert(1)</script>"


def report(task: str = "binary") -> Report:
    rng = np.random.default_rng(0)
    n = 400
    signal = rng.normal(size=n)
    table = pd.DataFrame(
        {"id": [f"r{i:03d}" for i in range(n)], "cluster": np.arange(n) // 40, "weight": 1.0}
    )
    if task == "binary":
        context = Context("binary", ("on time", EVIL), EVIL)
        happened = signal + rng.normal(size=n) > 0
        score = 1 / (1 + np.exp(-signal))
        table["target"] = np.where(happened, EVIL, "on time")
        table["prediction"] = np.where(score > 0.5, EVIL, "on time")
        table["score"] = score
        prior = table.assign(score=happened.mean(), prediction="on time")
    else:
        context = Context("regression")
        table["target"] = signal + rng.normal(size=n)
        table["prediction"] = signal
        prior = table.assign(prediction=0.0)
    context = replace(context, baseline=prior)
    evaluation = make_block("evaluator", "standard", {}).evaluate(table, context)
    about = {
        "n_rows": n,
        "n_clusters": 10,
        "split": "valid",
        "task": task,
        "rows": "abc",
        "definition": "def",
        "environment": "locked",
    }
    curves = plots(table, context)
    curves["importance"] = pd.DataFrame({"feature": [EVIL, "a$b"], "loss_increase": [0.2, 0.1]})
    worst = pd.DataFrame({"id": ["r1"] * 30, "note": [EVIL] * 30, "loss": [0.00001] + [0.5] * 29})
    settings = {"dataset": "flights", "model": "boosting"}
    checked = findings_table(
        [
            Finding("L005", "warning", EVIL, "1 of 4 features predicts the target alone."),
            Finding("T001", "note", "test", "6 of 49 columns are distributed differently."),
        ]
    )
    return Report(
        evaluation,
        about,
        settings,
        curves,
        {"Worst rows": worst},
        ("Look twice.",),
        checked=checked,
    )


class Page(HTMLParser):
    """Collects the tags, and the addresses that a browser would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        names = ("src", "href", "xlink:href", "data", "action")
        self.loaded += [value for name, value in attrs if name in names and value]


@pytest.fixture(scope="module")
def page() -> str:
    return to_html(report())


def test_the_first_sentence_is_the_answer(page: str) -> None:
    start = page.index('class="headline"')
    assert "roc_auc is 0." in page[start : start + 200]
    assert "better than the baseline" in page[start : start + 200]


def test_a_page_loads_nothing(page: str) -> None:
    assert all(address.startswith("#") for address in Page(page).loaded)
    assert "@import" not in page
    assert "url(http" not in page


def test_what_the_data_contain_is_text(page: str) -> None:
    assert EVIL not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert Page(page).tags.count("script") == 1


def test_every_figure_says_in_words_what_it_shows(page: str) -> None:
    assert page.count("<figure") == page.count('role="img" aria-label="') == 5


def test_a_long_table_says_how_much_is_left_out(page: str) -> None:
    assert "5 more rows" in page


def test_the_same_report_gives_the_same_bytes(page: str) -> None:
    assert to_html(report()) == page


def test_it_is_smaller_than_a_megabyte(page: str) -> None:
    assert len(page.encode()) < 1_000_000


def test_notes_and_provenance_are_shown(page: str) -> None:
    for text in ("Look twice.", "400 in 10 clusters", "abc", "as locked in requirements.txt"):
        assert text in page


def test_the_incumbent_and_the_value_follow_the_first_sentence() -> None:
    incumbent = {"vs_incumbent": 0.01, "vs_incumbent_low": -0.02, "vs_incumbent_high": 0.04}
    incumbent |= {"verdict": "undecided", "verdict_against": "main"}
    value = {"value_per_1000": 1804, "value_per_1000_low": -580, "value_per_1000_high": 3027}
    text = to_markdown(replace(report(), headline=value, incumbent=incumbent))
    assert "Against the incumbent, main: undecided (+0.01000 [−0.02000, 0.04000])." in text
    assert "Worth +1,804 [−580.0, 3,027] per 1,000 rows" in text


def test_an_interval_stands_in_one_cell_with_its_number() -> None:
    slices = pd.DataFrame({"slice": ["a"], "auc": [0.5], "auc_low": [0.25], "auc_high": [0.75]})
    page = to_html(replace(report(), tables={"Slices": slices}))
    assert "0.5000 [0.2500, 0.7500]</td>" in page
    assert "auc low" not in page


def test_regression_has_a_report_too() -> None:
    page = to_html(report("regression"))
    assert "rmse is" in page
    assert page.count("<figure") == 1


def test_markdown_has_the_answer_and_a_table() -> None:
    text = to_markdown(report())
    assert text.startswith("## boosting on flights, validation rows\n\nroc_auc is 0.")
    assert "| metric | value |" in text
    assert "> Look twice." in text


def test_an_undefined_primary_metric_is_said() -> None:
    made = report()
    metrics = made.evaluation.metrics.copy()
    metrics.loc["roc_auc"] = np.nan
    page = to_html(replace(made, evaluation=replace(made.evaluation, metrics=metrics)))
    assert "roc_auc is not defined on these rows." in page


def test_grave_findings_of_the_checks_stand_at_the_top_and_all_in_a_table() -> None:
    text = to_markdown(report())
    assert f"> L005, {EVIL}: 1 of 4 features predicts the target alone." in text
    assert "> T001" not in text
    assert "| T001 | note | test | 6 of 49 columns are distributed differently. |" in text


def test_a_page_says_when_the_checks_found_nothing_and_when_none_were_made() -> None:
    nothing = to_html(replace(report(), checked=findings_table([])))
    assert "Findings of the checks</h2>\n<p>None.</p>" in nothing
    assert "Findings of the checks" not in to_markdown(
        replace(report(), checked=findings_table([]))
    )
    assert "Findings of the checks" not in to_html(replace(report(), checked=None))


def test_a_page_names_the_checks_that_were_made() -> None:
    assert "Looked for: rows or groups in two splits" in to_html(report())
    outside = replace(report(), about={**report().about, "environment": "unknown"})
    text = to_html(outside)
    assert "Looked for: results that can't be believed" in text
    assert "not known: these are predictions of another system" in text
    assert "crivo evaluate --predictions FILE" in text


def test_what_is_worse_than_the_baseline_is_said_once_at_the_top() -> None:
    worse = findings_table([Finding("R002", "warning", "brier", "is worse than the baseline.")])
    text = to_markdown(replace(report(), checked=worse))
    assert "> R002" not in text
    assert "| R002 | warning | brier |" in text
