"""A new trial: within its budget, named after what it changes, not run when its result is known."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from crivo.comparison.choice import choose, reference_of_trial
from crivo.comparison.families import Trials
from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.layout import counted
from crivo.core.params import PARAMS_FILE, check_params, read_yaml
from crivo.records.history import History, keep_trials, read_history
from crivo.records.ledger import COST, Ledger, add, entry
from crivo.records.record import Record
from crivo.records.settings import experiment_name, is_used, used
from crivo.repository.commits import commit_message
from crivo.repository.overrides import with_changes
from crivo.trials.engine import local_engine
from crivo.trials.runs import Known, free_name

log = logging.getLogger("crivo.try")


class BudgetUsedUp(CrivoError):
    """There are as many trials as the budget says."""


def require_room(history: History, budget: int | None) -> None:
    """Raise BudgetUsedUp when there are as many trials as a budget says."""
    if budget is not None and (used := trials_so_far(history)) >= budget:
        raise BudgetUsedUp(
            f"The budget of {counted(budget, 'trial')} is used up: {counted(used, 'trial')} on "
            "these rows so far. Stop, and decide with the results that you have."
        )


def trials_so_far(history: History) -> int:
    """Return how many trials there are on the rows of the incumbent, or of HEAD.

    Equal predictions are one trial, as for the correction. Trials count that were removed.
    """
    choice = choose(history, [])
    return Trials(history.counted, choice.reference, choice.among).count


def keep_cost(history: History, name: str, seconds: float) -> None:
    """Keep how long a new trial took, if it was recorded."""
    for record in history.trials:
        if record.name == name and record.origin.parent == history.head:
            add(history.repository, entry(COST, record.origin.revision, round(seconds, 3)))


def usual_seconds(history: History, model: str, last: int = 5) -> str:
    """Say how long the last trials of a model took in this clone; empty where that isn't known."""
    kept = Ledger(history.ledger.own).seconds
    timed = [
        one.origin
        for one in history.counted
        if one.origin.revision in kept and one.settings.get("model") == model
    ]
    newest = sorted(timed, key=lambda one: one.seconds)[-last:]
    if not newest:
        return ""
    took = median(kept[one.revision] for one in newest)
    number = "trial" if len(newest) == 1 else f"{len(newest)} trials"
    how = "" if len(newest) == 1 else " (median)"
    return f"in this clone, the last {number} with model={model} took {took:.0f} s{how}"


class TrialFailed(CrivoError):
    """A trial that began and did not end well; nothing of it is recorded."""


@dataclass(frozen=True)
class Plan:
    """A trial to come: its name, its settings, and the experiment that has them already.

    `files`: those that its stages read and that aren't as the commit that is checked out has them.
    """

    name: str
    settings: dict[str, Any]
    duplicate: Record | None
    files: tuple[str, ...] = ()


def try_settings(
    changes: Sequence[str] = (),
    *,
    message: str = "",
    name: str | None = None,
    again: bool = False,
    budget: int | None = None,
    quiet: bool = False,
    folder: Path = Path(),
) -> str:
    """Run a trial of the workspace with some settings changed, and return its name.

    `changes` are `key=value`, as `dvc exp run -S` takes them; without any, the workspace's own
    changes are what is tried. `message` is the hypothesis; a trial of code alone needs one. The
    name is made of what changed. `quiet`: don't print what DVC prints. CrivoError: a setting is
    wrong or isn't read, nothing was changed, an experiment with the same settings and code exists
    (unless `again`), or the budget is used up. TrialFailed: the trial began and did not end well.
    """
    history = read_history(folder)
    plan = plan_trial(history, changes)
    if not again:
        _require_new(history, plan, changes)
    _require_known_to_git(history, plan.settings, changes)
    _require_hypothesis(history, plan, changes, message)
    require_room(history, budget)
    name = free_name(history, name or plan.name)
    model = str(plan.settings.get("model"))
    if usual := usual_seconds(history, model):
        log.info("Running %s; %s.", name, usual)
    start = time.monotonic()
    with local_engine(history, 1) as engine, _failing():
        text = commit_message("trial", message)
        name = engine.submit(name, changes, text, live=not quiet).result().rpartition("/")[2]
    after = read_history(folder)
    keep_trials(after)
    keep_cost(after, name, time.monotonic() - start)
    return name


