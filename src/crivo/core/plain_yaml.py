"""Reads YAML in the plain block form that DVC and we write, many times faster than a parser of all.

What isn't surely in that form is left to the parser: `plain_yaml` then returns `NOT_PLAIN`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

NOT_PLAIN = object()

# Spaces; a dash of an item, or none; a key, or none; a value, or none.
LINE = re.compile(
    r"( *)(- )?(?:([A-Za-z_][A-Za-z0-9_./-]*(?: [A-Za-z0-9_][A-Za-z0-9_./-]*)*):)?"
    r"(?:(?: |(?<!:))([^\s:#'\"][^:#'\"]*|'[^'\\\n]*'))? *",
    re.ASCII,
)
PRINTABLE = re.compile("[\n\x20-\x7e\u00a1-\u2027\u202a-\ud7ff]*")
SKIPPED = re.compile(r" *(#.*)?")
# A text for sure: a path, a command, a hash, a name; no number, no date, no word of YAML's own.
LETTERS = "A-Za-z_/£¥\u00c0-\u024f\u20a0-\u20bf"  # with signs of currencies
TEXT = re.compile(rf"[{LETTERS}][{LETTERS}0-9.+=@%,;(){{}}$ -]*")
HASH = re.compile(r"(?=[0-9a-f]*[abcdf])[0-9a-f]{32}(\.dir)?", re.ASCII)
WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})", re.ASCII)
BROKEN = re.compile(r"-?(0|[1-9][0-9]{0,14})\.[0-9]{1,15}", re.ASCII)
WORDS = {"true": True, "false": False, "null": None}
EMPTY = {"[]": list, "{}": dict}
# Words that YAML reads otherwise than as text, in any spelling.
OWN = frozenset({*WORDS, "yes", "no", "on", "off", "inf", "nan"})
MAX_DEPTH = 30
MAX_LINES = 20_000


class _NotPlain(Exception):
    """The text isn't surely in the plain form."""


class _Line(NamedTuple):
    """A line: where its item or key begins, whether it is an item, its key, its value."""

    indent: int
    item: bool
    key: str | None
    value: str | None


def plain_yaml(text: str) -> Any:
    """Return what a YAML text in plain block form holds; NOT_PLAIN where it may be in another.

    >>> plain_yaml("a:\\n  b: 1\\n  c:\\n  - x/y\\n  - 2.5\\n")
    {'a': {'b': 1, 'c': ['x/y', 2.5]}}
    >>> plain_yaml("a: [1, 2]") is NOT_PLAIN
    True
    """
    lines = text.split("\n")
    if len(lines) > MAX_LINES or not PRINTABLE.fullmatch(text):
        return NOT_PLAIN
    try:
        return _Reader([one for line in lines if (one := _line(line)) is not None]).whole()
    except _NotPlain:
        return NOT_PLAIN


# Files of many experiments have most of their lines in common.
@lru_cache(maxsize=4096)
def _line(text: str) -> _Line | None:
    """Return what a line says; None for one that says nothing."""
    if SKIPPED.fullmatch(text):
        return None
    match = LINE.fullmatch(text)
    if match is None:
        raise _NotPlain
    spaces, dash, key, value = match.groups()
    if not (dash or key):
        raise _NotPlain
    if key is not None and key.lower() in OWN:
        raise _NotPlain
    return _Line(len(spaces), dash is not None, key, value)


class _Reader:
    """Reads lines one after the other."""

    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self._place = 0

    def whole(self) -> Any:
        """Return what all lines hold."""
        if not self._lines or self._lines[0].indent:
            raise _NotPlain
        value = self._block(0, 0)
        if self._place < len(self._lines):
            raise _NotPlain
        return value

    def _block(self, indent: int, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise _NotPlain
        items = self._lines[self._place].item
        return self._list(indent, depth) if items else self._mapping(indent, depth)

    def _list(self, indent: int, depth: int) -> list[Any]:
        values = []
        while (line := self._next(indent)) is not None and line.item:
            if line.key is None:
                self._place += 1
                if line.value is None:
                    raise _NotPlain
                values.append(_value(line.value))
                continue
            # An item that is a mapping: its first key stands behind the dash.
            self._lines[self._place] = line._replace(indent=indent + 2, item=False)
            values.append(self._mapping(indent + 2, depth + 1))
        return values

    def _mapping(self, indent: int, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        while (line := self._next(indent)) is not None and not line.item:
            if line.key is None or line.key in values:
                raise _NotPlain
            self._place += 1
            values[line.key] = self._inside(line, depth)
        return values

    def _inside(self, line: _Line, depth: int) -> Any:
        """Return a key's value: beside it, or in the lines below."""
        below = self._lines[self._place] if self._place < len(self._lines) else None
        deeper = below is not None and below.indent > line.indent
        if line.value is not None:
            if deeper:
                raise _NotPlain
            return _value(line.value)
        if below is not None and (deeper or (below.item and below.indent == line.indent)):
            return self._block(below.indent, depth + 1)
        return None

    def _next(self, indent: int) -> _Line | None:
        """Return the next line if it belongs to the block of this indent."""
        if self._place == len(self._lines):
            return None
        line = self._lines[self._place]
        if line.indent > indent:
            raise _NotPlain
        return line if line.indent == indent else None


def _value(text: str) -> Any:
    text = text.rstrip(" ")
    if text in EMPTY:
        return EMPTY[text]()
    return _scalar(text)


@lru_cache(maxsize=4096)
def _scalar(text: str) -> Any:
    if text.startswith("'"):
        return text[1:-1]
    if HASH.fullmatch(text):
        return text
    if text in WORDS:
        return WORDS[text]
    if TEXT.fullmatch(text) and text.lower() not in OWN and not text.endswith("-"):
        return text
    if WHOLE.fullmatch(text) and text != "-0":
        return int(text)
    if BROKEN.fullmatch(text):
        return float(text)
    raise _NotPlain
