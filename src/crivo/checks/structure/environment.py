"""E: is the environment the one that the lock describes, and do the stages record it?"""

from __future__ import annotations

from collections.abc import Iterator

from crivo.checks.project import Project
from crivo.checks.registry import Found, check
from crivo.core.environment import lock_differences
from crivo.core.errors import CrivoError
from crivo.core.locked_wheel import installed_otherwise, locked_wheels
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
        differences = lock_differences(project.root / LOCK)
    except CrivoError as error:
        yield Found(LOCK, str(error))
    else:
        for difference in differences:
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


@check(
    "E003",
    "An installed library is not the locked one, byte by byte",
    severity="error",
    example="vendor/crivo-0.1.0-py3-none-any.whl: the installed crivo/core/stage.py is not that of "
    "vendor/crivo-0.1.0-py3-none-any.whl: `python -m pip uninstall --yes crivo`, then install the "
    "lock again.",
)
def same_bytes(project: Project) -> Iterator[Found]:
    """The lock stands for the library that every stage runs: an edit of an installed file would
    change results and leave no trace. Wheels that lie in the project are compared file by file.
    """
    try:
        text = (project.root / LOCK).read_text(encoding="utf-8")
        wheels = locked_wheels(text)
    except (OSError, CrivoError):
        return  # E001 says so
    for wheel in wheels:
        for sentence in installed_otherwise(wheel, project.root):
            yield Found(wheel.path, sentence)
