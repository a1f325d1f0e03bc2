"""Are the pages in plain English: no translated idioms, and a zero before each decimal point?"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
STARTED = ROOT / "src/crivo/project/template"
# Decisions keep what was decided when it was decided.
PAGES = [
    path
    for path in sorted(
        [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *STARTED.glob("*.md.txt")]
    )
    if path.parent.name != "decisions" and path.name != "README.pt-BR.md"
]

AWKWARD = {
    "mend: say fix, correct or repair": r"\bmend(?:s|ed|ing)?\b",
    "is no X: say isn't an X": r"(?<!there )(?<!There )\b(?:is|are|was|were) no (?!longer\b)",
    "else at the end of a clause": r"(?<!nothing)(?<!anything)(?<!something) else(?=[.,;:)])",
    "else instead of otherwise": r"\bElse\b|[:;] else\b",
    "rows teach: say that a model is fitted or trained on them": r"\b(?:teach(?:es|ing)?|taught)\b",
    "looked at at": r"\blooked at at\b",
    "surely, of what holds in 95 of 100 cases": r"\bsurely\b",
    "by heart: say memorised": r"\bby heart\b",
    "share their fate: say belong together": r"\bshares? (?:their|its) fate\b",
    "a decimal without a leading zero": r"(?<![\w.)\]/*-])[-+−±]?\.\d",
}


def prose(page: str) -> str:
    """Return a page without its code: fenced, indented and between backticks."""
    page = re.sub(r"^( *)```.*?^\1```$", "", page, flags=re.MULTILINE | re.DOTALL)
    page = re.sub(r"(?<=\n\n)(?: {4}.*\n)+", "", page)
    return re.sub(r"`[^`]+`", "CODE", page)


def awkward(page: str) -> list[str]:
    """Return what is awkward in a page, each with the words around it."""
    text = " ".join(prose(page).split())
    return [
        f"{what}: {text[max(0, hit.start() - 40) : hit.end() + 20]}"
        for what, pattern in AWKWARD.items()
        for hit in re.finditer(pattern, text)
    ]


MESSAGES = ("mend: say fix, correct or repair", "is no X: say isn't an X")


def awkward_strings(code: str) -> list[str]:
    """Return what is awkward in the messages and docstrings of a module."""
    texts = [
        " ".join(node.value.split())
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return [text for text in texts for name in MESSAGES if re.search(AWKWARD[name], text)]


def test_messages_and_docstrings_are_in_plain_english() -> None:
    found = {
        str(path.relative_to(ROOT)): awkward_strings(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / "src").rglob("*.py"))
    }
    assert {name: texts for name, texts in found.items() if texts} == {}
    assert awkward_strings("print('Two numbers are no comparison; mend that.')")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_is_in_plain_english(page: Path) -> None:
    assert awkward(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "Two numbers are no comparison.",
        "It was\nmended.",
        "Scale them, or it fails for what is\nelse.",
        "Sort first. Else it is slow.",
        "The rows have been looked at at least twice.",
        "It is surely better.",
        "Later rows never teach.",
        "It knows rows by heart.",
        "Rows of a day share their fate.",
        "ROC AUC .744 and ±.05",
        "| [.690, .799] |",
        "from -.01 to +.02",
    ],
)
def test_awkward_words_are_found(text: str) -> None:
    assert awkward(text)


@pytest.mark.parametrize(
    "text",
    [
        "There is no server, it is no longer needed, and nothing else.",
        "0.744 [-0.01, +0.02], version 3.8.1, 3.11–3.13, `.venv`, `.744`",
        "```\nroc_auc .744, surely\n```\n",
        "Run\n\n    mend .5\n\nand wait.",
        "files in .dvc and a list … .1st",
    ],
)
def test_plain_words_and_code_pass(text: str) -> None:
    assert [one for one in awkward(text) if ".1st" not in one] == []
