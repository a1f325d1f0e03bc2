"""Runs experiments whose results aren't known: a trial, or runs that vary an experiment.

`crivo try` runs a trial of the workspace; `crivo confirm` and `crivo repeat` vary an experiment.
"""

from __future__ import annotations

import importlib
import logging
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE, check_params, read_settings
from crivo.core.threads import usable_cores
from crivo.core.wording import counted
from crivo.records.comparability import recipe_key
from crivo.records.history import History, read_history
from crivo.records.record import Record, usable
from crivo.records.settings import KINDS_IN, experiment_name, is_used, used, valid_name
from crivo.repository.commits import (
    Kind,
    commit_message,
    experiment_origins,
    keep_experiments,
)
from crivo.repository.git import Repository
from crivo.repository.overrides import with_changes
from crivo.repository.progress import steps
from crivo.trials.engine import engine_of, local_engine
from crivo.trials.worker import base_of

log = logging.getLogger(__name__)


class BudgetUsedUp(CrivoError):
    """There are as many trials as the budget says."""


def try_settings(
    changes: Sequence[str],
    *,
    message: str,
    name: str | None,
    again: bool,
    budget: int | None,
    against: str | None,
    quiet: bool,
    folder: Path = Path(),
) -> str:
    """Run a trial of the workspace with some settings changed, and return its name.

    `changes` are `key=value`, as `dvc exp run -S` takes them; without any, the workspace's own
    changes are what is tried. `message` is the hypothesis; a trial of code alone needs one. The
    name is made of what changed. `against`: what the trial will be compared with, by default the
    incumbent, or else what is checked out. `quiet`: don't print what DVC prints. CrivoError: there
    is nothing to compare with, a setting is wrong or isn't read, nothing was changed, an experiment
    with the same settings and code exists (unless `again`), or the budget is used up. TrialFailed,
    NotRun: the trial began and did not end well.
    """
    require_valid_name(name)
    history = read_history(folder)
    place = history.repository.project / PARAMS_FILE
    settings = with_changes(place, changes)
    check_params(settings)
    # Its worker makes ready while the trial is planned, and more is imported here.
    with local_engine(history, 1) as engine:
        from crivo.comparison.choice import reference_of_trial

        reference_of_trial(history, against)
        _require_read(settings, changes)
        if not again:
            _require_new(history, settings, changes)
        code = named_blocks(settings) if changes else ["src/*.py"]
        require_known_to_git(history.repository, code)
        committed = history.find("HEAD").settings
        files = changed_since_head(history, settings)
        if not (changes or used(settings) != used(committed)):
            _require_hypothesis(message, files)
        _require_room(history, budget)
        name = name or experiment_name(settings, committed or read_settings(place), files)
        future = engine.submit(name, changes, commit_message("trial", message), live=not quiet)
        for module in ("crivo.comparison.compare", "crivo.comparison.text"):
            importlib.import_module(module)  # while the stages run
        made = future.result()
    keep_experiments(history.repository, experiment_origins(history.repository))
    return made.reference.rpartition("/")[2]


def require_valid_name(name: str | None) -> None:
    """Raise CrivoError for a name that git doesn't take."""
    if name and valid_name(name) != name:
        raise CrivoError(
            f"--name is {name!r}; expected letters, digits, -, _, ., +, = and commas, such as "
            f"{valid_name(name)}."
        )


def _require_hypothesis(message: str, files: Sequence[str]) -> None:
    """Raise CrivoError when a trial of code alone doesn't say why it should help."""
    if not message.strip():
        what = ", ".join(files) or "nothing that a stage reads"
        raise CrivoError(
            f"This trial changes {what}, but no setting; say why this should help: "
            'crivo try --message "…".'
        )


