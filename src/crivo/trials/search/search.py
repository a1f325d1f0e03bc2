"""`crivo search`: begins a search or goes on with one, and says what it found."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from crivo.runtime.exit_status import sentence

from crivo.comparison.choice import choose, reference_of_trial
from crivo.comparison.families import goodness, primary_of
from crivo.core.errors import CrivoError, NotRun
from crivo.core.params import PARAMS_FILE
from crivo.core.problems import did_you_mean
from crivo.records.comparability import (
    other_definition,
    other_measured,
    other_rows,
)
from crivo.records.history import History, keep_trials, read_history, read_records
from crivo.records.record import Record, require
from crivo.records.searches import KeptSearch, KeptTrial, keep, searches
from crivo.repository.commits import keep_experiments, trial_origin
from crivo.repository.costs import keep_seconds
from crivo.repository.overrides import apply_changes
from crivo.repository.searches import pack_objects
from crivo.trials.engine import Engine, EngineOf, local_engine
from crivo.trials.known import Known
from crivo.trials.search.driver import Driver, Limits, Trials
from crivo.trials.search.journal import (
    About,
    Journal,
    Sampler,
    begun,
    journals,
    require_free,
    resumed,
    take_name,
)
from crivo.trials.search.progress import Progress, shown_progress
from crivo.trials.search.result import SearchResult, result_of
from crivo.trials.search.space import changes_of, read_space
from crivo.trials.search.workspace import Names, read_settings, state_of

log = logging.getLogger("crivo.search")

# How many trials there are when nothing is said.
TRIALS = 20
# A search ends when so many trials have failed and none before them has a result.
FAILURES = 10


@dataclass(frozen=True)
class Options:
    """What may be said of a search.

    `seed`: that of the settings if it isn't said; `trials`: how many in all; `minutes`: after
    which no further trial begins; `workers`: how many run at once, as many as cores.
    """

    sampler: Sampler = "tpe"
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
    require_free(history, name)
    project, state = history.repository.project, state_of(history, settings)
    with engine_of(history, options.workers) as engine:
        about = About(
            name=take_name(history, name),
            sampler=options.sampler,
            seed=int(settings["seed"]) if options.seed is None else options.seed,
            window=_window(options.sampler, engine.workers),
            space=space.texts(),
            state=state,
            against=against,
            trials=_trials(options),
            mark=new_mark(),
        )
        with begun(project, about, space) as journal:
            return _run(history, journal, reference, options, engine)


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
    project = history.repository.project
    known = journals(project)
    if not known:
        raise CrivoError("There is no search to resume here; `crivo search` starts one.")
    name = name or known[0]
    kept = {one.name for one in searches(history.repository).values()}
    if name not in {*known, *kept}:
        raise CrivoError(
            f"There is no search {name!r}{did_you_mean(name, known)} (here: {', '.join(known)})."
        )
    settings = read_settings(history)
    with resumed(project, name, lambda about: read_space(settings, _texts(about))) as journal:
        about = journal.about
        if about.state != state_of(history, settings):
            raise CrivoError(
                f"The workspace's code or settings have changed since {name} began, so it can't "
                "continue with the same trials; undo the changes, or start a new search."
            )
        told = sum(one.outcome is not None for one in journal.proposals())
        if options.trials is not None and options.trials < told:
            raise CrivoError(
                f"{name} has {told} finished trials, and --trials {options.trials} is fewer; it is "
                f"the total number, so give {told} or more."
            )
        if options.trials is not None:
            journal.extend(options.trials)
        elif about.trials is None and options.minutes is None and journal.size is None:
            raise CrivoError(
                f"{name} began with --minutes and without a number of trials; give --minutes or "
                "--trials again."
            )
        reference = _reference(history, about.against)
        with engine_of(history, options.workers) as engine:
            return _run(history, journal, reference, options, engine)


def apply_best(result: SearchResult, folder: Path = Path()) -> str:
    """Put the settings of the best trial into `params.yaml`, and return what was done."""
    if result.best is None:
        raise CrivoError("No trial has a result, so there is nothing to apply.")
    changes = changes_of(result.best.values)
    apply_changes(read_history(folder).repository.project / PARAMS_FILE, changes)
    return (
        f"params.yaml has {', '.join(changes)} now; `dvc repro` brings the results of "
        f"{result.best.experiment} from the cache."
    )


def new_mark() -> str:
    """Return what tells a search from all others, those of other people with them."""
    return secrets.token_hex(4)


def _texts(about: About) -> list[str]:
    return [f"{key}={text}" for key, text in about.space.items()]


def _reference(history: History, against: str | None) -> Record:
    """Return what trials are compared with, as `crivo compare` chooses it."""
    reference_of_trial(history, against)  # says what to do where there is nothing yet
    choice = choose(history, [], against=against)
    found = choice.reference_of(choice.candidates[0])
    if found is None or found.split == "test":
        raise CrivoError(
            "Trials need a reference that was evaluated on validation rows; name one: --against "
            "REV."
        )
    return require(found)


def _window(sampler: Sampler, workers: int) -> int:
    """Return how many trials are proposed before the first must be told.

    Those of TPE depend on results; for the others more are proposed, so that nobody waits.
    """
    return workers if sampler == "tpe" else 3 * workers


def _trials(options: Options) -> int | None:
    if options.trials is None and options.minutes is None and options.sampler != "grid":
        return TRIALS
    return options.trials


def _run(
    history: History,
    journal: Journal,
    reference: Record,
    options: Options,
    engine: Engine,
) -> SearchResult:
    """Run a search up to its limits, and compare its best trial."""
    about = journal.about
    keep_trials(history)
    told = [KeptTrial(**one.outcome) for one in journal.proposals() if one.outcome]
    before = len(told)
    until = None if options.minutes is None else time.monotonic() + 60 * options.minutes
    metric = primary_of(reference)
    names = Names(history, journal.space.base)
    trials = Trials(
        names.of,
        lambda number: f"{about.name}: trial {number + 1}",
        partial(_read, history),
        partial(_goodness, reference),
        lambda record: float(record.estimate(metric.name).value),
    )
    with _told_how_to_go_on(about):
        total = journal.size or about.trials
        with shown_progress(Progress(metric, total, until, engine.workers)) as progress:
            known = Known(history)
            progress.begin((one, known.record(one.revision)) for one in told)

            def tell(trial: KeptTrial) -> None:
                told.append(trial)
                keep(history.repository, _kept(about, told))
                progress.told(trial, known.record(trial.revision))
                _require_a_result(about, told, len(told) - before)

            driver = Driver(journal, engine, known, trials, tell, progress.watch)
            driver.run(Limits(about.trials, until))
    keep(history.repository, _kept(about, told))
    pack_objects(history.repository)
    limits = [limit for limit in (about.trials, journal.size) if limit is not None]
    now = read_history(history.repository.project)
    return result_of(
        _kept(about, told), journal.space, reference, about.against, now,
        wanted=min(limits, default=None), size=journal.size,
    )  # fmt: skip


def _kept(about: About, told: Sequence[KeptTrial]) -> KeptSearch:
    return KeptSearch(
        about.name, about.sampler, about.seed, about.window, about.space, tuple(told), about.mark
    )


def _read(history: History, ref: str, seconds: float) -> Record:
    """Return the record of a trial that has just been brought home, which counts from now on."""
    origin = trial_origin(history.repository, ref)
    keep_experiments(history.repository, [origin])
    keep_seconds(history.repository, origin.revision, seconds)
    (record,) = read_records(history.repository, [origin])
    return record


def _goodness(reference: Record, record: Record) -> float:
    """Return how good a trial is; CrivoError when it can't be compared with the reference."""
    require(record)
    if record.split == "test":
        raise CrivoError(f"{record.name} was evaluated on test rows, which never choose.")
    refusal = other_rows(record, reference)
    if refusal is None and not other_definition(record, reference):
        refusal = other_measured(record, reference)
    if refusal is not None or other_definition(record, reference):
        why = refusal.reason if refusal else "its metrics are defined differently"
        raise CrivoError(f"{record.name} can't be compared with {reference.name}: {why}.")
    metric = primary_of(reference)
    return goodness(metric, float(record.estimate(metric.name).value))


@contextmanager
def _told_how_to_go_on(about: About) -> Iterator[None]:
    """Say how a search goes on that is interrupted, or whose trials can't be run here any more.

    CrivoError: they can't, through no fault of their own; those that didn't end aren't told.
    """
    try:
        yield
    except (NotRun, OSError) as error:
        raise CrivoError(
            f"{sentence(error)} {about.name} was stopped, and its finished trials are kept; "
            f"`crivo search --resume {about.name}` runs the others."
        ) from error
    except BaseException as error:
        if not isinstance(error, Exception):
            log.warning(
                "%s was interrupted; `crivo search --resume %s` goes on.", about.name, about.name
            )
        raise


def _require_a_result(about: About, told: Sequence[KeptTrial], new: int) -> None:
    """Raise CrivoError when many new trials were told and not one of all has a result."""
    if new >= FAILURES and all(one.state == "failed" for one in told):
        raise CrivoError(
            f"The first {len(told)} trials of {about.name} failed, so it was stopped. The last "
            f"one: {told[-1].reason} Try one trial by itself (`crivo try`), and "
            f"fix the cause; `crivo search --resume {about.name}` continues in any case."
        )
