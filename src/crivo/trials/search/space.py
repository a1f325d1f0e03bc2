"""The space of a search: what each setting may be, by Optuna's distributions, and its points."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import islice, product
from math import isfinite
from typing import Any

from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.params import COMMAND_SECTIONS, check_params
from crivo.core.parsing import ParseError, parse_yaml
from crivo.core.problems import Problems, shown
from crivo.records.settings import is_used
from crivo.repository.lock import flat
from crivo.repository.overrides import unknown_setting

Values = dict[str, Any]
# One of Optuna's distributions: categorical, of floats or of integers. Optuna itself is imported
# when a space is read.
Dimension = Any

# What is proposed is rounded to so many digits: settings stay readable.
DIGITS = 4
# More points than anybody runs.
MOST_POINTS = 100_000
RANGES = ("uniform", "log", "int", "logint")
CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\((.*)\)\s*", re.DOTALL)
FORMS = (
    "values such as 0.01,0.1 or choice(a, b): numbers, true, false, null or text without quotes; "
    "or a range, the smaller end first: uniform(0.2, 0.8), int(2, 12), int(10, 100, 10) with a "
    "step, or, above 0, log(0.01, 0.3) or logint(8, 64)"
)

_OTHER_ROWS = "it decides which rows are evaluated or how, so its trials couldn't be compared"
_NO_STAGE = "no stage reads it"
# What isn't searched, by its key or the first part of it, and why.
NOT_SEARCHED = {
    **dict.fromkeys(("dataset", "splitter", "splitters", "evaluator", "evaluators", "evaluate",
                     "prepare"), _OTHER_ROWS),
    **dict.fromkeys(COMMAND_SECTIONS, _NO_STAGE),
    "baseline": "every model is compared with it",
    "train.fraction": "a model fitted on part of the training rows isn't a trial; `crivo repeat "
                      "REV --fractions F` shows the effect of fractions",
    "seed": "the best seed is luck; `crivo repeat REV --seeds N` shows the effect of seeds",
}  # fmt: skip


@dataclass(frozen=True)
class Space:
    """Which settings vary, by their keys: the choices of blocks first, the others as given.

    `base`: all settings of the workspace; `texts`: the dimensions as they are written.
    """

    dimensions: Mapping[str, Dimension]
    base: Mapping[str, Any]
    texts: Mapping[str, str] = field(default_factory=dict)

    def draw(self, suggest: Callable[[Mapping[str, Dimension]], Values]) -> Values:
        """Return a point: blocks, then a value for each setting that is read with them."""
        blocks = suggest({key: one for key, one in self.dimensions.items() if key in KINDS})
        return blocks | suggest({key: self.dimensions[key] for key in self.read_with(blocks)})

    def read_with(self, blocks: Mapping[str, Any]) -> list[str]:
        """Return the keys, beside choices of blocks, that are read with these blocks.

        One that the baseline's model alone reads isn't among them.
        """
        settings = {**self.base, **blocks}
        settings["baseline"] = settings.get("model")
        return [key for key in self.dimensions if key not in KINDS and is_used(key, settings)]

    def holds(self, values: Mapping[str, Any], result: float | None) -> bool:
        """Whether a trial is one of its points with a number, and not from a damaged record."""
        from optuna.trial import TrialState, create_trial

        try:
            point = self.draw(lambda asked: {key: values[key] for key in asked})
            own = {key: self.dimensions[key] for key in point}
            create_trial(state=TrialState.RUNNING, params=point, distributions=own)
        except (KeyError, TypeError, ValueError):
            return False
        return point == values and (result is None or isfinite(result))

    def settings(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return all settings with these values."""
        settings = deepcopy(dict(self.base))
        for key, value in values.items():
            *sections, name = key.split(".")
            place = settings
            for section in sections:
                place = place[section]
            place[name] = value
        return settings

    def points(self) -> list[Values]:
        """Return the grid: every combination of values, the last key varying fastest.

        CrivoError: a range has no list of values, or there are too many.
        """
        grid = (
            blocks | rest
            for blocks in self.blocks()
            for rest in self._combinations(self.read_with(blocks))
        )
        found = list(islice(grid, MOST_POINTS + 1))
        if len(found) > MOST_POINTS:
            raise CrivoError(
                f"search: the grid has more than {MOST_POINTS:,} points; remove some values, or "
                "let --sampler random or tpe choose."
            )
        return found

    def blocks(self) -> Iterator[Values]:
        """Yield every choice of blocks."""
        return self._combinations(key for key in self.dimensions if key in KINDS)

    def _combinations(self, keys: Iterable[str]) -> Iterator[Values]:
        names = list(keys)
        for point in product(*map(self._every_value, names)):
            yield dict(zip(names, point, strict=True))

    def _every_value(self, key: str) -> Sequence[Any]:
        one = self.dimensions[key]
        if (choices := listed(one)) is not None:
            return choices
        if one.log or isinstance(one.low, float):
            raise CrivoError(
                f"search: {key} is {self.texts[key]}, but a grid takes listed values; for example, "
                f"write {key}={written(one.low)},{written(one.high)}, or let --sampler random or "
                "tpe choose."
            )
        return range(one.low, one.high + 1, one.step)


