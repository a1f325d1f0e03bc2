"""`crivo search`: begins or resumes a search; proposing and running is in `driver`.

Git keeps a search with the trials that were told, so a killed one goes on from there.
"""

from __future__ import annotations

from crivo.runtime.messages import Terminated, sentence

import hashlib
import json
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count, takewhile
from pathlib import Path
from typing import Any, Literal

from crivo.comparison.choice import choose, reference_of_trial
from crivo.core.errors import CrivoError, NotRun
from crivo.core.params import COMMAND_SECTIONS, PARAMS_FILE, read_settings
from crivo.core.problems import did_you_mean
from crivo.core.wording import counted
from crivo.records.history import History, keep_trials, read_history
from crivo.records.ledger import SEARCH, read_ledger
from crivo.records.record import Record, require
from crivo.records.searches import KeptSearch, keep, searches
from crivo.repository.git import Repository, open_repository
from crivo.repository.progress import one_line
from crivo.trials.engine import Engine, EngineOf, local_engine
from crivo.trials.results import SearchResult, result_of
from crivo.trials.search.driver import Driver
from crivo.trials.search.space import MOST_POINTS, Space, read_space
from crivo.trials.trial import named_blocks, require_known_to_git, require_valid_name

# How many trials there are when nothing is said.
TRIALS = 20
# A lock for each search that runs here.
FOLDER = Path(".dvc/tmp/crivo/searches")
# What trials are made of beside the settings.
CODE = ("src", "requirements.txt", "dvc.yaml", "data")


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


DEFAULT = Options()


