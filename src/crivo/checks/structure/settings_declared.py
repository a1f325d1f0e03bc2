"""S: is every setting valid, and declared by exactly the stages that read it?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from crivo.checks.keys import Key, below, dotted, expand, is_block_section, leaves, merged
from crivo.checks.project import Project
from crivo.checks.registry import Found, check
from crivo.checks.settings_read import read_settings
from crivo.core.params import COMMAND_SECTIONS
from crivo.repository.pipeline import Stage

# Most modules name params.yaml alone: to follow each name in their trees takes long.
A_SETTING = re.compile(r"\bparams\s*\.(?!yaml\b)\s*\w")


@check(
    "S001",
    "A setting is unknown, mistyped or out of range",
    severity="error",
    example="models.boosting.max_itre: unknown setting; did you mean `max_iter`? (settings "
    "here: learning_rate, max_iter)",
)
def valid(project: Project) -> Iterator[Found]:
    """The first stage that runs would stop with the same sentence. Blocks that aren't in use
    are checked too: their settings would stop whoever swaps them in.
    """
    for key, message in project.verdict.settings:
        yield Found(key, message)


@check(
    "S002",
    "A stage reads a setting that it doesn't declare",
    severity="error",
    example="train: reads `seed` and doesn't declare it, so a change of it would be ignored; "
    "add it to `params` of this stage in dvc.yaml.",
)
def declared(project: Project) -> Iterator[Found]:
    """DVC runs a stage again when a setting changed that the stage declares. One that is read
    and not declared leaves the stage "up to date" with old results.
    """
    for stage in project.pipeline.stages.values():
        for key in sorted(_read(project, stage)):
            if any(below(dotted(key), section) for section in stage.params):
                continue
            yield Found(
                stage.name,
                f"reads `{dotted(key)}` and doesn't declare it, so a change of it would be "
                "ignored; add it to `params` of this stage in dvc.yaml.",
            )


@check(
    "S003",
    "A stage declares a setting that it never reads",
    severity="error",
    example="train: declares `evaluate.split` and never reads it; take it out of `params` of "
    "this stage in dvc.yaml, or read it.",
)
def read(project: Project) -> Iterator[Found]:
    """A change of such a setting runs the stage again for nothing, and makes people believe
    that it had an effect.
    """
    for stage in project.pipeline.stages.values():
        if stage.script:
            for key in sorted(_declared(project, stage) - _read(project, stage)):
                yield Found(
                    stage.name,
                    f"declares `{dotted(key)}` and never reads it; take it out of `params` of "
                    "this stage in dvc.yaml, or read it.",
                )


@check(
    "S004",
    "A setting that no stage declares",
    severity="error",
    example="train.epochs: no stage declares it, so a trial that changes it changes nothing; "
    "read and declare it in a stage, or delete it from params.yaml.",
)
def used(project: Project) -> Iterator[Found]:
    """`dvc exp run -S` accepts the change of any key in `params.yaml`. When no stage declares
    the key, the experiment equals its parent and nothing says so. Sections of blocks that
    aren't in use are exempt, and settings that a command reads (`params.<key>`).
    """
    settings = project.settings
    known = _read_by_commands(project) | _expanded(project, project.pipeline.templated)
    for stage in project.pipeline.stages.values():
        known |= _declared(project, stage)
    known |= {key for key in leaves(settings) if key[0] in COMMAND_SECTIONS}
    idle = {key for key in leaves(settings) if key not in known and not is_block_section(key)}
    refused = [key for key, _ in project.verdict.settings]
    for key in merged(settings, idle):
        # S001 has said already that there is no such setting.
        if not any(below(dotted(key), other) for other in refused):
            yield Found(
                dotted(key),
                "no stage declares it, so a trial that changes it changes nothing; read and "
                "declare it in a stage, or delete it from params.yaml.",
            )


def _declared(project: Project, stage: Stage) -> set[Key]:
    return _expanded(project, stage.params)


def _expanded(project: Project, names: Iterable[str]) -> set[Key]:
    return expand((tuple(name.split(".")) for name in names), project.settings)


def _read(project: Project, stage: Stage) -> set[Key]:
    return expand(project.settings_read(stage.name).keys(project.settings), project.settings)


def _read_by_commands(project: Project) -> set[Key]:
    """Return the settings that code outside the stages reads, such as limits and margins."""
    keys_read: set[Key] = set()
    for path in project.repository.candidates("src/*.py"):
        text = (project.root / path).read_text(encoding="utf-8")
        if A_SETTING.search(text) and path not in project.code_in_use:
            keys_read |= read_settings(project.sources.tree(path)).keys(project.settings)
    return expand(keys_read, project.settings)