def read_space(base: Mapping[str, Any], given: Sequence[str] = ()) -> Space:
    """Return the space that `params.yaml` or the command line says, checked.

    `given`: `key=what it may be`; without any, the section `search` of the settings is taken.
    CrivoError: one sentence for the first thing that is wrong.
    """
    check_params(dict(base))
    wanted = _pairs(given) if given else flat(base.get("search") or {})
    if not wanted:
        raise CrivoError(
            "There is no space to search: write what may vary below `search:` in params.yaml, or "
            "name it, as in `crivo search 'models.boosting.learning_rate=log(0.01, 0.3)'`."
        )
    for key in wanted:
        _require_known(key, base)
    order = sorted(wanted, key=lambda key: key not in KINDS)
    dimensions = {key: parse_dimension(key, wanted[key]) for key in order}
    texts = {key: as_text(wanted[key], one) for key, one in dimensions.items()}
    space = Space(dimensions, base, texts)
    _check_values(space)
    return space


def _pairs(given: Sequence[str]) -> dict[str, str]:
    wanted: dict[str, str] = {}
    for text in given:
        key, _, value = map(str.strip, text.partition("="))
        if not (key and value) or key in wanted:
            raise CrivoError(
                f"{text!r} {'is given twice' if key in wanted else 'gives no values'}; expected "
                "key=values, each key once, as in model=boosting,forest or "
                "'models.boosting.learning_rate=log(0.01, 0.3)'."
            )
        wanted[key] = value
    return wanted


def _require_known(key: str, base: Mapping[str, Any]) -> None:
    first = key.partition(".")[0]
    if why := NOT_SEARCHED.get(first) or NOT_SEARCHED.get(key):
        raise CrivoError(f"search: {key} can't be searched: {why}.")
    known = [one for one in flat(base) if one.partition(".")[0] not in NOT_SEARCHED]
    if key in known:
        return
    if any(one.startswith(f"{key}.") for one in known):
        raise CrivoError(f"search: {key}: it is a section, not a setting.")
    raise CrivoError(f"search: {unknown_setting(key, known)}")


def _check_values(space: Space) -> None:
    """Raise CrivoError for a value that a setting doesn't allow, or a key that is never read."""
    combinations = [*space.blocks()]
    for chosen in combinations:
        _require_allowed(space, chosen, next(iter(chosen), ""))
    for key, dimension in space.dimensions.items():
        if key in KINDS:
            continue
        blocks = next((one for one in combinations if key in space.read_with(one)), None)
        if blocks is None:
            raise CrivoError(
                f"search: no chosen block reads {key}; choose its block "
                f"too, as in model={key.split('.')[1]}."
            )
        # A range is allowed if its ends are.
        for value in listed(dimension) or (dimension.low, dimension.high):
            _require_allowed(space, {**blocks, key: value}, key)


def _require_allowed(space: Space, values: Values, key: str) -> None:
    try:
        check_params(space.settings(values))
    except Problems as error:
        wrong = min(error.by_key, key=lambda one: not one.startswith(key))
        raise CrivoError(f"search: {wrong}: {error.by_key[wrong]}.") from None


