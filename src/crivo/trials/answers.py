"""What the driver requires of a worker's answer before it records anything.

A worker may be another machine with another state of the project, or its files may be damaged.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter

from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE
from crivo.core.parsing import ParseError, parse_yaml
from crivo.repository.git import Repository
from crivo.repository.lock import LOCK, PIPELINE, covers, read_lock
from crivo.repository.overrides import with_changes
from crivo.trials.worker import LOCKFILE, START, Answer, Request, State

ANSWER = TypeAdapter(Answer)


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

    It must have been made from the same commit and code, with the settings and the message asked
    for. Its objects are in the project's git already.
    """
    start = Repository(Path(state.folder) / START, state.home.prefix)
    (found,) = start.objects([commit])
    head, _, message = (found.content if found else b"").decode(errors="replace").partition("\n\n")
    parents = [line[7:] for line in head.split("\n") if line.startswith("parent ")]
    try:
        settings = parse_yaml(start.content(commit, str(PARAMS_FILE)) or b"")
        made = read_lock(start.content(commit, LOCK) or b"").outs
    except (CrivoError, ParseError):
        settings, made = None, {}
    asked = with_changes(start.project / PARAMS_FILE, request.settings)
    tree, code = start.git("write-tree").strip(), ("src", LOCKFILE, PIPELINE)
    paths = ("--", *(start.prefix + path for path in code))
    names = start.git("diff-tree", "-r", "-z", "--name-only", tree, commit, *paths).split("\0")
    changed = [name for path in names if (name := path.removeprefix(start.prefix))]
    others = {
        "another commit to start from": parents != [state.base],
        "another message": message.strip() != request.message.strip(),
        # As texts, so that a setting that is no number equals itself.
        "other settings": repr(settings) != repr(asked),
        "no list of what its stages made": not made,
        # A stage may write there, and DVC a .gitignore beside it.
        "other code": any(
            Path(path).name != ".gitignore" and not any(covers(out, path) for out in made)
            for path in changed
        ),
    }
    if wrong := [what for what, holds in others.items() if holds]:
        raise CrivoError(
            f"The worker that ran {request.name} has recorded another trial, with "
            f"{', '.join(wrong)}; nothing was recorded here. Run it again."
        )
