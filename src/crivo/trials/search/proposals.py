"""The next point of a search, by Optuna: a function of the seed and of what was told before.

What a trial is proposed from is what was told when it could first be proposed: all but the last
`window` - 1 trials before it. So it depends on no clock, and a search that was killed proposes the
same again.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from crivo.records.searches import KeptSearch, SearchTrial
from crivo.trials.search.dimensions import Dimension, listed, rounded
from crivo.trials.search.space import Space, Values

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.samplers import BaseSampler


def propose(
    search: KeptSearch,
    space: Space,
    untold: Sequence[Values],
    goodness: Callable[[float], float],
) -> Values:
    """Return the point after those of a search that were told and those still to be told.

    `goodness`: of a value of the primary metric, the greater the better.
    """
    number = len(search.trials) + len(untold)
    known: Sequence[SearchTrial] = []
    running: list[Values] = []
    if search.sampler == "tpe":  # others don't learn
        known = search.trials[: max(number - search.window + 1, 0)]
        running = [*(dict(one.values) for one in search.trials[len(known) :]), *untold]
    place = f"{search.seed} {number}"
    with _quiet():
        study = _study(space, known, running, goodness)
        study.sampler = _sampler(search.sampler, place)
        trial = study.ask()

        def suggest(key: str, dimension: Dimension) -> Any:
            # A generator of its own for each value that isn't drawn together with others.
            study.sampler = _sampler(search.sampler, f"{place} {key}")
            return rounded(_suggested(trial, key, dimension), dimension)

        return space.draw(suggest)


def _suggested(trial: Trial, key: str, dimension: Dimension) -> Any:
    if (choices := listed(dimension)) is not None:
        return trial.suggest_categorical(key, choices)
    low, high, log = dimension.low, dimension.high, dimension.log
    if isinstance(low, int):
        return trial.suggest_int(key, low, high, step=dimension.step, log=log)
    return trial.suggest_float(key, low, high, log=log)


def _study(
    space: Space,
    known: Sequence[SearchTrial],
    running: Sequence[Values],
    goodness: Callable[[float], float],
) -> Study:
    """Return a study that holds the trials before, in their order."""
    import optuna
    from optuna.trial import TrialState, create_trial

    def add(values: Mapping[str, Any], state: TrialState, value: float | None = None) -> None:
        own = {key: space.dimensions[key] for key in values}
        study.add_trial(
            create_trial(params=dict(values), distributions=own, state=state, value=value)
        )

    study = optuna.create_study(direction="maximize")
    for one in known:
        if one.value is None:
            add(one.values, TrialState.FAIL)
        else:
            add(one.values, TrialState.COMPLETE, goodness(one.value))
    for values in running:
        add(values, TrialState.RUNNING)
    return study


def _sampler(name: str, place: str) -> BaseSampler:
    from optuna.samplers import RandomSampler, TPESampler

    seed = int.from_bytes(hashlib.blake2b(place.encode(), digest_size=4).digest())
    if name == "tpe":
        # What still runs counts as bad, so that the same isn't proposed again meanwhile.
        return TPESampler(seed=seed, constant_liar=True)
    return RandomSampler(seed=seed)


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out what Optuna says of itself: of its interfaces, and of how it draws values."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        yield
