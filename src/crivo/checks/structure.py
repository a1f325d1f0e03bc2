"""The checks P, S, D, B, G, N and E: the pipeline, its files and its environment are sound.

A stage that reads a setting or a file that it doesn't declare is refused when it runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePosixPath

from crivo.checks.project import CHECKS, Project
from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.findings import Found
from crivo.core.params import COMMAND_SECTIONS
from crivo.repository.lock import covers, flat
from crivo.repository.pipeline import Unreadable
from crivo.runtime.environment import lock_differences

HELD_OUT = ("valid", "test")
FOLDERS = frozenset(folder for folder, _ in KINDS.values())
LOCK = "requirements.txt"
NO_SCRIPT = (
    "runs `{}`; write `python src/<stage>.py`, so that a trial runs its own copy of the code."
)
REACHED = "depends on {}; training may depend only on the training rows, so remove this dependency."
UNREAD = (
    "declares `{}`, but no stage reads it; remove it from this stage's `params` in dvc.yaml, or "
    "read it."
)
UNDECLARED = (
    "no stage declares it, so a trial that changes it has no effect; read and declare it in a "
    "stage, or delete it from params.yaml."
)
IDLE = "depends on {} but imports nothing from it; remove it from this stage's `deps` in dvc.yaml."
FORGOTTEN = (
    "dvc.yaml no longer declares {}, which dvc.lock records, so the stage doesn't run when it "
    "changes; declare it again, or run `dvc repro --single-item --force {}`, which stops if the "
    "stage needs it."
)
OTHER = "{}; run `make install`."
UNRECORDED = (
    f"doesn't depend on {LOCK}; add it to this stage's `deps` in dvc.yaml, so that every "
    "experiment records its environment."
)
# Files that a run needs though no stage names them.
ALWAYS = ("dvc.yaml", "params.yaml", "dvc.lock", ".dvc/config", ".dvcignore", ".gitignore")
EFFECT = (
    "changes {} when it is imported; move this code into the method that needs it: every stage "
    "imports every block that has settings, but depends only on those in use."
)
LOST = "is in use, but {}, because nobody else has it."
UNTRACKED = "git doesn't track it; `git add` it"
FULL = "cells with output or an execution count: {}; clear all outputs and save the notebook."


@CHECKS.check(
    "P001",
    "The project can't be read",
    severity="error",
    example="params.yaml: mapping values are not allowed here, line 7; correct that line.",
)
def readable(project: Project) -> Iterator[Found]:
    """A file that all other checks need is missing or broken, so they were skipped. Fix this file
    first.
    """
    try:
        _ = project.settings, project.pipeline
    except Unreadable as error:
        yield Found(error.subject, error.message)


@CHECKS.check(
    "P002",
    "A stage's command runs no script in `src`",
    severity="error",
    example=f"train: {NO_SCRIPT.format('python -m crivo.train')}",
)
def scripts(project: Project) -> Iterator[Found]:
    """`python src/train.py` puts the folder `src` first on Python's path, so a trial, a clone or an
    older commit runs its own code. `python -m` would silently run the workspace's code instead. If
    the command has any other form, crivo can't check which code it imports.
    """
    for stage in project.pipeline.stages.values():
        if stage.script is None:
            yield Found(stage.name, NO_SCRIPT.format(stage.command))
        elif not (project.root / stage.script).is_file():
            missing = f"runs {stage.script}, which is not there; write it or correct `cmd`."
            yield Found(stage.name, missing)


@CHECKS.check(
    "P003",
    "Validation or test rows can be used for fitting",
    severity="error",
    example=f"train: {REACHED.format('data/features/valid.parquet')}",
)
def held_out(project: Project) -> Iterator[Found]:
    """A model is fitted on training rows, chosen on validation rows and confirmed on test rows. A
    stage stops if it reads a project file that it doesn't declare (decision 0003 says which reads
    are detected). As long as the stage `train` depends only on training rows, it therefore can't
    read any others by mistake.
    """
    stage = project.pipeline.stages.get("train")
    rows = [out.path for out in project.pipeline.outs if PurePosixPath(out.path).stem in HELD_OUT]
    for dep in stage.deps if stage else ():
        if any(covers(dep, path) for path in rows):
            yield Found("train", REACHED.format(dep))


@CHECKS.check(
    "S001",
    "A setting is unknown, of the wrong type or out of range",
    severity="error",
    example=(
        "models.boosting.max_itre: unknown setting; did you mean `max_iter`? (settings here: "
        "learning_rate, max_iter)"
    ),
)
def valid(project: Project) -> Iterator[Found]:
    """The first stage would stop with the same message. The settings of unused blocks are checked
    too, because a wrong one would stop everybody who chooses this block.
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
    change had an effect. To find these settings, each stage records what it reads. The check
    reports nothing until all stages have run with the current `params` in `dvc.yaml`, and it
    doesn't report a setting that another stage reads.
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
    experiment is identical to its parent, and DVC doesn't say so. The check ignores the sections of
    unused blocks, and settings that only commands read.
    """
    known = {*project.pipeline.templated, *COMMAND_SECTIONS}
    known |= {name for stage in project.pipeline.stages.values() for name in stage.params}
    # S001 has said already that there is no such setting.
    known |= {key for key, _ in project.wrong_settings}
    for key in flat(project.settings):
        of_block = "." in key and key.partition(".")[0] in FOLDERS
        if not of_block and not any(below(key, one) for one in known):
            yield Found(key, UNDECLARED)


@CHECKS.check(
    "D002",
    "A stage depends on code that it doesn't run",
    severity="warning",
    example=f"train: {IDLE.format('src/crivo/evaluation')}",
)
def needed(project: Project) -> Iterator[Found]:
    """If you change such a file, the stage runs again for nothing. To find these files, each stage
    records what it imports. The check reports nothing until all stages have run with the current
    `deps` in `dvc.yaml`. It doesn't report a folder if any file in it is used, or if it contained
    no code when the stage ran. It doesn't report a file that another stage uses.
    """
    used = project.made_use_of("code")
    for stage in project.pipeline.stages.values() if used is not None else ():
        for dep in stage.deps if stage.script else ():
            if covers("src", dep) and dep not in (used or ()):
                yield Found(stage.name, IDLE.format(dep))


@CHECKS.check(
    "D006",
    "A stage no longer declares a file or setting that dvc.lock records",
    severity="error",
    example=f"train: {FORGOTTEN.format('src/blocks/models/linear.py', 'train')}",
)
def forgotten(project: Project) -> Iterator[Found]:
    """If you delete a line from a stage's `deps` or `params`, DVC doesn't run the stage again. If
    the stage needs this file or setting, its results become stale, and `dvc status` doesn't say so.
    A stage stops if it reads what it doesn't declare, but only when it runs. The check doesn't
    report a stage that will run anyway because `dvc.yaml` also declares something new for it.
    """
    now = flat(project.settings)
    for stage in project.pipeline.stages.values():
        declared = {*stage.deps, *(key for key in now if any(below(key, p) for p in stage.params))}
        locked = project.locked.get(stage.name)
        # Settings that params.yaml doesn't have may be in another file of settings.
        recorded = {*locked.deps, *(locked.settings.keys() & now)} if locked else set()
        for what in sorted(recorded - declared) if declared <= recorded else ():
            yield Found(stage.name, FORGOTTEN.format(what, stage.name))


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
    """A block is found by the name of its file. The file must therefore be importable and define
    exactly one subclass of the class of its kind, such as `Model` (for a metric or a check: one
    function). Otherwise, its settings can't be checked. Put code that blocks share into a file
    whose name starts with `_`.
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
    files of the blocks in use. A block's file, and the code that it imports, may therefore only
    define names. If the import set a seed, a pandas option or an environment variable, the results
    of other blocks would change, and no stage would run again. The check imports each block, and
    compares these things before and after.
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
    missing in trials, in clones and in the record. Raw data must be recorded too, either in git or
    by a `.dvc` file that contains their hash.
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
    "N001",
    "A notebook contains output",
    severity="error",
    example=f"notebooks/01-explore-data.ipynb: {FULL.format(3)}",
)
def without_output(project: Project) -> Iterator[Found]:
    """If a notebook is saved with its output, every run changes the file. This hides the real
    changes, and the output may contain private data. In Jupyter, use "Clear Outputs of All Cells".
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


@CHECKS.check(
    "E001",
    "The environment differs from the lock file",
    severity="error",
    example=f"{LOCK}: {OTHER.format('pandas is 3.0.1 (locked 3.0.3)')}",
)
def as_locked(project: Project) -> Iterator[Found]:
    """The lock file, `requirements.txt`, names the version of each package. Other versions may give
    other numbers, so stages refuse to run with them. The check ignores packages that the lock file
    doesn't name.
    """
    try:
        for difference in lock_differences(project.root / LOCK):
            yield Found(LOCK, OTHER.format(difference))
    except CrivoError as error:
        yield Found(LOCK, str(error))


@CHECKS.check(
    "E002",
    "A stage doesn't depend on the lock file",
    severity="error",
    example=f"train: {UNRECORDED}",
)
def recorded(project: Project) -> Iterator[Found]:
    """If a stage depends on the lock file `requirements.txt`, every experiment records its
    environment, and the stage runs again when the environment changes.
    """
    for stage in project.pipeline.stages.values():
        if not any(covers(dep, LOCK) for dep in stage.deps):
            yield Found(stage.name, UNRECORDED)


def below(key: str, section: str) -> bool:
    """Return whether a dotted key is a section or lies in it.

    >>> below("models.forest", "models"), below("model", "models")
    (True, False)
    """
    return key == section or key.startswith(f"{section}.")
