"""`report.html` and `report.md`: what a reader meets first, and what the page is."""

import re

from tests.crivo.behaviour.shop import Shop

PAGE = "metrics/evaluation/report.html"


def words(page: str) -> str:
    """Return what a reader sees, without markup."""
    page = re.sub(r"<(style|script)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_the_page_loads_nothing_and_has_the_answer_at_the_top(seen: Shop) -> None:
    page = seen.read(PAGE)
    assert not re.findall(r"(?:src|href)=\"?(?:https?:)?//", page)
    top = words(page)[:3000]
    assert "roc_auc" in top or "ROC AUC" in top
    assert "baseline" in top
    assert all(code in words(page) for code in ("L001", "L005", "T001", "R002"))
    assert "title" in seen.read("metrics/features/findings.csv").partition("\n")[0]
    text = seen.read("metrics/evaluation/report.md")
    assert text.startswith("## ")
    assert "| roc_auc" in text


def test_the_report_uses_the_team_s_words(shop: Shop) -> None:
    old = "    min_class_rows: 1\n"
    new = old + "    words: {rows: parcels, positive: sent back, negative: kept}\n"
    shop.replace("params.yaml", old, new)
    shop.dvc("repro", "--quiet")
    page = words(shop.read(PAGE))
    assert "parcels" in page
    assert "sent back" in page
