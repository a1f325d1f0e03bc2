"""Runs the checks of a contract suite on a block, and says which ones fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass
from inspect import getdoc, isfunction
from textwrap import shorten
from typing import Any
from unittest import SkipTest

from crivo.core.blocks import Featurizer, Splitter
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema

# Characters of an error that a finding repeats.
MAX_LENGTH = 300


class BrokenPromise(AssertionError):
    """What a check found: one sentence that says what the block did and what to do."""


class ContractError(CrivoError, AssertionError):
    """A block breaks promises of its interface; `checks` names the checks that failed."""

    def __init__(self, subject: str, breaches: Sequence[tuple[str, str]]) -> None:
        self.checks = tuple(check for check, _ in breaches)
        lines = "\n".join(f"- {check}: {finding}" for check, finding in breaches)
        super().__init__(f"{subject} breaks its contract.\n{lines}")


def require_kept(subject: str, *suites: object) -> None:
    """Raise ContractError unless a block keeps every promise of some suites.

    The promises are a suite's methods, those of its base classes first; `_methods` help them. A
    suite that is tried several times has a `where` that says which time it is.
    """
    breaches = [breach for suite in suites for breach in _breaches(suite)]
    if breaches:
        raise ContractError(subject, breaches)


def _breaches(suite: object) -> list[tuple[str, str]]:
    """Return a check with its promise and what happened, for each that fails; one cause once."""
    where = getattr(suite, "where", "")
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for check in _promises(type(suite)):
        try:
            check(suite)
        except Exception as error:  # a block may fail in any way
            text = " ".join(str(error).split())
            if not isinstance(error, BrokenPromise | CrivoError):
                text = f"it raised {type(error).__name__}: {shorten(text, MAX_LENGTH)}"
            own = check.__name__ if isinstance(error, BrokenPromise) else ""
            promised = " ".join((getdoc(check) or "").partition("\n\n")[0].split())
            found.setdefault((own, text), (check.__name__, f"{promised} {where}{text}"))
    return [*found.values()]


def _promises(suite: type) -> Iterator[Callable[..., None]]:
    for cls in reversed(suite.__mro__[:-1]):
        for name, method in vars(cls).items():
            if isfunction(method) and not name.startswith("_"):
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
