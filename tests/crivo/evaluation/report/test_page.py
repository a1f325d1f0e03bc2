"""The report: the answer first, nothing from outside, nothing of the data taken for code."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from crivo.core.findings import Finding, Silent
from crivo.evaluation.report import to_html
from crivo.evaluation.report.page import _environment
from crivo.featurization.row_checks import ROW_CHECKS
from tests.crivo.evaluation.report.made_up import FACTS, evaluation, report, told


class Page(HTMLParser):
    """Collects the tags, links and ids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = {name: value for name, value in attrs if value}
        self.links += [found["href"]] if "href" in found else []
        self.ids += [found["id"]] if "id" in found else []


@pytest.fixture(scope="module")
def page() -> str:
    return to_html(report())


def test_links_lead_to_sections_or_to_files_beside_the_page(page: str) -> None:
    found = Page(page)
    sections = {link[1:] for link in found.links if link.startswith("#")}
    assert sections <= set(found.ids)
    files = {link for link in found.links if not link.startswith("#")}
    assert {"metrics.json", "intervals.csv", "slices.csv"} <= files


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
