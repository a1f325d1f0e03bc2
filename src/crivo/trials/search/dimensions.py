"""Parses the values of a setting in a search (a list or a range) into Optuna's distributions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite, log
from typing import Any, Literal

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_yaml
from crivo.core.problems import did_you_mean, shown

# What is proposed is rounded to so many digits: settings stay readable.
DIGITS = 4
# What a range takes.
RANGES = {
    "uniform": "two numbers, the smaller one first, as in uniform(0.2, 0.8)",
    "log": "two numbers above 0, the smaller one first, as in log(0.01, 0.3)",
    "int": "two whole numbers, the smaller one first, and their step if it isn't 1, as in "
    "int(2, 12) or int(10, 100, 10)",
    "logint": "two whole numbers above 0, the smaller one first, as in logint(8, 64)",
}
CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\((.*)\)\s*", re.DOTALL)
FORMS = (
    "values such as 0.01,0.1, or choice(a, b), uniform(low, high), log(low, high), "
    "int(low, high), int(low, high, step) or logint(low, high)"
)

Value = Any
# One of Optuna's distributions: categorical, of floats or of integers. Optuna itself is imported
# when a space is read.
Dimension = Any
Dimensions = Mapping[str, Dimension]


def parse_dimension(key: str, given: Value) -> Dimension:
    """Return what a key may be, from a text or from what `params.yaml` says.

    CrivoError: one sentence says what is wrong with it.

    >>> parse_dimension("a", "1,2")
    CategoricalDistribution(choices=(1, 2))
    >>> parse_dimension("a", "log(0.01, 1)")
    FloatDistribution(high=1.0, log=True, low=0.01, step=None)
    """
    call = CALL.fullmatch(given) if isinstance(given, str) else None
    name = call[1] if call else "choice"
    if isinstance(given, str):
        arguments = _values(key, call[2] if call else given)
    else:
        arguments = list(given) if isinstance(given, list | tuple) else [given]
    if name == "choice":
        return _choices(key, arguments)
    if name not in RANGES:
        hint = did_you_mean(name, ["choice", *RANGES])
        raise CrivoError(
            f"search: {key} is {shown(given)}, and {name} is unknown{hint}; expected {FORMS}."
        )
    found = _range(name, arguments)
    if found is None:
        raise CrivoError(f"search: {key} is {given}; expected {RANGES[name]}.")
    return found


def _values(key: str, text: str) -> list[Value]:
    try:
        values = parse_yaml(f"[{text}]")
    except ParseError:
        values = None
    if not isinstance(values, list):
        raise CrivoError(f"search: {key} is {shown(text)}; expected {FORMS}.")
    return values


def _choices(key: str, values: Sequence[Value]) -> Dimension:
    from optuna.distributions import CategoricalDistribution

    if not values:
        raise CrivoError(f"search: {key} has no values; expected {FORMS}.")
    for value in values:
        plain = value is None or isinstance(value, bool | int | str) or is_finite(value)
        if not plain or (isinstance(value, str) and re.search(r"[\"'\\\n]", value)):
            raise CrivoError(
                f"search: {key} has the value {shown(value)}; expected single numbers, true, "
                "false, null, or texts without quotes, backslashes and line ends."
            )
    distinct = {(type(value), value): value for value in values}
    return CategoricalDistribution(tuple(distinct.values()))


def _range(name: str, arguments: Sequence[Value]) -> Dimension | None:
    """Return the range that a name and numbers mean; None for numbers that it doesn't take."""
    from optuna.distributions import FloatDistribution, IntDistribution

    whole, logarithmic = "int" in name, "log" in name
    if not all(is_finite(one) and (isinstance(one, int) or not whole) for one in arguments):
        return None
    if len(arguments) not in ((2, 3) if name == "int" else (2,)) or arguments[0] >= arguments[1]:
        return None
    try:
        kind = IntDistribution if whole else FloatDistribution
        low, high, *step = arguments
        # By steps, the last value may be less than the end.
        high -= (high - low) % step[0] if step else 0
        return kind(low, high, logarithmic, *step)
    except (ValueError, ZeroDivisionError):
        return None


def is_finite(value: Value) -> bool:
    """Whether a value is a number, and neither true nor infinite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def as_text(given: Value, dimension: Dimension) -> str:
    """Return what a key may be as one writes it: a range as it was given, or the values."""
    choices = listed(dimension)
    return str(given).strip() if choices is None else ",".join(map(written, choices))


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
        plain = re.fullmatch(r"[A-Za-z_][\w./+-]*", value) and parse_yaml(value) == value
        return value if plain else f'"{value}"'
    return repr(value)


def listed(dimension: Dimension) -> tuple[Value, ...] | None:
    """Return the values that were listed; None for a range."""
    return getattr(dimension, "choices", None)


def bounds(dimension: Dimension) -> tuple[Value, ...]:
    """Return the values that must be allowed for all to be."""
    choices = listed(dimension)
    return (dimension.low, dimension.high) if choices is None else choices


def is_inside(dimension: Dimension, value: Value) -> bool:
    """Whether a dimension has a value."""
    if (choices := listed(dimension)) is not None:
        return value in choices
    whole = isinstance(value, int) or not isinstance(dimension.low, int)
    return is_finite(value) and whole and bool(dimension.low <= value <= dimension.high)


def rounded(value: Value, dimension: Dimension) -> Value:
    """Return what a proposed value means: few digits, and inside of the range."""
    if listed(dimension) is not None or isinstance(value, int):
        return value
    return min(max(float(f"{value:.{DIGITS}g}"), dimension.low), dimension.high)


def end_of(dimension: Dimension, value: Value) -> Literal["lower", "upper"] | None:
    """Say at which end of a range a value lies, in its outer 5 %, or of three or more numbers."""
    ends, choices = bounds(dimension), listed(dimension)
    if choices is not None and len(choices) < 3:
        return None
    if not all(map(is_finite, (*ends, value))) or min(ends) == max(ends):
        return None
    reach = 0.05 if choices is None else 0.0
    scale = log if choices is None and dimension.log else float
    low, high = scale(min(ends)), scale(max(ends))
    place = (scale(value) - low) / (high - low)
    return "lower" if place <= reach else "upper" if place >= 1 - reach else None
