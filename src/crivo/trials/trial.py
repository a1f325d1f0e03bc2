"""`crivo try`: plans and runs one trial within a budget, unless its result is known already."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.layout import counted
from crivo.core.params import PARAMS_FILE, check_params, read_yaml
from crivo.records.history import History, read_history
from crivo.records.settings import experiment_name, is_used, used
from crivo.repository.commits import commit_message, experiment_origins, keep_experiments
from crivo.repository.git import Repository
from crivo.repository.overrides import with_changes
from crivo.trials.engine import local_engine
from crivo.trials.runs import Known, changed_here


class BudgetUsedUp(CrivoError):
    """There are as many trials as the budget says."""


def try_settings(
    changes: Sequence[str] = (),
    *,
    message: str = "",
    name: str | None = None,
    again: bool = False,
    budget: int | None = None,
    against: str | None = None,
    quiet: bool = False,
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
        _require_known_to_git(history.repository, settings, changes)
        committed = history.find("HEAD").settings if history.head else {}
        files = changed_since_head(history, settings)
        if not (changes or message.strip() or used(settings) != used(committed)):
            what = ", ".join(files) or "nothing that a stage reads"
            raise CrivoError(
                f"This trial changes {what}, but no setting; say why this should help: "
                'crivo try --message "…".'
            )
        _require_room(history, budget)
        name = name or experiment_name(settings, committed or read_yaml(place), files)
        future = engine.submit(name, changes, commit_message("trial", message), live=not quiet)
        for module in ("crivo.comparison.compare", "crivo.comparison.text"):
            importlib.import_module(module)  # while the stages run
        made = future.result()
    keep_experiments(history.repository, experiment_origins(history.repository))
    return made.reference.rpartition("/")[2]


def _require_read(settings: Mapping[str, Any], changes: Sequence[str]) -> None:
    """Raise CrivoError for a change of a setting that no chosen block reads."""
    for key in (change.lstrip("+~").partition("=")[0] for change in changes):
        if not is_used(key, settings):
            raise CrivoError(
                f"No chosen block reads {key}, so this trial would change "
                "nothing; choose its block too, as in `crivo try model=forest "
                "models.forest.trees=500`."
            )


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
    if not history.head:
        return []
    paths = [*history.find("HEAD").inputs()] or ["src", "requirements.txt"]
    blocks = (f"src/blocks/{folder}/{settings.get(one)}.py" for one, (folder, _) in KINDS.items())
    return changed_here(history, history.head, [*paths, *blocks])


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


def _require_known_to_git(
    home: Repository, settings: Mapping[str, Any], changes: Sequence[str]
) -> None:
    """Raise CrivoError when git doesn't know a chosen block; without changes, any code."""
    blocks = [f"src/blocks/{folder}/{settings[kind]}.py" for kind, (folder, _) in KINDS.items()]
    wanted = blocks if changes else ["src/*.py"]
    unknown = home.files("--others", "--exclude-standard", "--", *wanted)
    if unknown:
        raise CrivoError(
            f"git doesn't track {', '.join(unknown)}, and a trial contains only files that git "
            "tracks; run `git add` on those that the trial needs, and move the others out of src."
        )
