"""D: does every stage depend on the code it runs, and on no other?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES, PathFinder
from pathlib import Path

from crivo.checks.imports import SRC
from crivo.checks.modelfile import classes_in
from crivo.checks.project import Project
from crivo.checks.registry import Found, check
from crivo.core.blocks import KINDS
from crivo.core.codepath import LIBRARY
from crivo.repository.paths import covers
from crivo.repository.pipeline import Stage


@check(
    "D001",
    "A stage runs code that it doesn't depend on",
    severity="error",
    example="train: uses src/crivo/training/early_stopping.py, and no dependency covers it; add it "
    "to `deps` of this stage in dvc.yaml, or a change of it leaves old results.",
)
def complete(project: Project) -> Iterator[Found]:
    """DVC runs a stage again when a dependency changed. A file that is imported, at any depth, and
    not listed leaves the stage "up to date" with old results. Blocks in use count, and so do files
    beside the code that a string in it names, such as templates. Files of the library count if they
    are in `src/crivo` beside the stages; an installed library is part of the lock, on which every
    stage depends (E002).
    """
    for stage in project.pipeline.stages.values():
        for path in sorted(_code_used(project, stage)):
            if not any(covers(dep, path) for dep in stage.deps):
                yield Found(
                    stage.name,
                    f"uses {path}, and no dependency covers it; add it to `deps` of this stage "
                    "in dvc.yaml, or a change of it leaves old results.",
                )


@check(
    "D002",
    "A stage depends on code that it doesn't run",
    severity="warning",
    example="train: depends on src/crivo/evaluation and imports nothing of it; take it out of "
    "`deps` of this stage in dvc.yaml.",
)
def needed(project: Project) -> Iterator[Found]:
    """A change of such a file runs the stage again for nothing. A folder is fine when any file
    in it is used, and so is the block behind a stored model that the stage loads (D004).
    """
    for stage in project.pipeline.stages.values():
        used = _code_used(project, stage) | project.closure(stage.name)
        if any(dep.endswith(".skops") for dep in stage.deps):
            used |= {path for kind in KINDS if (path := project.chosen(kind))}
        for dep in stage.deps if stage.script else ():
            if covers("src", dep) and not any(covers(dep, path) for path in used):
                yield Found(
                    stage.name,
                    f"depends on {dep} and imports nothing of it; take it out of `deps` of this "
                    "stage in dvc.yaml.",
                )


@check(
    "D003",
    "An import that can't be followed",
    severity="warning",
    example="src/blocks/models/any.py:14: imports by a name that isn't written there; import it "
    "by its name, or see to it that what it may load is a dependency.",
)
def followed(project: Project) -> Iterator[Found]:
    """`importlib.import_module(name)` with a computed name may load project code that no
    dependency covers. Libraries are safe: the lock is a dependency. Where the package is
    written, as in `f"{__name__}.{name}"`, all its modules count as imported.
    """
    for path in sorted(project.code_in_use):
        for line in project.sources.unclear_imports(path):
            yield Found(
                f"{path}:{line}",
                "imports by a name that isn't written there; import it by its name, or see "
                "to it that what it may load is a dependency.",
            )


@check(
    "D004",
    "A stage loads a model made of code that it doesn't depend on",
    severity="error",
    example="evaluate: loads models/model.skops, which holds objects of "
    "src/blocks/models/stacked.py; add that file to `deps` of this stage in dvc.yaml.",
)
def loaded(project: Project) -> Iterator[Found]:
    """A stored model refers to its classes by name. If a class is defined in the project, for
    example in a block's file, a change of its `predict` changes the results of `evaluate`, although
    the stored model stays the same.
    """
    for stage in project.pipeline.stages.values():
        for dep in stage.deps:
            for module in sorted(classes_in(project.root / dep)):
                path = project.sources.module(tuple(module.split(".")))
                for used in sorted(project.sources.closure([path])) if path else ():
                    if _matters(project, used) and not any(covers(d, used) for d in stage.deps):
                        yield Found(
                            stage.name,
                            f"loads {dep}, which holds objects of {used}; add that file to "
                            "`deps` of this stage in dvc.yaml.",
                        )


@check(
    "D005",
    "A module in `src` hides a library",
    severity="error",
    example="src/random.py: hides Python's own `random` from every stage; rename it.",
)
def hiding(project: Project) -> Iterator[Found]:
    """A stage has `src` first on its path: a module there wins over one of Python's own, or of
    the environment, of the same name, for every library too.
    """
    for path in sorted((project.root / SRC).iterdir()):
        name = path.name.partition(".")[0]
        of = _library(name) if _is_module(path) and name != LIBRARY.name else None
        if of:
            yield Found(f"{SRC}/{path.name}", f"hides {of} `{name}` from every stage; rename it.")


def _is_module(path: Path) -> bool:
    return any(path.glob("*.py")) or path.name.endswith((".py", *EXTENSION_SUFFIXES))


def _library(name: str) -> str | None:
    """Return whose module a name is, in words; None when it is nobody's."""
    if name in sys.stdlib_module_names:
        return "Python's own"
    installed = [folder for folder in sys.path if folder.endswith("-packages")]
    return "the library" if PathFinder.find_spec(name, installed) else None


def _code_used(project: Project, stage: Stage) -> set[str]:
    """Return the files whose change can change what a stage does."""
    modules = {path for path in project.closure(stage.name) if _matters(project, path)}
    return modules.union(*(project.sources.files_named(path) for path in modules))


def _matters(project: Project, path: str) -> bool:
    """Return whether a module can have an effect: an empty `__init__.py` can't."""
    return not (path.endswith("/__init__.py") and project.sources.is_empty(path))
