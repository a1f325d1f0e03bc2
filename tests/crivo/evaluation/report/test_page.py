"""The report: the answer first, nothing from outside, nothing of the data taken for code."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from crivo.core.findings import Finding, Silent
from crivo.core.schema import Words
from crivo.evaluation.report import Subject, to_html, to_markdown
from tests.crivo.evaluation.report.made_up import EVIL, changed, report

SHIFT = "Held-out rows are distributed differently than training rows"


class Page(HTMLParser):
    """Collects the tags, the addresses that a browser would load, and the links and ids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = {name: value for name, value in attrs if value}
        names = ("src", "xlink:href", "data", "action")
        self.loaded += [found[name] for name in names if name in found]
        self.links += [found["href"]] if "href" in found else []
        self.ids += [found["id"]] if "id" in found else []

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


@pytest.fixture(scope="module")
def page() -> str:
    return to_html(report())


def headlines(text: str) -> list[str]:
    return re.findall(r'<p class="headline">(.*?)</p>', text)


def test_the_first_screen_says_whether_it_is_good_and_where_it_is_bad(page: str) -> None:
    top = page[: page.index("<main>")]
    for question in ("Is it any good?", "Where is it bad?"):
        assert question in top
    assert "roc_auc, which decides, is 0." in top
    assert "Yes, better than the baseline, prior: " in top
    assert "With care. The checks found: One feature predicts the target suspiciously well." in top
    assert top.index("Is it any good?") < top.index("<nav")


def test_findings_come_first_and_provenance_last(page: str) -> None:
    order = ["checks", "metrics", "slices", "figures", "importance", "errors", "about"]
    places = [page.index(f'id="{name}"') for name in order]
    assert places == sorted(places)


def test_a_page_loads_nothing(page: str) -> None:
    assert Page(page).loaded == []
    assert "@import" not in page
    assert "url(" not in page
    assert len(page.encode()) < 1_000_000


def test_links_lead_to_sections_or_to_files_beside_the_page(page: str) -> None:
    found = Page(page)
    sections = {link[1:] for link in found.links if link.startswith("#")}
    assert sections <= set(found.ids)
    files = {link for link in found.links if not link.startswith("#")}
    assert {"metrics.json", "slices.csv", "errors/worst.csv", "report.md"} <= files


def test_what_the_data_contain_is_text(page: str) -> None:
    assert EVIL not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert Page(page).tags.count("script") == 1
    assert "年齢 &amp; co" in page


def test_every_figure_says_in_words_what_it_shows(page: str) -> None:
    assert page.count("<figure>") == 3
    assert page.count('<div class="plot" role="img" aria-label="') == 4  # and a histogram


def test_a_long_table_says_how_much_is_left_out(page: str) -> None:
    assert '25 more rows in <a href="errors/worst.csv">' in page


def test_a_slice_opens_onto_its_worst_rows(page: str) -> None:
    part = page[page.index('id="slices"') : page.index('id="figures"')]
    assert part.count("<details><summary") == 2
    assert "Highest loss where place = odd" in part
    assert "all rows" not in part  # their interval stands with the metrics


def test_slices_that_are_all_too_small_are_named_with_the_reason() -> None:
    made = report()
    lines = made.tables["slices"].assign(difference=np.nan, verdict="", status="too small")
    page = to_html(changed(made, tables=made.tables | {"slices": lines}))
    assert page.count("No slice has enough rows") == 2
    assert "<li>place = odd: 200 rows, too small</li>" in page


def test_notes_provenance_and_settings_are_shown() -> None:
    made = report()
    page = to_html(changed(made, evaluation=replace(made.evaluation, warnings=("Look twice.",))))
    known = ("Look twice.", "400 in 10 clusters", "as locked in requirements.txt")
    for text in (*known, "<dt>trees</dt><dd>7</dd>", "<dt>baseline</dt><dd>prior</dd>"):
        assert text in page


def test_regression_has_its_own_words() -> None:
    subject = Subject("delay", words=Words(rows="flights", unit="minutes"), baseline="prior")
    page = to_html(report("regression", subject=subject))
    (first,) = headlines(page)
    size = r"\d\.\d+ minutes"
    assert re.fullmatch(
        rf"Predictions of delay are off by {size} on average \(0\.\d+–\d\.\d+\); "
        rf"those of the baseline, prior, by {size}\.",
        first,
    )
    assert page.count("<figure>") == 2
    for other in ("not defined", "error rate", "observed rate", "flagged,", "mean score"):
        assert other not in page[: page.index('id="terms"')]
    assert "mean delay" in page