def parse_dimension(key: str, given: Any) -> Dimension:
    """Return what a key may be, from a text or from what `params.yaml` says; CrivoError for none.

    >>> parse_dimension("a", "1, 1.0, true, null")
    CategoricalDistribution(choices=(1, 1.0, True, None))
    >>> [parse_dimension("a", one).choices for one in ("b", [1, "b"], 5, "choice(0.1, 1)")]
    [('b',), (1, 'b'), (5,), (0.1, 1)]
    >>> parse_dimension("a", "uniform(0, 1)")
    FloatDistribution(high=1.0, log=False, low=0.0, step=None)
    >>> parse_dimension("a", "log(1e-5, 0.3)")
    FloatDistribution(high=0.3, log=True, low=1e-05, step=None)
    >>> parse_dimension("a", "logint(5, 100)")
    IntDistribution(high=100, log=True, low=5, step=1)
    >>> parse_dimension("a", "int( 2 ,10, 3 )")
    IntDistribution(high=8, log=False, low=2, step=3)
    """
    call = CALL.fullmatch(given) if isinstance(given, str) else None
    name = call[1] if call else "choice"
    if isinstance(given, str):
        arguments = _values(call[2] if call else given)
    else:
        arguments = list(given) if isinstance(given, list | tuple) else [given]
    found = _choices(arguments) if name == "choice" else _range(name, arguments)
    if found is None:
        raise CrivoError(f"search: {key} is {shown(given)}; expected {FORMS}.")
    return found


def _values(text: str) -> list[Any]:
    """Return the values that a text lists; none where it doesn't."""
    try:
        values: list[Any] = parse_yaml(f"[{text}]")
    except ParseError:
        return []
    return values


def _choices(values: Sequence[Any]) -> Dimension | None:
    from optuna.distributions import CategoricalDistribution

    distinct = dict[Any, Any]()
    for value in values:
        plain = value is None or isinstance(value, bool | int | str) or _is_finite(value)
        if not plain or (isinstance(value, str) and re.search(r"[\"'\\\n]", value)):
            return None
        distinct[type(value), value] = value
    return CategoricalDistribution(tuple(distinct.values())) if distinct else None


def _range(name: str, arguments: Sequence[Any]) -> Dimension | None:
    """Return the range that a name and numbers mean; None if there is none such."""
    from optuna.distributions import FloatDistribution, IntDistribution

    whole, logarithmic = "int" in name, "log" in name
    if not all(_is_finite(one) and (isinstance(one, int) or not whole) for one in arguments):
        return None
    counts = (2, 3) if name == "int" else (2,)
    if name not in RANGES or len(arguments) not in counts or arguments[0] >= arguments[1]:
        return None
    try:
        kind = IntDistribution if whole else FloatDistribution
        low, high, *step = arguments
        # By steps, the last value may be less than the end.
        high -= (high - low) % step[0] if step else 0
        return kind(low, high, logarithmic, *step)
    except (ValueError, ZeroDivisionError):
        return None


def _is_finite(value: Any) -> bool:
    """Whether a value is a number, and neither true nor infinite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def as_text(given: Any, dimension: Dimension) -> str:
    """Return what a key may be as one writes it: a range as it was given, or the values.

    >>> [as_text(one, parse_dimension("a", one)) for one in (" int(2, 8)", "choice( 1,b)", [0.1])]
    ['int(2, 8)', '1,b', '0.1']
    """
    choices = listed(dimension)
    return str(given).strip() if choices is None else ",".join(map(written, choices))


def changes_of(values: Mapping[str, Any]) -> list[str]:
    """Return values as `key=value`, as `dvc exp run -S` takes them."""
    return [f"{key}={written(value)}" for key, value in values.items()]


def written(value: Any) -> str:
    """Return a value as one types it in a list of values, and as DVC takes it.

    >>> written(0.1), written(None), written(True), written("sklearn.svm.SVC")
    ('0.1', 'null', 'true', 'sklearn.svm.SVC')
    >>> written("a, b"), written("true")
    ('"a, b"', '"true"')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        plain = re.fullmatch(r"[A-Za-z_][\w./+-]*", value) and parse_yaml(value) == value
        return value if plain else f'"{value}"'
    return repr(value)


def listed(dimension: Dimension) -> tuple[Any, ...] | None:
    """Return the values that were listed; None for a range."""
    return getattr(dimension, "choices", None)


def rounded(value: Any, dimension: Dimension) -> Any:
    """Return what a proposed value means: few digits, and inside of the range.

    >>> dimension = parse_dimension("a", "uniform(0.12342, 1)")
    >>> rounded(0.12342, dimension), rounded(0.98765, dimension)
    (0.12342, 0.9877)
    """
    if listed(dimension) is not None or isinstance(value, int):
        return value
    return min(max(float(f"{value:.{DIGITS}g}"), dimension.low), dimension.high)
