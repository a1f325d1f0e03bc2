"""Parses untrusted YAML, JSON and CSV; `ParseError` says in words why it can't.

Whatever a text holds, a function here returns plain values of a bounded size, or raises
`ParseError`. Everything that comes from git, from other people or from a file that may be
damaged is read here.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from pydantic import BaseModel

Model = TypeVar("Model", bound="BaseModel")

MAX_BYTES = 10_000_000
# The parser in C crashes on endless nesting, functions that walk through values stop on less.
MAX_DEPTH = 100
# Values with each alias replaced by what it stands for.
MAX_NODES = 100_000
# Python prints no longer numbers, and no float holds them.
MAX_BITS = 1024
MAX_WORDS = 200


class ParseError(CrivoError):
    """What is wrong with a text; the words follow its file's name: `isn't valid YAML: …`."""


class Rows(NamedTuple):
    """A CSV text: the names of its columns, each once, and rows that have a cell for each."""

    columns: list[str]
    rows: list[list[str]]


def parse_yaml(content: bytes | str) -> Any:
    """Return what YAML 1.2 holds, as DVC reads it (`1e-5` is a number, `yes` is a word)."""
    from ruamel.yaml import YAML

    text = _text(content)
    try:
        _check_nesting(YAML(typ="safe").parse(text))
        values = YAML(typ="safe").load(text)
    except ParseError:
        raise
    except Exception as error:  # 2013-02-30 isn't a date, [] no key: each type raises its own
        words = _words(error).partition(" To suppress this check")[0]
        raise ParseError(f"isn't valid YAML: {words}") from None
    _check_values(values)
    return values


def read_yaml(path: Path) -> Any:
    """Return what a YAML file holds; CrivoError when there is none or it can't be read."""
    try:
        return parse_yaml(path.read_bytes())
    except FileNotFoundError:
        raise CrivoError(f"There is no {path} here; run this in the project's folder.") from None
    except ParseError as error:
        raise CrivoError(f"{path} {error}. Correct that file.") from None


def _check_nesting(events: Iterable[Any]) -> None:
    """Refuse YAML that is nested too deeply, on which the loader in C would end the process."""
    from ruamel.yaml.events import CollectionEndEvent, CollectionStartEvent

    depth = 0
    for event in events:
        if isinstance(event, CollectionStartEvent):
            depth += 1
        elif isinstance(event, CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise _too_deep()


def parse_json(content: bytes | str) -> Any:
    """Return what JSON holds."""
    try:
        values = json.loads(_text(content), object_pairs_hook=_each_once)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise ParseError(f"isn't valid JSON: {_words(error)}") from None
    _check_values(values)
    return values


def validated(model: type[Model], values: Any) -> Model:
    """Return values as a model; ParseError names the first that is not as it should be."""
    from pydantic import ValidationError

    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise ParseError(f"is invalid ({place}: {first['msg']})") from None


def parse_csv(content: bytes | str) -> Rows:
    """Return the cells of a CSV as text; for small files much faster than pandas."""
    lines = csv.reader(io.StringIO(_text(content), newline=""))
    try:
        rows = [row for row in lines if row]
    except csv.Error as error:
        raise ParseError(f"isn't valid CSV: {_words(error)}") from None
    if not rows:
        raise ParseError("is empty; expected at least a line with the names of its columns")
    columns, *rows = rows
    twice = repeated(columns)
    if twice:
        raise ParseError(f"names columns twice: {', '.join(twice)[:MAX_WORDS]}")
    uneven = next((row for row in rows if len(row) != len(columns)), None)
    if uneven is not None:
        raise ParseError(f"has a row with {len(uneven)} instead of {len(columns)} cells")
    return Rows(columns, rows)


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that stand there more than once.

    >>> repeated(["a", "b", "a"])
    ['a']
    """
    return [name for name, times in Counter(names).items() if times > 1]


def _text(content: bytes | str) -> str:
    if len(content) > MAX_BYTES:
        raise ParseError(f"is larger than {MAX_BYTES / 1e6:.0f} MB")
    if isinstance(content, str):
        return content
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ParseError(f"isn't text in UTF-8 (byte {error.start})") from None


def _words(error: Exception) -> str:
    """Return an error as one line, without the text that it complains of at length."""
    words = " ".join(str(error).split()) or type(error).__name__
    return words if len(words) <= MAX_WORDS else f"{words[:MAX_WORDS]}…"


def _too_deep() -> ParseError:
    return ParseError(f"is nested more than {MAX_DEPTH} levels deep")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError(f"{repeated(name for name, _ in pairs)[0]!r} occurs twice")
    return values


def _check_values(values: Any) -> None:
    """Refuse values that are nested too deeply or too many, and those that can't be printed."""
    left: list[tuple[Any, int]] = [([values], -1)]
    count = 0
    while left:
        value, depth = left.pop()
        if depth == MAX_DEPTH:
            raise _too_deep()
        inside = (*value, *value.values()) if isinstance(value, dict) else value
        count += len(inside)
        if count > MAX_NODES:
            raise ParseError(f"holds more than {MAX_NODES:,} values, with its aliases expanded")
        for one in inside:
            if isinstance(one, str):  # nearly all
                if not one.isascii():
                    _check_characters(one)
            elif isinstance(one, dict | list | tuple | set):
                left.append((one, depth + 1))
            elif isinstance(one, int) and one.bit_length() > MAX_BITS:
                raise ParseError("holds a whole number of more than 300 digits")


def _check_characters(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ParseError("holds half of a character (a lone surrogate)") from None