def test_several_classes_have_their_own_words() -> None:
    page = to_html(report("multiclass"))
    assert re.match(r"Of 100 rows, \d+ get the right class \(\d+–\d+\);", headlines(page)[0])
    assert "The class most often missed is" in page
    assert "observed rate" not in page
    assert '<table class="confusion">' not in page  # too many classes for a table
    assert "Most frequent mistakes" in page


def test_without_a_baseline_nothing_is_said_of_one() -> None:
    made = report("regression", with_baseline=False)
    page = to_html(changed(made, subject=replace(made.subject, baseline=None)))
    assert "not defined" not in page
    assert "those of the baseline" not in page
    assert "There is no baseline for these predictions" in page
    heads = page[page.index('id="metrics"') : page.index('id="slices"')]
    assert ">baseline<" not in heads
    assert ">verdict<" not in heads


def test_a_page_lists_the_checks_that_passed_and_those_that_are_not_applicable() -> None:
    silent = [
        Silent("L001", "passed", "A row is in two splits"),
        Silent("L003", "not applicable", "A group is in two splits", "no column is a group"),
    ]
    made = report(all_checked=silent)
    page, text = to_html(made), to_markdown(made)
    assert "<p>No findings.</p>" in page
    assert page.count(": passed</li>") == 3
    assert "<summary>Passed: 1 check</summary>" in page
    assert "<li>A group is in two splits: no column is a group <small>L003</small></li>" in page
    assert "Passed: A row is in two splits." in text
    assert "Not applicable: A group is in two splits (no column is a group)." in text
    assert "no errors or warnings" in text
    assert "> A row" not in text


def test_a_page_names_the_checks_that_were_made() -> None:
    assert "Looked for rows or groups in two splits" in to_html(report())
    made = report()
    outside = to_html(changed(made, about={**made.about, "environment": "unknown"}))
    assert "Looked for rows or groups" not in outside
    assert "Looked for results that can&#39;t be believed" in outside


def test_what_is_worse_than_the_baseline_is_not_said_twice() -> None:
    worse = [Finding("R002", "warning", "brier", "Worse than the baseline.")]
    text = to_markdown(report(all_checked=worse))
    assert "> Worse than" not in text
    assert "| Worse than the baseline | warning | brier: Worse" in text


VALUE = pd.DataFrame(
    {
        "of": ["model", "act_on_all", "difference"],
        "acted_per_1000": [100.0, 1000.0, 0.0],
        "value_per_1000": [1803.5, -5582.8, 2361.8],
        "low": [579.9, -7676.6, 1316.0],
        "high": [3027.2, -3488.9, 3407.5],
    }
)


def test_the_sentences_give_each_value_as_the_table_does() -> None:
    """The median interval is 2,447 wide: all bear tens, though the second alone bears hundreds."""
    worth = dict(
        zip(
            ("value_per_1000", "value_per_1000_low", "value_per_1000_high"),
            VALUE.iloc[0, 2:],
            strict=True,
        )
    )
    tables = report().tables | {"value": VALUE}
    made = changed(report(), tables=tables, headline=worth, subject=Subject(currency="€"))
    text = re.sub(r"<[^>]+>", " ", to_html(made))
    for number in ("1,800 [580, 3,030]", "−5,580 [−7,680, −3,490]", "2,360 [1,320, 3,410]"):
        assert number in text
    assert "Worth about €1,800 [580, 3,030] per 1,000 rows." in text
    assert "Against the baseline: €2,360 [1,320, 3,410] per 1,000 rows." in text
    assert "would lose €5,580." in text


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        ([1, 2, 3], "The most important feature is a."),
        ([1, 1, 3], "a ranks first, but these rows can't separate it from b."),
    ],
)
def test_the_feature_that_leads_is_named_with_those_it_can_not_be_told_from(
    ranks: list[int], said: str
) -> None:
    table = pd.DataFrame({"feature": ["a", "b", "c"], "loss_increase": [0.3, 0.2, 0.1]})
    table = table.assign(rank_low=ranks, loss_increase_low=0.0, loss_increase_high=0.4)
    assert said in to_html(report(plots={"importance": table}))