def search(
    given: Sequence[str] = (),
    options: Options = DEFAULT,
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
    history = read_history(folder)
    reference = _reference(history, against)
    settings = _settings(history)
    space = _space(history, settings, given)
    wanted = options.trials or (None if options.minutes is not None else TRIALS)
    if options.sampler == "grid":
        points = space.points()
        wanted = min(options.trials or len(points), len(points))
    _require_free(history.repository, name or "")
    state = _state(history, settings)
    with engine_of(history, options.workers) as engine:
        new = KeptSearch(
            name=name or "",
            sampler=options.sampler,
            seed=int(settings["seed"]) if options.seed is None else options.seed,
            # What TPE proposes depends on results; of the others more are proposed, so that
            # nobody waits.
            window=engine.workers * (1 if options.sampler == "tpe" else 3),
            space=space.texts,
            trials=(),
            mark=secrets.token_hex(4),
            state=state,
            against=against,
            wanted=wanted,
        )
        one = _named(history.repository, new)
        with _locked(history.repository, one.key):
            return _run(history, one, space, reference, options, engine)


def resume(
    name: str | None = None,
    options: Options = DEFAULT,
    *,
    folder: Path = Path(),
    engine_of: EngineOf = local_engine,
) -> SearchResult:
    """Go on with a search, the last one if none is named, as if it had not been interrupted.

    `options`: `trials` in all, `minutes` from now and `workers`; all else is as it began.
    CrivoError: there is none, or the workspace's code or settings are others now.
    """
    repository = open_repository(folder)
    named = _kept(repository, name)
    with _locked(repository, named.key):
        # What another process told until it let go of the lock counts.
        history = read_history(folder)
        one, space = _unfinished(history, named.name, options)
        reference = _reference(history, one.against)
        with engine_of(history, options.workers) as engine:
            return _run(history, one, space, reference, options, engine)


def _unfinished(history: History, name: str, options: Options) -> tuple[KeptSearch, Space]:
    """Return a search as it is to go on, and its space; CrivoError where it can't."""
    settings = _settings(history)
    one = _kept(history.repository, name)
    if one.state != _state(history, settings):
        raise CrivoError(
            f"The workspace's code or settings have changed since {one.name} began, so it can't "
            "continue with the same trials; undo the changes, or start a new search."
        )
    space = _space(history, settings, [f"{key}={text}" for key, text in one.space.items()])
    # What a damaged record says of a trial isn't known: it is proposed again.
    whole = takewhile(lambda trial: space.holds(trial.values, trial.value), one.trials)
    one = replace(one, trials=tuple(whole))
    wanted, told = options.trials or one.wanted, len(one.trials)
    if one.sampler == "grid":
        wanted = min(wanted or MOST_POINTS, len(space.points()))
    elif wanted is None and options.minutes is None:
        raise CrivoError(
            f"{one.name} began with --minutes and without a number of trials; give --minutes or "
            "--trials again."
        )
    if options.trials is not None and options.trials < told:
        raise CrivoError(
            f"{one.name} has {counted(told, 'finished trial')}, and --trials {options.trials} is "
            f"fewer; it is the total number, so give {told} or more."
        )
    return replace(one, wanted=wanted), space


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


def _settings(history: History) -> dict[str, Any]:
    """Return the workspace's settings.

    CrivoError: they evaluate test rows, which never choose, or fit on a part of the training rows.
    """
    settings = read_settings(history.repository.project / PARAMS_FILE)
    train, evaluate = settings.get("train"), settings.get("evaluate")
    if isinstance(train, Mapping) and train.get("fraction", 1) != 1:
        raise CrivoError(
            f"params.yaml has train.fraction: {train['fraction']}, and a model fitted on a part of "
            "the training rows isn't a trial; remove the line before you search."
        )
    if isinstance(evaluate, Mapping) and evaluate.get("split") == "test":
        raise CrivoError(
            "params.yaml has evaluate.split: test, and a search chooses by its trials' results; "
            "set it to valid, and confirm what was chosen with `crivo confirm NAME`."
        )
    return settings


def _space(history: History, settings: Mapping[str, Any], given: Sequence[str]) -> Space:
    """Return what is searched; CrivoError: git doesn't track a block that a trial needs."""
    space = read_space(settings, given)
    files = {path for chosen in space.blocks() for path in named_blocks(space.settings(chosen))}
    require_known_to_git(history.repository, sorted(files))
    return space


def _state(history: History, settings: Mapping[str, Any]) -> str:
    """Return what identifies the workspace's code and settings, which a search goes on from."""
    repository = history.repository
    paths = ["--", *(f"{repository.prefix}{path}" for path in CODE)]
    read = {key: value for key, value in settings.items() if key not in COMMAND_SECTIONS}
    parts = [
        json.dumps(read, sort_keys=True, default=str),
        repository.git("ls-tree", "HEAD", *paths),
        repository.diff("--no-ext-diff", "--binary", "HEAD", *paths),
    ]
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def _require_free(repository: Repository, name: str) -> set[str]:
    """Return the names of all searches.

    CrivoError: git doesn't take this name, or a search has it; "" is any.
    """
    require_valid_name(name)
    names = {one.name for one in searches(read_ledger(repository)).values()}
    if name in names:
        raise CrivoError(
            f"A search {name} already exists; `crivo search --resume {name}` continues it. "
            "Otherwise, give another name."
        )
    return names


def _named(repository: Repository, search: KeptSearch) -> KeptSearch:
    """Keep a search that begins; one without a name gets the first `search-NUMBER` that is free."""
    with _locked(repository, "names", wait=True):
        taken = _require_free(repository, search.name)
        if not search.name:
            numbers = (f"search-{number}" for number in count(1))
            search = replace(search, name=next(one for one in numbers if one not in taken))
        keep(repository, search)
    return search


def _kept(repository: Repository, name: str | None) -> KeptSearch:
    """Return a search that ran in this clone, the last one if none is named."""
    ledger = read_ledger(repository)
    kept = {one.key: one for one in searches(ledger).values()}
    ran = dict.fromkeys(one.of for one in reversed(ledger.own) if one.kind == SEARCH)
    here = [kept[key] for key in ran if key in kept]
    names = [one.name for one in here]
    if not here:
        raise CrivoError("There is no search to resume here; `crivo search` starts one.")
    if name not in (None, *names):
        raise CrivoError(
            f"There is no search {name!r}{did_you_mean(name or '', names)} (here: "
            f"{', '.join(names)})."
        )
    return next(one for one in here if name in (None, one.name))


@contextmanager
def _locked(repository: Repository, name: str, *, wait: bool = False) -> Iterator[None]:
    """Hold a lock; CrivoError: another process has it, and this one doesn't wait."""
    from filelock import FileLock, Timeout

    folder = repository.project / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f"{name}.lock", timeout=-1 if wait else 0)
    try:
        with lock:
            yield
    except Timeout:
        raise CrivoError(
            "This search is running in another process; wait until it ends, or interrupt it there "
            "first."
        ) from None


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
    with _told_how_to_go_on(search.name), one_line() as show:
        search = Driver(search, space, engine, history, reference, points, until, show).run()
    # Each trial writes about 17 objects; by its own rule (`gc.auto`) git packs what is much.
    repository.git("gc", "--auto", "--quiet", check=False)
    return result_of(search, reference, read_history(repository.project), len(points or ()))


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
