"""The report: the answer first, nothing from outside, nothing of the data taken for code."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from crivo.core.findings import Finding, Silent
from crivo.evaluation.report import Subject, to_html
from crivo.evaluation.report.page import _environment
from crivo.featurization.row_checks import ROW_CHECKS
from tests.crivo.evaluation.report.made_up import EVIL, FACTS, changed, evaluation, report, told


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


def test_slices_that_are_all_too_small_are_named_with_the_reason() -> None:
    made = report()
    lines = made.tables["slices"].assign(difference=np.nan, verdict="", status="too small")
    page = to_html(changed(made, tables=made.tables | {"slices": lines}))
    assert page.count("No slice has enough rows") == 2
    assert "<li>place = odd: 200 rows, too small</li>" in page


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
    assert "Compared with the baseline: €2,360 [1,320, 3,410] per 1,000 rows." in text
    assert "would lose €5,580." in text


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


@pytest.mark.parametrize(
    ("currency", "value", "said"),
    [("EUR", 1803.5, "1,800 [580, 3,030] EUR"), ("", -2.5, "−0 [580, 3,030]")],
)
def test_a_value_names_its_currency(currency: str, value: float, said: str) -> None:
    row = {"value": value, "low": 579.9, "high": 3027.2}
    assert Subject(currency=currency).money(row) == said
