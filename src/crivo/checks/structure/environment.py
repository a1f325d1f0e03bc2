"""E: is the environment the one that the lock describes, and do the stages record it?"""

from __future__ import annotations

from collections.abc import Iterator

from crivo.checks.project import Project
from crivo.checks.registry import Found, check
from crivo.core.environment import differences, locked_versions
from crivo.core.errors import CrivoError
from crivo.repository.paths import covers

LOCK = "requirements.txt"


@check(
    "E001",
    "The environment differs from the lock",
    severity="error",
    example="requirements.txt: pandas is 3.0.1 (locked 3.0.3); run `make install`.",
)
def as_locked(project: Project) -> Iterator[Found]:
    """Other versions give other numbers. Stages refuse to run in such an environment. Packages
    that the lock doesn't name make no difference.
    """
    try:
        found = differences(locked_versions(project.root / LOCK))
    except CrivoError as error:
        yield Found(LOCK, str(error))
    else:
        for difference in found:
            yield Found(LOCK, f"{difference}; run `make install`.")


@check(
    "E002",
    "A stage doesn't depend on the lock",
    severity="error",
    example="train: doesn't depend on requirements.txt; add it to `deps` of this stage in "
    "dvc.yaml, so that every experiment records its environment.",
)
def recorded(project: Project) -> Iterator[Found]:
    """With the lock among its dependencies, an experiment records its environment, and another
    environment makes the stage run again.
    """
    for stage in project.pipeline.stages.values():
        if not any(covers(dep, LOCK) for dep in stage.deps):
            yield Found(
                stage.name,
                f"doesn't depend on {LOCK}; add it to `deps` of this stage in dvc.yaml, so that "
                "every experiment records its environment.",
            )
