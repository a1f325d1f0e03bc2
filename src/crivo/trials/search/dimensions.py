"""What a setting may be in a search: one of some values, or a number of a range."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, log
from typing import Any, Literal

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_yaml
from crivo.core.problems import did_you_mean, shown

# What is proposed is rounded to so many digits: settings stay readable.
DIGITS = 4
# Each range's name: whether its scale is logarithmic, and whether its numbers are whole.
RANGES = {
    "uniform": (False, False), "log": (True, False), "int": (False, True), "logint": (True, True)
}  # fmt: skip
CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\((.*)\)\s*", re.DOTALL)
FORMS = (
    "values such as 0.01,0.1, or choice(a, b), uniform(low, high), log(low, high), "
    "int(low, high), int(low, high, step) or logint(low, high)"
)

Value = Any


@dataclass(frozen=True)
class Choices:
    """One of some values."""

    values: tuple[Value, ...]

    def ends(self) -> tuple[Value, ...]:
        """The values that must be allowed for all to be."""
        return self.values

    def edge(self, value: Value) -> Literal["lower", "upper"] | None:
        """Say which end of the values one is, `lower` or `upper`; None for none of them."""
        numbers = [one for one in self.values if _is_number(one)]
        if len(numbers) < max(len(self.values), 3) or not _is_number(value):
            return None
        return "lower" if value <= min(numbers) else "upper" if value >= max(numbers) else None

    def __str__(self) -> str:
        """The values as they are written."""
        return ",".join(map(written, self.values))


@dataclass(frozen=True)
class Numbers:
    """A number of a range, both ends included; `whole`: by steps of `step`."""

    low: float
    high: float
    logarithmic: bool = False
    whole: bool = False
    step: int = 1

    def ends(self) -> tuple[Value, ...]:
        """The values that must be allowed for all to be."""
        return (self.low, self.high)

    def rounded(self, value: float) -> Value:
        """Return what a proposed number means: few digits, and inside of the range."""
        if self.whole:
            return int(value)
        return min(max(float(f"{value:.{DIGITS}g}"), self.low), self.high)

    def edge(self, value: Value) -> Literal["lower", "upper"] | None:
        """Say at which end of the range a value lies, in its outer 5 %; None for neither."""
        # By steps, the last value may be less than the end.
        high = (
            self.low + (self.high - self.low) // self.step * self.step if self.whole else self.high
        )
        if not _is_number(value) or self.low == high:
            return None
        scale: Callable[[float], float] = log if self.logarithmic else float
        place = (scale(value) - scale(self.low)) / (scale(high) - scale(self.low))
        return "lower" if place <= 0.05 else "upper" if place >= 0.95 else None

    def whole_values(self) -> tuple[int, ...] | None:
        """All values, for a range of whole numbers that isn't logarithmic."""
        if not self.whole or self.logarithmic:
            return None
        return tuple(range(int(self.low), int(self.high) + 1, self.step))

    def spread(self, count: int = 5) -> tuple[Value, ...]:
        """Return some values at equal distances, on the range's own scale."""
        parts = [place / (count - 1) for place in range(count)]
        if self.logarithmic:
            values = [self.low * (self.high / self.low) ** part for part in parts]
        else:
            values = [self.low + (self.high - self.low) * part for part in parts]
        rounded = [round(one) if self.whole else self.rounded(one) for one in values]
        return tuple(dict.fromkeys(rounded))

    def __str__(self) -> str:
        """The range as it is written."""
        name = next(name for name, kind in RANGES.items() if kind == (self.logarithmic, self.whole))
        step = f", {self.step}" if self.step != 1 else ""
        return f"{name}({_short(self.low)}, {_short(self.high)}{step})"


Dimension = Choices | Numbers


