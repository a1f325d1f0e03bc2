"""Checks settings; says of a wrong one its key and value, what is allowed, and a similar name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from crivo.core.errors import CrivoError

T = TypeVar("T")

# pydantic's errors for a section that isn't a mapping.
NO_SECTION = ("dict_type", "model_type")
EMPTY = "this section is empty; write its settings below it, or `{}` if it needs none"
# A setting may be a list of thousands.
MAX_VALUE_LENGTH = 200


class Problems(CrivoError):
    """Everything wrong with the settings: by their keys, what is wrong and what is allowed."""

    def __init__(self, by_key: Mapping[str, str]) -> None:
        super().__init__("\n".join(f"params.yaml: {key}: {by_key[key]}" for key in by_key))
        self.by_key = by_key


def shown(value: Any) -> str:
    """Return a setting's value for a sentence; a long one is cut.

    >>> shown("a" * 198)[-2:], shown("a" * 199)[-2:], len(shown("a" * 500))
    ("a'", 'a…', 201)
    """
    text = repr(value)
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[:MAX_VALUE_LENGTH]}…"


def did_you_mean(name: str, known: list[str]) -> str:
    """Return "; did you mean `x`?" for the nearest known name, or nothing."""
    near = difflib.get_close_matches(str(name), known)
    return f"; did you mean `{near[0]}`?" if near else ""


def checked(kind: Callable[..., T], values: Any, section: str = "") -> T:
    """Return the model or the block of a class, made of settings.

    Problems: a sentence for each wrong one, with its key, its value and what is allowed.
    """
    if not isinstance(values, Mapping):
        raise Problems({section: f"is {shown(values)}; expected settings, or {{}} for none"})
    try:
        return kind(**{str(name): value for name, value in values.items()})
    except ValidationError as error:
        start = [section] if section else []
        places = [(".".join(map(str, [*start, *one["loc"]])), one) for one in error.errors()]
        raise Problems({key: _told(one, kind) for key, one in places}) from None


def _told(finding: Any, kind: Any) -> str:
    """Return what one of pydantic's findings says."""
    if finding["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        *path, name = finding["loc"]
        names = _names(kind, path)
        here = ", ".join(names) or "none"
        return f"unknown setting{did_you_mean(name, names)} (settings here: {here})"
    if finding["type"].startswith("missing"):
        return "this setting is missing; give it a value"
    if finding["type"] in NO_SECTION and finding["input"] is None:
        return EMPTY
    message = re.sub(r"^(Value error, |\w+ (?=should ))", "", finding["msg"])
    return f"is {shown(finding['input'])}, but it {message.replace('valid tuple', 'list')}"


def _names(kind: Any, path: Sequence[str | int]) -> list[str]:
    """Return the names of the settings in a section, found by its path from the top."""
    for name in path:
        fields = getattr(kind, "__pydantic_fields__", {})
        # The keys of a dictionary are free; its values have a type.
        kind = fields[name].annotation if name in fields else (get_args(kind) or (None,))[-1]
    return list(getattr(kind, "__pydantic_fields__", {}))
