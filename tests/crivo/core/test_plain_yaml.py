"""The quick reader of YAML reads what the parser of all YAML reads, or leaves it to that."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from crivo.core.plain_yaml import NOT_PLAIN, plain_yaml

ROOT = Path(__file__).parents[3]
FILES = ("dvc.lock", "params.yaml", "dvc.yaml")
PIECES = [
    *"abey01-.:;#'\"[]{}&*!|>%@`~ \n\t_,=+()$",
    *("\n  ", "\n- ", "- ", ": ", "null", "1e5", "true", "0x1", "012", "1_0", ".5", "yes", "-1"),
    *("2020-01-01", ".inf", "<<", "No", "[]", "{}", "é", "\x85", "\ufeff", "---", "..."),
]


@pytest.mark.parametrize("name", FILES)
def test_the_files_of_a_project_are_plain(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert repr(plain_yaml(text)) == repr(YAML(typ="safe").load(text))


@pytest.mark.parametrize(
    "text",
    ["", "a", "- 1", "a: b: c", "a: 012", "a: 1e5", "a: 1_0", "a: 2020-01-01", "a: yes", "y: 1",
     "a: [1]", "a: {b: 1}", "a: &x 1", "a: *x", "a: |\n  b", "a: b\n  c", "a: b # c", "a: 1\na: 2",
     "a:\n - 1\n  - 2", "a: \"b\"", "a: 'b''c'", "a:\tb", "é: 1", "a: -0", "<<: 1", "a: ~",
     "a: 12345678901234567890", "a: !!str 1", "--- a", "a: 1\n---\nb: 1", "a: 0.10000000000000001"],
)  # fmt: skip
def test_what_may_be_read_otherwise_is_left_to_the_parser(text: str) -> None:
    read = plain_yaml(text)
    assert read is NOT_PLAIN or repr(read) == repr(YAML(typ="safe").load(text))


def mutations(seed: int, count: int) -> list[str]:
    """Return some lines of the project's files with a few characters changed."""
    chance = random.Random(seed)
    texts = [(ROOT / name).read_text(encoding="utf-8").split("\n") for name in FILES]
    found = []
    for _ in range(count):
        lines = chance.choice(texts)
        first = chance.randrange(len(lines) - 12)
        part = lines[first : first + 12]
        indent = min(len(line) - len(line.lstrip()) for line in part if line.strip())
        text = "\n".join(line[indent:] for line in part)
        for _ in range(chance.randint(0, 3)):
            place = chance.randrange(len(text) + 1)
            text = text[:place] + chance.choice(PIECES) + text[place + chance.randint(0, 2) :]
        found.append(text)
    return found


def test_whatever_is_changed_both_read_the_same() -> None:
    plain = 0
    for text in mutations(1, 3000):
        read = plain_yaml(text)
        if read is not NOT_PLAIN:
            plain += 1
            assert repr(read) == repr(YAML(typ="safe").load(text)), text
    assert plain > 100
