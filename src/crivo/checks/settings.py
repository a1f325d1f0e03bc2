"""Checks S001, S003, S004: every setting is valid, declared by a stage, and read.

A stage that reads a setting that it doesn't declare is refused when it runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from crivo.checks.project import CHECKS, Project
from crivo.core.blocks import KINDS
from crivo.core.findings import Found
from crivo.core.params import COMMAND_SECTIONS
from crivo.repository.lock import flat

FOLDERS = frozenset(folder for folder, _ in KINDS.values())
UNREAD = (
    "declares `{}`, but no stage reads it; remove it from this stage's `params` in dvc.yaml, or "
    "read it."
)
UNDECLARED = (
    "no stage declares it, so a trial that changes it has no effect; read and declare it in a "
    "stage, or delete it from params.yaml."
)


@CHECKS.check(
    "S001",
    "A setting is unknown, mistyped or out of range",
    severity="error",
    example=(
        "models.boosting.max_itre: unknown setting; did you mean `max_iter`? (settings here: "
        "learning_rate, max_iter)"
    ),
)
def valid(project: Project) -> Iterator[Found]:
    """The first stage would stop with the same message. The settings of unused blocks are checked
    too, because they would stop anybody who chooses such a block.
    """
    yield from project.wrong_settings


@CHECKS.check(
    "S003",
    "A stage declares a setting that no stage reads",
    severity="error",
    example=f"train: {UNREAD.format('evaluate.slices')}",
)
def read(project: Project) -> Iterator[Found]:
    """If you change such a setting, the stage runs again for nothing, and people believe that the
    change had an effect. Each stage records what it reads. The check reports nothing until all
    stages have run with the current settings in `dvc.yaml`. It doesn't report a setting that
    another stage reads.
    """
    keys = project.made_use_of("read")
    for stage in project.pipeline.stages.values() if keys is not None else ():
        for name in stage.params if stage.script else ():
            if not any(below(name, key) or below(key, name) for key in keys or ()):
                yield Found(stage.name, UNREAD.format(name))


@CHECKS.check(
    "S004",
    "A setting that no stage declares",
    severity="error",
    example=f"train.epochs: {UNDECLARED}",
)
def used(project: Project) -> Iterator[Found]:
    """`dvc exp run -S` can change any key in `params.yaml`. If no stage declares the key, the
    experiment is identical to its parent, and DVC doesn't say so. The check ignores sections of
    unused blocks and settings that only commands read.
    """
    leaves = flat(project.settings)
    known = {*project.pipeline.templated, *COMMAND_SECTIONS}
    known |= {name for stage in project.pipeline.stages.values() for name in stage.params}
    idle = {key for key in leaves if not any(below(key, name) for name in known)}
    idle = {key for key in idle if "." not in key or key.partition(".")[0] not in FOLDERS}
    # S001 has said already that there is no such setting.
    refused = [key for key, _ in project.wrong_settings]
    for key in leaves:
        if key in idle and not any(below(key, other) for other in refused):
            yield Found(key, UNDECLARED)


def below(key: str, section: str) -> bool:
    """Return whether a dotted key is a section or lies in it.

    >>> below("models.forest", "models"), below("model", "models")
    (True, False)
    """
    return key == section or key.startswith(f"{section}.")
