"""What the driver requires of a worker's answer before it records anything.

A worker may be another machine with another state of the project, or its files may be damaged.
"""

from __future__ import annotations

from pathlib import Path
from posixpath import join, normpath

from pydantic import TypeAdapter

from crivo.core.cache import Cache
from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE
from crivo.core.parsing import ParseError, parse_yaml
from crivo.core.wording import a_few
from crivo.records.record import ABOUT
from crivo.repository.git import Repository
from crivo.repository.lock import LOCK, PIPELINE, Lock, LockedFile, read_lock
from crivo.repository.overrides import with_changes
from crivo.repository.trial_run import is_recorded
from crivo.trials.worker import START, Answer, Request, State

ANSWER = TypeAdapter(Answer)
# How many files a sentence names.
SHOWN = 3


def clone_of(answer: Answer, request: Request, state: State) -> Path:
    """Return the clone that holds a worker's experiment.

    CrivoError: the answer has another form, or the folder isn't one that this command made.
    """
    try:
        clone = Path(ANSWER.validate_python(vars(answer)).clone)
        if clone.resolve().is_relative_to(state.folder) and (clone / ".git").is_dir():
            return clone
        why = f"names the folder {clone}, which this command didn't make"
    except (TypeError, ValueError):  # it has no fields, others, or is no path
        why = "answers in a form that this version doesn't know"
    raise CrivoError(f"The worker that ran {request.name} {why}; nothing was recorded.")


def require_asked_for(commit: str, request: Request, state: State) -> None:
    """Raise CrivoError for a commit that isn't the experiment that a worker was asked for.

    It must have been made from the same commit and files, with the settings and the message asked
    for, and have all that its stages make. Its objects are in the project's git already.
    """
    start = Repository(Path(state.folder) / START, state.home.prefix)
    (found,) = start.objects([commit])
    head, _, message = (found.content if found else b"").decode(errors="replace").partition("\n\n")
    parents = [line[7:] for line in head.split("\n") if line.startswith("parent ")]
    try:
        settings = parse_yaml(start.content(commit, str(PARAMS_FILE)) or b"")
        lock = read_lock(start.content(commit, LOCK) or b"")
    except (CrivoError, ParseError):
        settings, lock = None, Lock({})
    asked = with_changes(start.project / PARAMS_FILE, request.settings)
    declared, made = _outputs(start, lock)
    tree = start.git("write-tree").strip()
    changed = start.git("diff-tree", "-r", "-z", "--name-only", tree, commit).split("\0")[:-1]
    other = [path for path in changed if not is_recorded(path, start.prefix, made)]
    held = start.objects(f"{commit}:{start.prefix}{path}" for path in made)
    cache = Cache(state.home.project)
    lost = [
        path
        for (path, out), one in zip(made.items(), held, strict=True)
        if not one and out.size and not cache.place(out.md5).is_file()
    ]
    missing = sorted({*declared - made.keys(), *lost})
    others = {
        "another commit to start from": parents != [state.base],
        "another message": message.strip() != request.message.strip(),
        # As texts, so that a setting that is no number equals itself.
        "other settings": repr(settings) != repr(asked),
        f"other files ({a_few(other, SHOWN)})": other,
        f"no output {a_few(missing, SHOWN)}": missing,
        "no evaluation": start.content(commit, ABOUT) is None,
    }
    if wrong := [what for what, holds in others.items() if holds]:
        raise CrivoError(
            f"The worker that ran {request.name} has recorded another trial, with "
            f"{', '.join(wrong)}; nothing was recorded here. Run it again."
        )


def _outputs(start: Repository, lock: Lock) -> tuple[set[str], dict[str, LockedFile]]:
    """Return the outputs that dvc.yaml declares, but for those with `${…}`, and a lock's."""
    stages = parse_yaml((start.project / PIPELINE).read_bytes())["stages"]
    folder = {name: str(stage.get("wdir") or "") for name, stage in stages.items()}
    declared = {
        normpath(join(folder[name], one if isinstance(one, str) else next(iter(one))))
        for name, stage in stages.items()
        for kind in ("outs", "metrics", "plots")
        for one in stage.get(kind) or ()
    }
    made = {
        normpath(join(folder.get(name.partition("@")[0], ""), path)): out
        for name, stage in lock.stages.items()
        for path, out in stage.outs.items()
    }
    return {path for path in declared if "${" not in path}, made