def _require_read(settings: Mapping[str, Any], changes: Sequence[str]) -> None:
    """Raise CrivoError for a change of a setting that no chosen block reads."""
    for change in changes:
        key = change.lstrip("+~").partition("=")[0]
        if is_used(key, settings):
            continue
        unread = f"{key}, so this trial would change nothing"
        folder, _, rest = key.partition(".")
        if folder not in KINDS_IN:
            raise CrivoError(f"No stage reads {unread}; change a setting that a stage reads.")
        choice = f"{KINDS_IN[folder][0]}={rest.split('.')[0]}"
        also = shlex.join(["crivo", "try", choice, change])
        raise CrivoError(f"No chosen block reads {unread}; choose its block too: `{also}`.")


def _require_room(history: History, budget: int | None) -> None:
    """Raise BudgetUsedUp when there are as many trials on these rows as a budget says.

    Equal predictions are one trial, as for the correction. Trials count that were removed.
    """
    if budget is None:
        return
    from crivo.comparison.choice import choose
    from crivo.comparison.families import Trials

    choice = choose(history, [])
    count = Trials(history.counted, choice.reference, choice.among).count
    if count >= budget:
        raise BudgetUsedUp(
            f"The budget of {counted(budget, 'trial')} is used up: {counted(count, 'trial')} on "
            "these rows so far. Stop, and decide with the results that you have."
        )


def changed_since_head(history: History, settings: Mapping[str, Any]) -> list[str]:
    """Return the files that a trial's stages read and that aren't as the checked-out commit's."""
    paths = [*history.find("HEAD").inputs()] or ["src", "requirements.txt"]
    blocks = (f"src/blocks/{folder}/{settings.get(one)}.py" for one, (folder, _) in KINDS.items())
    return changed_here(history, "HEAD", [*paths, *blocks])


def _require_new(history: History, settings: Mapping[str, Any], changes: Sequence[str]) -> None:
    """Raise CrivoError when the result of a trial is known."""
    known = Known(history).find(settings)
    if known and not changes:
        raise CrivoError(
            f"Nothing to try: {known.name} already has this workspace's settings and code. Change "
            "a file that a stage reads, or name a setting: `crivo try key=value`."
        )
    if known:
        raise CrivoError(
            f"{known.name} already has these settings and this code; `crivo compare {known.name}` "
            "shows it. The result would be the same (--again runs it)."
        )


def require_known_to_git(home: Repository, files: Iterable[str]) -> None:
    """Raise CrivoError when there are files that a trial needs and git doesn't track."""
    if unknown := home.files("--others", "--exclude-standard", "--", *files):
        raise CrivoError(
            f"git doesn't track {', '.join(unknown)}, and a trial contains only files that git "
            "tracks; run `git add` on those that the trial needs. Move the others out of src, and "
            "remove their settings from params.yaml."
        )


