"""The report: numbers for people, the answer first, and nothing from outside."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crivo.core.findings import Finding, Silent
from crivo.evaluation.report import to_html, to_markdown
from crivo.evaluation.report.numbers import number, with_intervals
from crivo.evaluation.report.tables import Confusion, to_table
from tests.crivo.evaluation.report.made_up import FACTS, evaluation, report, told


@pytest.mark.parametrize(
    ("value", "said"), [(999.94, "999.9"), (999.96, "1,000"), (0, "0.000"), (1e-7, "1.000e−07")]
)
def test_a_number_has_four_digits(value: float, said: str) -> None:
    assert number(value) == said


def test_a_column_has_one_number_of_digits_that_of_its_median_interval() -> None:
    frame = pd.DataFrame({"auc": [0.5, 0.51, 0.6], "auc_low": [0.4, 0.45, 0.5996]})
    frame["auc_high"] = [0.6, 0.57, 0.6004]
    assert with_intervals(frame, "auc") == [
        "0.500 [0.400, 0.600]",
        "0.510 [0.450, 0.570]",
        "0.600 [0.600, 0.600]",
    ]


def test_columns_of_the_data_keep_their_digits_and_get_no_separators() -> None:
    frame = pd.DataFrame(
        {"flight": [5199, 234], "dep_time": [1530.0, np.nan], "score": [0.0321692, 0.97047]}
    )
    texts = [list(column.texts) for column in to_table(frame, "", raw=True).columns]
    assert texts == [["5199", "234"], ["1530", ""], ["0.0322", "0.9705"]]
    times = pd.DataFrame({"at": pd.to_datetime(["2013-01-01 00:00", "2013-01-01 06:30"])})
    assert list(to_table(times, "").columns[0].texts) == ["2013-01-01", "2013-01-01 06:30"]
    counted = to_table(frame[["flight"]], "").columns[0]
    assert list(counted.texts) == ["5,199", "234"]
    assert list(to_table(pd.DataFrame({"late": [True]}), "").columns[0].texts) == ["True"]


def test_a_confusion_lists_its_mistakes_and_is_a_table_of_at_most_twelve_classes() -> None:
    few = pd.DataFrame({"actual": [*"aabcd"], "predicted": [*"abccc"], "rows": [9, 2, 3, 4, 1]})
    many = pd.DataFrame({"actual": range(13), "predicted": range(13), "rows": 1})
    found, large = (Confusion(report("multiclass"), counts) for counts in (few, many))
    shares = ["100", "18", "100"]
    texts = [list(one.texts) for one in found.pairs.columns]
    assert texts == [["b", "a", "d"], ["c", "b", "c"], ["3", "2", "1"], shares]
    assert found.counts.tolist() == [[9, 2, 0, 0], [0, 0, 3, 0], [0, 0, 4, 0], [0, 0, 1, 0]]
    assert (found.worst, found.is_small, large.is_small) == (1, True, False)


def test_links_lead_to_sections_or_to_files_beside_the_page() -> None:
    page = to_html(report())
    links, ids = (set(re.findall(rf' {name}="(.*?)"', page)) for name in ("href", "id"))
    assert {link[1:] for link in links if link.startswith("#")} <= ids
    assert {"metrics.json", "intervals.csv", "slices.csv"} <= links


def test_what_stands_in_backticks_is_code_and_all_else_is_escaped_once() -> None:
    said = replace(evaluation(), warnings=("Set `evaluate.block`, not <b>.",))
    checked = [
        Finding("L003", "error", "`day`", "name it in `evaluate.cluster`."),
        Silent("L001", "not applicable", "A row is in two splits", "no column is `group`"),
    ]
    made = told(said, FACTS, all_checked=checked, titles={"L003": "One <b> & 'c'"})
    page = to_html(made)
    for text in ("evaluate.block", "day", "evaluate.cluster", "group"):
        assert f"<code>{text}</code>" in page
    for text in ("not &lt;b&gt;.", "found: One &lt;b&gt; &amp; &#39;c&#39;."):
        assert text in page
    assert r"found: One \<b> & 'c'." in to_markdown(made)
    assert "`" not in page[: page.index("<script>")].split("</style>")[1]
