"""The report: the answer first, nothing from outside, nothing of the data taken for code."""

import re
from dataclasses import replace

from crivo.core.findings import Finding, Silent
from crivo.evaluation.report import to_html
from tests.crivo.evaluation.report.made_up import FACTS, evaluation, report, told


def test_links_lead_to_sections_or_to_files_beside_the_page() -> None:
    page = to_html(report())
    links, ids = (set(re.findall(rf' {name}="(.*?)"', page)) for name in ("href", "id"))
    assert {link[1:] for link in links if link.startswith("#")} <= ids
    assert {"metrics.json", "intervals.csv", "slices.csv"} <= links


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
