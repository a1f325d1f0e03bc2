"""P: can the pipeline be read, and does it run the code that stands beside it?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from crivo.checks.project import Project
from crivo.checks.registry import Found, check
from crivo.repository.paths import covers
from crivo.repository.unreadable import Unreadable


@check(
    "P001",
    "The project can't be read",
    severity="error",
    example="params.yaml: mapping values are not allowed here, line 7; correct that line.",
)
def readable(project: Project) -> Iterator[Found]:
    """A file that every other check needs is missing or broken. Fix it first: the
    checks that need it were left out.
    """
    try:
        project.read()
    except Unreadable as error:
        yield Found(error.subject, error.message)


@check(
    "P002",
    "A stage runs no script below `src`",
    severity="error",
    example="train: runs `python -m crivo.train`; write `python src/<stage>.py`, so that a "
    "trial runs the code it stands beside.",
)
def scripts(project: Project) -> Iterator[Found]:
    """`python src/train.py` puts `src` first on the path: a trial, a clone or an older commit
    runs its own code. With `python -m` it would run the code of the workspace, silently. A
    command of another form can't be followed, so nothing could be said about its imports.
    """
    for stage in project.pipeline.stages.values():
        if stage.script is None:
            yield Found(
                stage.name,
                f"runs `{stage.command}`; write `python src/<stage>.py`, so that a trial runs "
                "the code it stands beside.",
            )
        elif not (project.root / stage.script).is_file():
            text = f"runs {stage.script}, which is not there; write it or correct `cmd`."
            yield Found(stage.name, text)


@check(
    "P003",
    "Validation or test rows can reach a fit",
    severity="error",
    example="train: depends on data/features/valid.parquet; training may depend on the "
    "training rows alone, so take this dependency away.",
)
def held_out(project: Project) -> Iterator[Found]:
    """A model is fitted on training rows, chosen on validation rows and confirmed on test rows.
    If the stage `train` depends only on training rows, it can't read any others: a stage that
    opens a file of the project which it doesn't declare is refused.
    """
    stage = project.pipeline.stages.get("train")
    rows = [out.path for out in project.pipeline.outs if PurePosixPath(out.path).stem in HELD_OUT]
    for dep in stage.deps if stage else ():
        if any(covers(dep, path) for path in rows):
            yield Found(
                "train",
                f"depends on {dep}; training may depend on the training rows alone, so take "
                "this dependency away.",
            )


@check(
    "P004",
    "A stage script that imports libraries before it starts",
    severity="error",
    example="src/train.py: doesn't begin with `start_stage()`, so what the shell says can change "
    "results; begin it as src/prepare.py does.",
)
def started(project: Project) -> Iterator[Found]:
    """Libraries read variables such as `PANDAS_FUTURE_INFER_STRING` when they are imported, and
    no experiment records them. `start_stage()` takes them away, so a script that imports
    `crivo.core.stage` calls it before all imports, as `src/prepare.py` does.
    """
    for script in sorted({stage.script or "" for stage in project.pipeline.stages.values()}):
        if (project.root / script).is_file() and not _begins(project.sources.tree(script)):
            yield Found(
                script,
                "doesn't begin with `start_stage()`, so what the shell says can change results; "
                "begin it as src/prepare.py does.",
            )


def _begins(script: ast.Module) -> bool:
    """Return whether a script starts first of all, after its docstring; plain ones needn't."""
    imported = {getattr(node, "module", None) for node in ast.walk(script)}
    if "crivo.core.stage" not in imported:
        return True
    first = script.body[1 if ast.get_docstring(script) is not None else 0]
    return ast.unparse(first) == BEGINNING


HELD_OUT = ("valid", "test")
BEGINNING = """\
if __name__ == '__main__':
    from crivo.core.start import start_stage
    start_stage()"""