def named_blocks(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files of the chosen blocks, and of those that have settings or are listed."""
    for kind, (folder, _) in KINDS.items():
        for name in {settings[kind], *(settings.get(folder) or {})}:
            yield f"src/blocks/{folder}/{name}.py"
    own = (settings.get("evaluators") or {}).get(settings["evaluator"]) or {}
    listed = own.get("metrics")  # another evaluator may mean something else by it
    for name in (own.get("primary"), *(listed if isinstance(listed, list | tuple) else ())):
        yield f"src/blocks/metrics/{name}.py"
    for name in (settings.get("evaluate") or {}).get("checks") or ():
        yield f"src/blocks/checks/{name}.py"


# --- what is known, and runs that vary an experiment -------------------------------------------

Key = frozenset[tuple[str, Any]]


def key_of(settings: Mapping[str, Any]) -> Key:
    """Return what equal settings have in common: those that the pipeline reads."""
    return frozenset((name, _hashable(value)) for name, value in used(settings).items())


def _hashable(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return tuple(map(_hashable, value))
    # 1 and 1.0 are one setting, 1 and true are two.
    return (bool, value) if isinstance(value, bool) else value


class Known:
    """The records of a history by their settings; the history is read once."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._whole: dict[Key, list[Record]] = defaultdict(list)
        self._of_this_code: dict[str, bool] = {}
        for record in history.records:
            self._whole[key_of(record.settings)].append(record)

    def add(self, record: Record) -> None:
        """Take up a trial that has just been run."""
        self._of_this_code[record.origin.revision] = True
        self._whole[key_of(record.settings)].append(record)

    def find(self, settings: Mapping[str, Any]) -> Record | None:
        """Return an evaluated record with these settings, made by the workspace's code."""
        for record in self._whole.get(key_of(settings), ()):
            if usable(record) and self._made_here(record):
                return record
        return None

    def _made_here(self, record: Record) -> bool:
        """Whether the files that the record's stages read are those of the workspace."""
        revision, paths = record.origin.revision, [*record.inputs()]
        if revision not in self._of_this_code:
            same = bool(paths) and not changed_here(self._history, revision, paths)
            self._of_this_code[revision] = same
        return self._of_this_code[revision]


def changed_here(history: History, revision: str, paths: Sequence[str]) -> list[str]:
    """Return which of the files that stages read the workspace has otherwise than a commit."""
    every = dict.fromkeys((*paths, *(f"{path}.dvc" for path in paths), "dvc.yaml"))
    files = [history.repository.prefix + path for path in every]
    return history.repository.files_changed_since(revision, files)


class Run(NamedTuple):
    """An experiment to run: its kind, name and settings, and what it repeats, in words."""

    kind: Kind
    name: str
    settings: tuple[str, ...]
    title: str


def runs_of(
    history: History,
    record: Record,
    runs: Sequence[Run],
    *,
    scheduler: str | None = None,
    workers: int | None = None,
) -> list[Record]:
    """Return the record of each run, in their order; those that aren't known are run.

    They run from a record's code and settings, as many at once as there are workers. Without
    `workers`, as many as cores here; a cluster gets all, and its own limits decide.
    """
    known = known_runs(history, record, runs)
    new = [run for run in runs if run.name not in known]
    if not new:
        return [known[run.name] for run in runs]
    most = usable_cores() if scheduler is None else len(new)
    open_engine, futures = engine_of(scheduler, record), {}
    with (
        open_engine(history, min(workers or most, len(new))) as engine,
        steps(len(new), "Running") as step,
    ):
        for one in new:
            log.info("Running %s ...", one.name)
            message = commit_message(one.kind, f"{record.name}: {one.title}")
            future = futures[one.name] = engine.submit(one.name, one.settings, message)
            future.add_done_callback(lambda _: step())
        errors = [error for one in futures.values() if (error := one.exception()) is not None]
    for error in errors:
        if not isinstance(error, CrivoError):
            raise error
    if errors:
        raise CrivoError(f"{len(errors)} of {len(new)} runs failed. {errors[0]}")
    after = read_history(history.repository.project)
    return [known.get(run.name) or after.find(futures[run.name].result().reference) for run in runs]


def known_runs(history: History, record: Record, runs: Sequence[Run]) -> dict[str, Record]:
    """Return those of the runs that are recorded already, by the names of the runs.

    Each is of the run's kind, with the record's code, data, definition of metrics, and settings and
    seed but the run's.
    """
    base, (expected, code) = base_of(record), _recipe(record)
    found: dict[str, Record] = {}
    for one in history.trials:
        alike = [run for run in runs if run.kind == one.kind and one.origin.parent == base]
        settings, inputs = _recipe(one) if alike and usable(one) else ({}, None)
        for run in alike:
            changed = dict(text.lstrip("+").split("=", 1) for text in run.settings)
            if settings == expected | changed and inputs == code:
                found.setdefault(run.name, one)
    return found


def _recipe(record: Record) -> tuple[dict[str, str], object]:
    _, definition, settings, inputs = recipe_key(record)
    return dict(settings) | {"seed": str(record.settings.get("seed"))}, (definition, inputs)
