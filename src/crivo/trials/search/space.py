"""`Space`: the settings that a search varies, with their values given the blocks chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.params import COMMAND_SECTIONS, check_params
from crivo.core.problems import Problems
from crivo.records.settings import is_used
from crivo.repository.lock import flat
from crivo.repository.overrides import unknown_setting
from crivo.trials.search.dimensions import (
    Dimension,
    as_text,
    bounds,
    end_of,
    is_inside,
    listed,
    parse_dimension,
    written,
)

Values = dict[str, Any]

# More points than anybody runs.
MOST_POINTS = 100_000

_OTHER_ROWS = "it decides which rows are evaluated or how, so its trials couldn't be compared"
_NO_STAGE = "no stage reads it"
# What isn't searched, by its key or the first part of it, and why.
NOT_SEARCHED = {
    **dict.fromkeys(("dataset", "splitter", "splitters", "evaluator", "evaluators", "evaluate",
                     "prepare"), _OTHER_ROWS),
    **dict.fromkeys(COMMAND_SECTIONS, _NO_STAGE),
    "baseline": "every model is compared with it",
    "train.fraction": "a model fitted on a part of the training rows isn't a trial; `crivo repeat "
                      "REV --fractions F` shows the effect of the parts",
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
        settings = {**self.base, **blocks}
        return blocks | suggest(
            {
                key: one
                for key, one in self.dimensions.items()
                if key not in KINDS and self.is_read(key, settings)
            }
        )

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether these values are a point of it, and not from a damaged record."""
        with suppress(KeyError):
            point = self.draw(lambda of: {key: values[key] for key in of})
            inside = (is_inside(self.dimensions[key], value) for key, value in point.items())
            return point == values and all(inside)
        return False

    @staticmethod
    def is_read(key: str, settings: Mapping[str, Any]) -> bool:
        """Whether the chosen blocks read a key; one of the baseline's model doesn't count."""
        return is_used(key, {**settings, "baseline": settings.get("model")})

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
            chosen | rest
            for chosen in self.blocks()
            for rest in self._combinations(
                key
                for key in self.dimensions
                if key not in KINDS and self.is_read(key, {**self.base, **chosen})
            )
        )
        found = list(islice(grid, MOST_POINTS + 1))
        if len(found) > MOST_POINTS:
            raise CrivoError(
                f"search: the grid has more than {MOST_POINTS:,} points; take values out, or let "
                "--sampler random or tpe choose."
            )
        return found

    def blocks(self) -> Iterator[Values]:
        """Yield every choice of blocks."""
        return self._combinations(key for key in self.dimensions if key in KINDS)

    def _combinations(self, keys: Iterable[str]) -> Iterator[Values]:
        names = list(keys)
        values = [self._every_value(key) for key in names]
        for point in product(*values):
            yield dict(zip(names, point, strict=True))

    def _every_value(self, key: str) -> Sequence[Any]:
        one = self.dimensions[key]
        if (choices := listed(one)) is not None:
            return choices
        if one.log or isinstance(one.low, float):
            raise CrivoError(
                f"search: {key} is {self.texts[key]}, and a grid takes listed values; write for "
                f"example {key}={written(one.low)},{written(one.high)}, or let --sampler random or "
                "tpe choose."
            )
        return range(one.low, one.high + 1, one.step)


def changes_of(values: Mapping[str, Any]) -> list[str]:
    """Return values as `key=value`, as `dvc exp run -S` takes them."""
    return [f"{key}={written(value)}" for key, value in values.items()]


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
        if not (key and value):
            raise CrivoError(
                f"{text!r} gives no values; expected key=values, as in model=boosting,forest or "
                "'models.boosting.learning_rate=log(0.01, 0.3)'."
            )
        if key in wanted:
            raise CrivoError(
                f"search: {key} is given twice, as {wanted[key]} and as {value}; give it once."
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
        read = [one for one in combinations if space.is_read(key, {**space.base, **one})]
        if not read:
            raise CrivoError(
                f"search: no chosen block reads {key}; choose its block "
                f"too, as in model={key.split('.')[1]}."
            )
        for value in bounds(dimension):
            _require_allowed(space, {**read[0], key: value}, key)


def _require_allowed(space: Space, values: Values, key: str) -> None:
    try:
        check_params(space.settings(values))
    except Problems as error:
        found = [one for one in error.problems if one.key.startswith(key)] or error.problems
        raise CrivoError(f"search: {found[0]}.") from None


def at_edge(space: Space, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each value of a point at an end that the setting allows to move."""
    for key, value in values.items():
        end = end_of(space.dimensions[key], value)
        with suppress(CrivoError):
            if end:
                step = 1 if isinstance(value, int) else abs(value) / 10 or 0.1
                beyond = value - step if end == "lower" else value + step
                check_params(space.settings({**values, key: beyond}))
                what = "range" if "(" in space.texts[key] else "values"
                yield (
                    f"{key}={value} lies at the {end} end of the {what} {space.texts[key]}; better "
                    "settings may lie beyond it."
                )
