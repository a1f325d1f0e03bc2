"""B: is every block's file what a block's file has to be?"""

from __future__ import annotations

from collections.abc import Iterator

from crivo.checks.effects import effects
from crivo.checks.imports import imported_at_once
from crivo.checks.keys import FOLDERS
from crivo.checks.project import Project
from crivo.checks.registry import Found, check
from crivo.core.registry import BLOCKS
from crivo.repository.paths import covers

# Each takes half a second or more to import.
HEAVY = frozenset(
    (
        *("catboost", "lightgbm", "matplotlib", "pandera", "scipy", "sklearn", "skops", "skrub"),
        *("statsmodels", "tensorflow", "torch", "transformers", "xgboost"),
    )
)


@check(
    "B001",
    "A block's file doesn't define one block",
    severity="error",
    example="src/blocks/models/stacked.py: defines 2 classes derived from Model; a block file "
    "defines exactly one.",
)
def one_block(project: Project) -> Iterator[Found]:
    """A block is found by its file's name, so its file defines one class derived from the
    interface of its kind, and can be imported. Other code that blocks share goes to a file
    whose name starts with `_`. As long as a file is broken, settings can't be checked.
    """
    for path, message in project.verdict.blocks:
        yield Found(path, message)


@check(
    "B002",
    "A block's file imports a heavy library at once",
    severity="warning",
    example="src/blocks/models/deep.py:5: imports torch when the file is imported; import it in "
    "the method that needs it: every stage imports every block to check its settings.",
)
def light(project: Project) -> Iterator[Found]:
    """Every stage imports every block that `params.yaml` has a section for, to refuse a wrong
    setting before any work. Half a second in one block's file slows down all stages of every trial.
    """
    for folder in sorted(FOLDERS):
        for path in project.repository.candidates(f"{BLOCKS}/{folder}/*.py"):
            for name, line in imported_at_once(project.sources.tree(path)):
                if name in HEAVY:
                    yield Found(
                        f"{path}:{line}",
                        f"imports {name} when the file is imported; import it in the method "
                        "that needs it: every stage imports every block to check its settings.",
                    )


@check(
    "B003",
    "A block's file changes something when it is imported",
    severity="error",
    example="src/blocks/models/odd.py:4: calls np.random.seed when the file is imported; move it "
    "into the method that needs it: every stage imports every block, and depends on those in use.",
)
def only_defining(project: Project) -> Iterator[Found]:
    """Every stage imports every block that `params.yaml` has a section for, and depends on the
    files of those in use alone. So a block's file, and what it imports, only defines names of
    its own: a seed, an option of pandas or an attribute of a library that it sets there would
    change the results of other blocks, and no stage would run again.
    """
    stages = project.pipeline.stages.values()
    for path in sorted(project.sources.closure(project.block_files)):
        shared = all(any(covers(dep, path) for dep in stage.deps) for stage in stages)
        if path in project.block_files or not shared:
            for line, what in effects(project.sources.tree(path)):
                yield Found(
                    f"{path}:{line}",
                    f"{what} when the file is imported; move it into the method that needs it: "
                    "every stage imports every block, and depends on those in use.",
                )
