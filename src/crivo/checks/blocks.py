"""Checks B001 and B003: a file of `src/blocks` defines exactly one block, and does nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from crivo.checks.project import CHECKS, Project
from crivo.core.findings import Found

EFFECT = (
    "changes {} when it is imported; move that into the method that needs it: every stage imports "
    "every block, but depends only on those in use."
)


@CHECKS.check(
    "B001",
    "A block's file doesn't define exactly one block",
    severity="error",
    example=(
        "src/blocks/models/stacked.py: defines 2 classes derived from Model; a block file defines "
        "exactly one."
    ),
)
def one_block(project: Project) -> Iterator[Found]:
    """A block is found by its file's name. The file must therefore define exactly one subclass of
    the interface of its kind, and it must be importable. Code that blocks share belongs in a file
    whose name starts with `_`. While a file is broken, settings can't be checked.
    """
    yield from project.broken_blocks


@CHECKS.check(
    "B003",
    "A block's file changes something when it is imported",
    severity="error",
    example="src/blocks/models/odd.py: " + EFFECT.format("the state of NumPy's random numbers"),
)
def only_defining(project: Project) -> Iterator[Found]:
    """Every stage imports every block that has a section in `params.yaml`, but depends only on the
    files of the blocks in use. Therefore a block's file, and the code that it imports, may only
    define names. If it set a seed, a pandas option or an environment variable on import, the
    results of other blocks would change without any stage running again. The check imports each
    block and compares these things before and after.
    """
    for path, (_, changed) in project.imports.items():
        if changed:
            yield Found(path, EFFECT.format(changed))
