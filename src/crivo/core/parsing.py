"""Reads YAML, JSON and CSV that anybody may have written, or says in words why it can't.

Whatever a text holds, a function here returns plain values of a bounded size, or raises
`ParseError`. Everything that comes from git, from other people or from a file that may be
damaged is read here.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from crivo.core.errors import CrivoError
from crivo.core.plain_yaml import NOT_PLAIN, plain_yaml

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
    text = _text(content)
    plain = plain_yaml(text)
    if plain is not NOT_PLAIN:
        return plain
    from ruamel.yaml import YAML  # here, as most files are plain

    try:
        _check_events(YAML(typ="safe").parse(text))
        values = YAML(typ="safe").load(text)
    except ParseError:
        raise
    except Exception as error:  # 2013-02-30 isn't a date, [] no key: each type raises its own
        raise ParseError(f"isn't valid YAML: {_words(error)}") from None
    _check_values(values)
    return values


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


def parse_listing(content: bytes) -> dict[str, str] | None:
    """Return the hash of each file of a folder, as DVC stores it; None for a damaged listing."""
    try:
        return {str(one["relpath"]): str(one["md5"]) for one in json.loads(content)}
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


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
        raise ParseError(f"has a row of {len(uneven)} cells below {len(columns)} columns")
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
    return ParseError(f"is nested more than {MAX_DEPTH} deep")


class _Open:
    """A collection that has begun: its anchor, what was counted before, how deep it reaches."""

    def __init__(self, anchor: str | None, before: int, depth: int) -> None:
        self.anchor, self.before, self.reaches = anchor, before, depth


def _check_events(events: Iterable[Any]) -> None:
    """Refuse YAML that is nested too deeply or grows too large, before any value is made."""
    from ruamel.yaml.events import (
        AliasEvent,
        CollectionEndEvent,
        CollectionStartEvent,
        NodeEvent,
    )

    count = 0
    sizes: dict[str, tuple[int, int]] = {}  # by anchor: how many values, how many levels
    parents = [_Open(None, 0, 0)]
    for event in events:
        levels = 0
        if isinstance(event, AliasEvent):
            size, levels = _aliased(event.anchor, sizes, parents)
            count += size
        elif isinstance(event, NodeEvent):
            count += 1
            levels = int(isinstance(event, CollectionStartEvent))
        if len(parents) - 1 + levels > MAX_DEPTH:
            raise _too_deep()
        if count > MAX_NODES:
            raise ParseError(f"holds more than {MAX_NODES:,} values, aliases (*) written out")
        parents[-1].reaches = max(parents[-1].reaches, len(parents) - 1 + levels)
        if isinstance(event, CollectionStartEvent):
            parents.append(_Open(event.anchor, count - 1, len(parents)))
        elif isinstance(event, CollectionEndEvent):
            done = parents.pop()
            parents[-1].reaches = max(parents[-1].reaches, done.reaches)
            if done.anchor is not None:
                sizes[done.anchor] = count - done.before, done.reaches - len(parents) + 1


def _aliased(
    anchor: str, sizes: Mapping[str, tuple[int, int]], parents: Iterable[_Open]
) -> tuple[int, int]:
    if any(one.anchor == anchor for one in parents):
        raise ParseError(f"has an alias, *{anchor}, that refers to what holds it")
    return sizes.get(anchor, (1, 0))


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError(f"{repeated(name for name, _ in pairs)[0]!r} stands there twice")
    return values


def _check_values(values: Any) -> None:
    """Refuse values that are nested too deeply, and those that can't be written or printed."""
    level = [values]
    for _ in range(MAX_DEPTH):
        level = [one for value in level for one in _inside(value)]
        if not level:
            return
    if any(isinstance(value, dict | list | tuple | set) for value in level):
        raise _too_deep()
    for value in level:
        _check_value(value)


def _inside(value: Any) -> Iterable[Any]:
    """Return what a value holds; check one that holds nothing."""
    if isinstance(value, dict):
        return (*value, *value.values())
    if isinstance(value, list | tuple | set):
        return value
    _check_value(value)
    return ()


def _check_value(value: Any) -> None:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ParseError("holds a whole number of more than 300 digits")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ParseError("holds half of a character (a lone surrogate)") from None
