"""`crivo search`: begins or resumes a search; proposing and running is in `driver`."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Literal

from crivo.runtime.exit_status import Terminated, sentence

from crivo.comparison.choice import choose, reference_of_trial
from crivo.core.errors import CrivoError, NotRun
from crivo.records.history import History, keep_trials, read_history
from crivo.records.record import Record, require
from crivo.records.searches import KeptSearch, keep
from crivo.repository.progress import one_line
from crivo.trials.engine import Engine, EngineOf, local_engine
from crivo.trials.runs import Known
from crivo.trials.search.driver import Driver
from crivo.trials.search.result import SearchResult, result_of
from crivo.trials.search.space import Space, read_space
from crivo.trials.search.workspace import (
    Trials,
    begun,
    read_settings,
    require_free,
    resumed,
    state_of,
)

# How many trials there are when nothing is said.
TRIALS = 20


@dataclass(frozen=True)
class Options:
    """What may be said of a search.

    `seed`: that of the settings if it isn't said; `trials`: how many in all; `minutes`: after
    which no further trial begins; `workers`: how many run at once, as many as cores.
    """

    sampler: Literal["tpe", "random", "grid"] = "tpe"
    seed: int | None = None
    trials: int | None = None
    minutes: float | None = None
    workers: int | None = None


def search(
    given: Sequence[str] = (),
    options: Options | None = None,
    *,
    name: str | None = None,
    against: str | None = None,
    folder: Path = Path(),
    engine_of: EngineOf = local_engine,
) -> SearchResult:
    """Search a space of settings by trials of the workspace, and compare the best one.

    `given`: the space as `key=what it may be`, or what `search:` in `params.yaml` says. Every
    trial is an experiment; one whose result is known isn't run again. Interrupted, it keeps what
    is finished, and `resume` goes on. CrivoError: something is wrong with what was given.
    """
    options = options or Options()
    history = read_history(folder)
    reference = _reference(history, against)
    settings = read_settings(history)
    space = read_space(settings, given)
    if options.sampler == "grid":
        space.points()  # refused before the search has a name
    require_free(history.repository, name or "")
    wanted = options.trials
    if wanted is None and options.minutes is None and options.sampler != "grid":
        wanted = TRIALS
    with engine_of(history, options.workers) as engine:
        new = KeptSearch(
            name=name or "",
            sampler=options.sampler,
            seed=int(settings["seed"]) if options.seed is None else options.seed,
            # What TPE proposes depends on results; of the others more are proposed, so that nobody
            # waits.
            window=engine.workers * (1 if options.sampler == "tpe" else 3),
            space=space.texts,
            trials=(),
            mark=secrets.token_hex(4),
            state=state_of(history, settings),
            against=against,
            wanted=wanted,
        )
        with begun(history.repository, new) as one:
            return _run(history, one, space, reference, options, engine)


def resume(
    name: str | None = None,
    options: Options | None = None,
    *,
    folder: Path = Path(),
    engine_of: EngineOf = local_engine,
) -> SearchResult:
    """Go on with a search, the last one if none is named, as if it had not been interrupted.

    `options`: `trials` in all, `minutes` from now and `workers`; all else is as it began.
    CrivoError: there is none, or the workspace's code or settings are others now.
    """
    options = options or Options()
    history = read_history(folder)
    settings = read_settings(history)
    with resumed(history.repository, name) as one:
        name, told = one.name, len(one.trials)
        if one.state != state_of(history, settings):
            raise CrivoError(
                f"The workspace's code or settings have changed since {name} began, so it can't "
                "continue with the same trials; undo the changes, or start a new search."
            )
        if options.trials is not None and options.trials < told:
            raise CrivoError(
                f"{name} has {told} finished trials, and --trials {options.trials} is fewer; it is "
                f"the total number, so give {told} or more."
            )
        if options.trials is not None:
            one = replace(one, wanted=options.trials)
        elif one.wanted is None and options.minutes is None and one.sampler != "grid":
            raise CrivoError(
                f"{name} began with --minutes and without a number of trials; give --minutes or "
                "--trials again."
            )
        space = read_space(settings, [f"{key}={text}" for key, text in one.space.items()])
        # What a damaged record says of a trial isn't known: it is proposed again.
        whole = takewhile(lambda trial: space.holds(trial.values), one.trials)
        one = replace(one, trials=tuple(whole))
        reference = _reference(history, one.against)
        with engine_of(history, options.workers) as engine:
            return _run(history, one, space, reference, options, engine)


def _reference(history: History, against: str | None) -> Record:
    """Return what trials are compared with, as `crivo compare` chooses it."""
    reference_of_trial(history, against)  # says what to do where there is nothing yet
    found = choose(history, [], against=against).reference
    if found.split == "test":
        raise CrivoError(
            "Trials need a reference that was evaluated on validation rows; name one: --against "
            "REV."
        )
    return require(found)


def _run(
    history: History,
    search: KeptSearch,
    space: Space,
    reference: Record,
    options: Options,
    engine: Engine,
) -> SearchResult:
    """Run a search up to its limits, and compare its best trial."""
    repository = history.repository
    keep_trials(history)
    points = space.points() if search.sampler == "grid" else None
    until = None if options.minutes is None else time.monotonic() + 60 * options.minutes
    trials, known = Trials(history, reference, space.base), Known(history)
    with _told_how_to_go_on(search.name), one_line() as show:
        search = Driver(search, space, engine, known, trials, points, until, show).run()
    keep(repository, search)
    # Each trial writes about 17 objects; by its own rule (`gc.auto`) git packs what is much.
    repository.git("gc", "--auto", "--quiet", check=False)
    size = None if points is None else len(points)
    return result_of(search, space, reference, read_history(repository.project), size)


@contextmanager
def _told_how_to_go_on(name: str) -> Iterator[None]:
    """Say how a search goes on that is interrupted, or whose trials can't be run here any more.

    CrivoError: they can't, through no fault of their own; those that didn't end aren't told.
    """
    try:
        yield
    except (NotRun, OSError) as error:
        raise CrivoError(
            f"{sentence(error)} {name} was stopped, and its finished trials are kept; "
            f"`crivo search --resume {name}` runs the others."
        ) from error
    except (KeyboardInterrupt, Terminated) as error:
        error.args = (f"finished trials are kept. `crivo search --resume {name}` continues.",)
        raise
