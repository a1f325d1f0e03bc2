"""The list of behaviours: every command and option is in it, and the tests that it names exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import typer

from crivo.cli import app

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "tests/crivo/behaviours.md").read_text(encoding="utf-8")
LINES = [
    [cell.strip() for cell in line.split(" | ")]
    for line in re.findall(r"^\| (\w+-\d+ \| .*) \|$", PAGE, re.MULTILINE)
]
FATES = {"kept", "renamed", "simpler", "gone"}
EVERYWHERE = {"--help", "--quiet", "--verbose"}


def spelled(command: object, name: str) -> set[str]:
    """Return how the page spells a command, its groups' commands and their options."""
    if inner := getattr(command, "commands", {}):
        shown = {key: value for key, value in inner.items() if not value.hidden}
        return {one for key, value in shown.items() for one in spelled(value, f"{name} {key}")}
    options = [
        one
        for one in getattr(command, "params", [])
        if one.param_type_name == "option" and not one.hidden
    ]
    longest = {max(one.opts, key=len) for one in options} - EVERYWHERE
    return {name, *(f"{name} {option}" for option in longest)}


def test_every_command_and_option_is_in_the_list() -> None:
    named = re.findall(r"`(crivo [a-z]+(?: --[a-z-]+)?)[ `]", PAGE)
    assert spelled(typer.main.get_command(app), "crivo") - set(named) == set()


def test_each_line_has_an_id_of_its_own_a_sentence_and_a_fate() -> None:
    assert len(LINES) > 300
    assert len({line[0] for line in LINES}) == len(LINES)
    assert all(len(line) == 4 and line[2].partition(":")[0] in FATES for line in LINES)


def functions(path: str) -> set[str]:
    code = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    return {one.name for one in ast.walk(code) if isinstance(one, ast.FunctionDef)}


def test_every_named_test_exists() -> None:
    named: dict[str, set[str]] = {}
    for path, name in re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE):
        named.setdefault(path, set()).add(name)
    missing = {path: names - functions(path) for path, names in named.items()}
    assert {path: names for path, names in missing.items() if names} == {}
    assert len(named) > 30
