"""Runs the checks of a contract suite on a block, and says which ones fail."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass
from textwrap import shorten
from typing import Any
from unittest import SkipTest

from crivo.core.blocks import Featurizer, Splitter
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema

# Characters of an error that a breach repeats.
MAX_LENGTH = 300


class BrokenPromise(AssertionError):
    """What a check found: one sentence that says what the block did and what to do."""


@dataclass(frozen=True)
class Breach:
    """A promise that a block breaks: the check's name, the promise, and what happened."""

    check: str
    promise: str
    finding: str

    def __str__(self) -> str:
        return f"{self.check}: {self.promise} {self.finding}"


class ContractError(CrivoError, AssertionError):
    """A block breaks promises of its interface; `breaches` lists them."""

    def __init__(self, subject: str, breaches: Sequence[Breach]) -> None:
        self.breaches = tuple(breaches)
        lines = "\n".join(f"- {breach}" for breach in breaches)
        super().__init__(f"{subject} breaks its contract.\n{lines}")

    @property
    def checks(self) -> tuple[str, ...]:
        """The names of the checks that failed."""
        return tuple(breach.check for breach in self.breaches)


def require_kept(subject: str, *suites: object) -> None:
    """Raise ContractError unless a block keeps every promise of some suites.

    The promises are a suite's methods, those of its base classes first; `_methods` help them. A
    suite that is tried several times has a `where` that says which time it is.
    """
    breaches = [breach for suite in suites for breach in _breaches(suite)]
    if breaches:
        raise ContractError(subject, breaches)


def _breaches(suite: object) -> list[Breach]:
    """Return a breach for each promise that is broken; one cause of several is told once."""
    where = getattr(suite, "where", "")
    found: dict[tuple[str, str], Breach] = {}
    for check in _promises(type(suite)):
        try:
            check(suite)
        except Exception as error:  # a block may fail in any way
            text = " ".join(str(error).split())
            if not isinstance(error, BrokenPromise | CrivoError):
                text = f"it raised {type(error).__name__}: {shorten(text, MAX_LENGTH)}"
            own = check.__name__ if isinstance(error, BrokenPromise) else ""
            found.setdefault((own, text), Breach(check.__name__, _text(check), f"{where}{text}"))
    return [*found.values()]


def _promises(suite: type) -> Iterator[Callable[..., None]]:
    for cls in reversed(suite.__mro__[:-1]):
        for name, method in vars(cls).items():
            if inspect.isfunction(method) and not name.startswith("_"):
                yield method


@dataclass
class SettingsPromises:
    """A block of any kind."""

    block: Any

    def settings_are_typed(self) -> None:
        """Settings have types, by which params.yaml is checked."""
        cls = type(self.block)
        promise(
            is_dataclass(cls) and hasattr(cls, "__pydantic_config__"),
            f"{cls.__name__} has no typed settings; put @block above the class.",
        )

    def settings_are_documented(self) -> None:
        """The class has a docstring that says what the block is."""
        text = vars(type(self.block)).get("__doc__") or ""
        generated = text.startswith(f"{type(self.block).__name__}(")
        promise(bool(text.strip()) and not generated, "it has none; one sentence is enough.")


def require_columns(block: Featurizer | Splitter, schema: Schema) -> None:
    """Skip the test of a block that `needs` columns which other rows have."""
    lacking = sorted(set(block.needs) - {column.name for column in schema.columns})
    if lacking:
        raise SkipTest(f"made for rows with {', '.join(lacking)}, which these rows lack")


def promise(holds: object, finding: str) -> None:
    """Raise BrokenPromise with the finding unless it holds."""
    if not holds:
        raise BrokenPromise(finding)


def _text(check: Callable[..., None]) -> str:
    """Return a promise in words: the first paragraph of its docstring."""
    text = inspect.getdoc(check) or check.__name__
    return " ".join(text.partition("\n\n")[0].split())