def _short(value: float) -> str:
    """Return a number as people write it, with all its digits."""
    short = f"{value:g}"
    return short if isinstance(value, float) and float(short) == value else repr(value)


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def written(value: Value) -> str:
    """Return a value as one types it in a list of values, and as DVC takes it.

    >>> written(0.1), written(None), written("sklearn.svm.SVC"), written("a, b")
    ('0.1', 'null', 'sklearn.svm.SVC', '"a, b"')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        plain = re.fullmatch(r"[A-Za-z_][\w./+-]*", value) and _as_yaml(value, "") == value
        return value if plain else f'"{value}"'
    return repr(value)


def parse_dimension(key: str, given: Value) -> Dimension:
    """Return what a key may be, from a text or from what `params.yaml` says.

    CrivoError: one sentence says what is wrong with it.

    >>> parse_dimension("a", "1,2")
    Choices(values=(1, 2))
    >>> str(parse_dimension("a", "log(0.01, 1)"))
    'log(0.01, 1)'
    """
    if isinstance(given, list | tuple):
        return _choices(key, given)
    call = CALL.fullmatch(given) if isinstance(given, str) else None
    if call is None:
        return _choices(key, _listed(key, given) if isinstance(given, str) else [given])
    name, arguments = call[1], _listed(key, call[2])
    if name == "choice":
        return _choices(key, arguments)
    if name not in RANGES:
        hint = did_you_mean(name, ["choice", *RANGES])
        raise CrivoError(
            f"search: {key} is {shown(given)}, and {name} is unknown{hint}; expected {FORMS}."
        )
    return _range(key, given, arguments, *RANGES[name])


def _listed(key: str, text: str) -> list[Value]:
    values = _as_yaml(f"[{text}]", key)
    if not isinstance(values, list):
        raise CrivoError(f"search: {key} is {shown(text)}; expected {FORMS}.")
    return values


def _as_yaml(text: str, key: str) -> Value:
    try:
        return parse_yaml(text)
    except ParseError:
        if not key:
            return None
        raise CrivoError(f"search: {key} is {shown(text[1:-1])}; expected {FORMS}.") from None


def _choices(key: str, values: Sequence[Value]) -> Choices:
    if not values:
        raise CrivoError(f"search: {key} has no values; expected {FORMS}.")
    for value in values:
        plain = value is None or isinstance(value, bool | int | float | str)
        if not plain or (isinstance(value, float) and not isfinite(value)):
            raise CrivoError(
                f"search: {key} has the value {shown(value)}; expected single numbers, texts, "
                "true, false or null."
            )
        if isinstance(value, str) and re.search(r"[\"'\\\n]", value):
            raise CrivoError(
                f"search: {key} has the value {shown(value)}; a text that is searched has no "
                "quotes, backslashes or line ends."
            )
    distinct = {(type(value), value): value for value in values}
    return Choices(tuple(distinct.values()))


def _range(
    key: str, given: str, arguments: Sequence[Value], logarithmic: bool, whole: bool
) -> Numbers:
    steps = whole and not logarithmic and len(arguments) == 3
    kinds = int if whole else int | float
    fits = len(arguments) == 2 or steps
    if not fits or not all(isinstance(one, kinds) and _is_number(one) for one in arguments):
        raise CrivoError(f"search: {key} is {given}; expected two {_example(whole, logarithmic)}.")
    low, high, *step = arguments
    if not all(map(isfinite, (low, high))):
        raise CrivoError(f"search: {key} is {given}; the ends of a range must be finite.")
    if not low < high:
        raise CrivoError(
            f"search: {key} is {given}, an empty range; its first number must be less than "
            "its second."
        )
    if logarithmic and low <= 0:
        raise CrivoError(
            f"search: {key} is {given}; a range on the logarithmic scale starts above 0."
        )
    if step and step[0] < 1:
        raise CrivoError(f"search: {key} is {given}; its step must be 1 or more.")
    low, high = (low, high) if whole else (float(low), float(high))
    return Numbers(low, high, logarithmic, whole, step[0] if step else 1)


def _example(whole: bool, logarithmic: bool) -> str:
    """Return what a range takes, and how it is written."""
    if not whole:
        return f"numbers, as in {'log(0.01, 0.3)' if logarithmic else 'uniform(0.2, 0.8)'}"
    if logarithmic:
        return "whole numbers, as in logint(8, 64)"
    return "whole numbers, and their step if it isn't 1, as in int(2, 12) or int(10, 100, 10)"
