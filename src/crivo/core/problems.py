"""Error messages about settings: the key, its value, what is allowed, and a similar known name."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from crivo.core.errors import CrivoError
from crivo.core.text_guard import escape_control

# pydantic's errors for a section that isn't a mapping.
NO_SECTION = ("dict_type", "model_type")
EMPTY = "this section is empty; write its settings below it, or `{}` if it needs none"
# A setting may be a list of thousands.
MAX_VALUE_LENGTH = 200


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a setting: the key, and what is wrong and allowed."""

    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.key}: {self.message}"


@dataclass
class Problems(CrivoError):
    """Everything wrong with the settings, one sentence each."""

    problems: list[Problem] = field(default_factory=list)

    def __str__(self) -> str:
        return escape_control("\n".join(f"params.yaml: {problem}" for problem in self.problems))


def shown(value: Any) -> str:
    """Return a setting's value for a sentence; a long one is cut.

    >>> shown("a" * 500)[-3:]
    'aa…'
    """
    text = repr(value)
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[:MAX_VALUE_LENGTH]}…"


def did_you_mean(name: str, known: list[str]) -> str:
    """Return "; did you mean `x`?" for the nearest known name, or nothing."""
    near = difflib.get_close_matches(str(name), known, n=1)
    return f"; did you mean `{near[0]}`?" if near else ""


def explain(
    error: ValidationError, section: str, known: Callable[[list[str]], list[str]]
) -> list[Problem]:
    """Return a sentence for each of pydantic's findings: the key, its value, what is allowed.

    `known`: the settings in a part of the section, by the path to it.
    """
    problems = []
    for finding in error.errors():
        path = [str(part) for part in finding["loc"]]
        key = ".".join([section, *path] if section else path)
        if finding["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
            names = known(path[:-1])
            hint, here = did_you_mean(path[-1], names), ", ".join(names) or "none"
            problems.append(Problem(key, f"unknown setting{hint} (settings here: {here})"))
        elif finding["type"] in ("missing", "missing_argument", "missing_keyword_only_argument"):
            problems.append(Problem(key, "this setting is missing; give it a value"))
        elif finding["type"] in NO_SECTION and finding["input"] is None:
            problems.append(Problem(key, EMPTY))
        else:
            message = finding["msg"].removeprefix("Input ").removeprefix("Value error, ")
            problems.append(Problem(key, f"is {shown(finding['input'])}, but it {message}"))
    return problems