def require_reference(against: str | None, folder: Path = Path()) -> None:
    """Raise CrivoError when there will be nothing to compare with: before a trial runs.

    `against`: by default, the incumbent, or else what is checked out.
    """
    reference_of_trial(read_history(folder), against)


def plan_trial(history: History, changes: Sequence[str]) -> Plan:
    """Return the name and the settings of a trial, and its duplicate if there is one."""
    before = read_yaml(history.repository.project / PARAMS_FILE)
    settings = with_changes(history.repository.project / PARAMS_FILE, changes)
    check_params(settings)
    for change in changes:
        key = change.lstrip("+~").partition("=")[0]
        if not is_used(key, settings):
            raise CrivoError(
                f"No chosen block reads {key}, so this trial would change "
                "nothing; choose its block too, as in `crivo try model=forest "
                "models.forest.trees=500`."
            )
    committed = history.find("HEAD").settings if history.head else before
    files = changed_here(history, settings)
    return Plan(
        experiment_name(settings, committed or before, files),
        settings,
        Known(history).find(settings),
        tuple(files),
    )


def changed_here(history: History, settings: Mapping[str, Any]) -> list[str]:
    """Return the files that the stages read and that the workspace has otherwise than HEAD."""
    if not history.head:
        return []
    paths = [*history.find("HEAD").inputs()] or ["src", "requirements.txt"]
    blocks = [(folder, settings.get(kind)) for kind, (folder, _) in KINDS.items()]
    paths += [f"src/blocks/{folder}/{name}.py" for folder, name in blocks]
    paths += [f"{path}.dvc" for path in paths if path.startswith("data/")] + ["dvc.yaml"]
    prefix = history.repository.prefix
    files = [prefix + path for path in dict.fromkeys(paths)]
    return history.repository.files_changed_since(history.head, files)


def _require_new(history: History, plan: Plan, changes: Sequence[str]) -> None:
    """Raise CrivoError when the result of a trial is known."""
    if plan.duplicate is None:
        return
    name = plan.duplicate.name
    if not changes:
        raise CrivoError(
            f"Nothing to try: {name} already has this workspace's settings and code. Change a file "
            "that a stage reads, or name a setting: `crivo try key=value`."
        )
    raise CrivoError(
        f"{name} already has these settings and this code; `crivo compare {name}` shows it. The "
        "result would be the same (--again runs it)."
    )


def _require_known_to_git(
    history: History, settings: Mapping[str, Any], changes: Sequence[str]
) -> None:
    """Raise CrivoError when git doesn't know a chosen block; without changes, any code."""
    home = history.repository
    blocks = [f"src/blocks/{folder}/{settings[kind]}.py" for kind, (folder, _) in KINDS.items()]
    wanted = [home.prefix + path for path in (blocks if changes else ["src/*.py"])]
    unknown = home.git("ls-files", "--others", "--exclude-standard", "-z", "--", *wanted)
    if unknown:
        files = ", ".join(path.removeprefix(home.prefix) for path in unknown.split("\0")[:-1])
        raise CrivoError(
            f"git doesn't track {files}, and a trial contains only files that git tracks; run "
            "`git add` on those that the trial needs, and move the others out of src."
        )


def _require_hypothesis(history: History, plan: Plan, changes: Sequence[str], message: str) -> None:
    """Raise CrivoError when neither a setting nor a message says what a trial is about."""
    committed = history.find("HEAD").settings if history.head else {}
    if changes or message.strip() or used(plan.settings) != used(committed):
        return
    what = ", ".join(plan.files) or "nothing that a stage reads"
    raise CrivoError(
        f"This trial changes {what}, but no setting; say why this should help: "
        'crivo try --message "…".'
    )


@contextmanager
def _failing() -> Iterator[None]:
    """Tell a trial that failed from one that was refused."""
    try:
        yield
    except CrivoError as error:
        raise TrialFailed(error.args[0] if error.args else str(error)) from error
