"""Checks B, G and N: blocks' files are sound, git or DVC keeps every file, notebooks are empty."""

from __future__ import annotations

import json
from collections.abc import Iterator

from crivo.checks.project import CHECKS, Project
from crivo.core.findings import Found
from crivo.repository.lock import covers

# Files that a run needs though no stage names them.
ALWAYS = ("dvc.yaml", "params.yaml", "dvc.lock", ".dvc/config", ".dvcignore", ".gitignore")
EFFECT = (
    "changes {} when it is imported; move that into the method that needs it: every stage imports "
    "every block, but depends only on those in use."
)
LOST = "is in use, but {}, because nobody else has it."
UNTRACKED = "git doesn't track it; `git add` it"
VISIBLE = "is kept by DVC, but {}."
UNNAMED = "no committed .gitignore names it; add /{} to .gitignore"
FULL = "{} of its cells have output or an execution count; clear all outputs and save the notebook."


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


@CHECKS.check(
    "G001",
    "A file in use is neither in git nor in DVC",
    severity="error",
    example=f"src/blocks/models/new.py: {LOST.format(UNTRACKED)}",
)
def tracked(project: Project) -> Iterator[Found]:
    """An experiment's code comes from its commit. A file that git ignores or doesn't track is
    missing from trials, clones and the record. Raw data must also be recorded, either in git or by
    a `.dvc` file with their hash.
    """
    known, ignored = project.tracked, project.repository.ignored
    used = {path for path in ALWAYS if (project.root / path).is_file()}
    used |= {raw.stage for raw in project.pipeline.raw}
    for dep, files in project.pipeline.files.items():
        if covers("src", dep) or dep.endswith(".py") or any(covers(dep, path) for path in known):
            code = {file for file in files if file.endswith(".py")}
            used |= code | ({*files} - ignored(files).keys())
        else:
            state = f"neither git nor DVC keeps it; `dvc add {dep}` and commit {dep}.dvc"
            yield Found(dep, LOST.format(state))
    rules = ignored(used - known)
    for path in sorted(used - known):
        state = UNTRACKED
        if path in rules:
            state = f"git ignores it ({rules[path]}); change that rule and `git add` it"
        yield Found(path, LOST.format(state))


@CHECKS.check(
    "G002",
    "Git doesn't ignore an output of a stage",
    severity="error",
    example=f"models/model.skops: {VISIBLE.format(UNNAMED.format('models/model.skops'))}",
)
def ignored(project: Project) -> Iterator[Found]:
    """When a stage succeeds, DVC adds a line to `.gitignore` for each output that it stores. When
    the stage fails, DVC removes the line. Commit these lines; without them, `git status` is never
    clean.
    """
    cached = [out for out in project.pipeline.outs if out.cached]
    rules = project.repository.ignored(
        path for out in cached for path in (out.path, f"{out.path}/")
    )
    for out in cached:
        rule = rules.get(out.path) or rules.get(f"{out.path}/") or ""
        if any(covers(out.path, path) for path in project.tracked):
            tracked = f"git tracks it too; `git rm -r --cached {out.path}`"
            yield Found(out.path, VISIBLE.format(tracked))
        elif rule.partition(":")[0] not in project.tracked:
            yield Found(out.path, VISIBLE.format(UNNAMED.format(out.path)))


@CHECKS.check(
    "N001",
    "A notebook contains output",
    severity="error",
    example=f"notebooks/01-explore-data.ipynb: {FULL.format(3)}",
)
def without_output(project: Project) -> Iterator[Found]:
    """Stored output makes every run of a notebook show up as a change, hides the real changes, and
    may contain private data. To remove it in Jupyter, use "Clear Outputs of All Cells".
    """
    for path in project.repository.not_ignored("*.ipynb"):
        try:
            cells = json.loads((project.root / path).read_text(encoding="utf-8"))["cells"]
            full = [c for c in cells if c.get("outputs") or c.get("execution_count") is not None]
        except (ValueError, LookupError, TypeError, AttributeError):
            yield Found(path, "can't be read as a notebook; restore it with git.")
            continue
        if full:
            yield Found(path, FULL.format(len(full)))
