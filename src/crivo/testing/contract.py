"""Runs a contract suite on a block, and says which promises it breaks; compares tables in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import getdoc, isfunction
from textwrap import shorten
from typing import Any
from unittest import SkipTest

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from crivo.core.blocks import Featurizer, Splitter
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema

# Characters of an error that a finding repeats.
MAX_LENGTH = 300
# Sums of floating-point numbers depend on their order in the last digits.
TOLERANCE = 1e-9


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
            text = where + text
            text = f"{text[:1].upper()}{text[1:]}"
            found.setdefault((own, text), (check.__name__, f"{promised} {text}"))
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
        """The settings have types, so that params.yaml can be checked."""
        cls = type(self.block)
        promise(
            hasattr(cls, "__pydantic_config__"),
            f"{cls.__name__} has no typed settings; put @block above the class.",
        )

    def settings_are_documented(self) -> None:
        """The class has a docstring that says what the block is."""
        text = vars(type(self.block)).get("__doc__") or ""
        generated = text.startswith(f"{type(self.block).__name__}(")
        promise(
            bool(text.strip()) and not generated, "it has no docstring; one sentence is enough."
        )


def require_columns(block: Featurizer | Splitter, schema: Schema) -> None:
    """Skip the test of a block that `needs` columns which other rows have."""
    lacking = sorted(set(block.needs) - {column.name for column in schema.columns})
    if lacking:
        raise SkipTest(f"the block needs {', '.join(lacking)}, which these rows lack")


def promise(holds: object, finding: str) -> None:
    """Raise BrokenPromise with the finding unless it holds."""
    if not holds:
        raise BrokenPromise(finding)


@contextmanager
def unchanged(*tables: pd.DataFrame | pd.Series, doing: str) -> Iterator[None]:
    """Check that the tables are afterwards as they were before."""
    before = [table.copy() for table in tables]
    yield
    for table, copy in zip(tables, before, strict=True):
        require_equal(copy, table, f"{doing} changed the table it was given", exact=True)


def require_equal(
    expected: pd.DataFrame | pd.Series,
    given: pd.DataFrame | pd.Series,
    finding: str,
    advice: str = "",
    *,
    exact: bool = False,
) -> None:
    """Raise BrokenPromise with the finding, what differs, and advice unless two tables are equal.

    Numbers may differ in their last digits unless `exact`.
    """
    change = next(_changes(pd.DataFrame(expected), pd.DataFrame(given), exact), None)
    promise(change is None, f"{finding} ({change}){advice and '; '}{advice}.")


def _changes(expected: pd.DataFrame, given: pd.DataFrame, exact: bool) -> Iterator[str]:
    """Give what tells two tables apart; what follows the first one says nothing."""
    if list(expected) != list(given):
        yield f"columns {list(expected)} became {list(given)}"
    if len(expected) != len(given):
        yield f"{len(expected)} rows became {len(given)}"
    if not expected.index.equals(given.index):
        yield "the index changed"
    for (name, left), (_, right) in zip(expected.items(), given.items(), strict=True):
        if left.dtype != right.dtype:
            yield f"the type of {name} changed from {left.dtype} to {right.dtype}"
        same = (left.astype("object") == right.astype("object")) | (left.isna() & right.isna())
        if is_numeric_dtype(left) and not exact:
            one, other = (column.to_numpy(float, na_value=np.nan) for column in (left, right))
            same |= np.isclose(one, other, rtol=TOLERANCE, atol=TOLERANCE)
        if not same.all():
            first = int(np.argmin(same))
            what = f"{left.iat[first]} became {right.iat[first]}"
            yield f"{name} differs in {(~same).sum()} of {len(same)} rows: {what}"
