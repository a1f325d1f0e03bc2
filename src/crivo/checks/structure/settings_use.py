"""S: can one see which settings are read, and is a changed one in use?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from crivo.checks.keys import Key, dotted, is_block_section, leaves, value_at
from crivo.checks.project import Project
from crivo.checks.registry import Found, check
from crivo.checks.settings_read import read_settings
from crivo.core.blocks import KINDS

# The settings' own reader is there.
CORE = "src/crivo/core/"


@check(
    "S005",
    "Settings are read where nobody can see it",
    severity="error",
    example="src/train.py:12: `params` is given away or read by a computed name; write "
    "`params.<section>.<setting>` and hand on the value.",
)
def visible(project: Project) -> Iterator[Found]:
    """Only stage scripts read settings, as `params.evaluate.split` or `params.block("model")`;
    other code receives values. If other code reads a setting, `dvc.yaml` and the checks S002 and
    S003 don't know about it.
    """
    scripts = {stage.script for stage in project.pipeline.stages.values()}
    for path in sorted(project.code_in_use):
        if path in scripts:
            for line in sorted(read_settings(project.sources.tree(path)).unclear):
                yield Found(
                    f"{path}:{line}",
                    "`params` is given away or read by a computed name; write "
                    "`params.<section>.<setting>` and hand on the value.",
                )
        if not path.startswith(CORE) and _reads_file(project, path):
            yield Found(
                path,
                "reads params.yaml itself; take the setting from `params` in the stage's script "
                "and hand on the value.",
            )


@check(
    "S006",
    "A changed setting of a block that isn't in use",
    severity="note",
    example="models.forest.trees: changed since the last commit, but `forest` is not in use: an "
    "experiment with it equals its parent.",
)
def in_use(project: Project) -> Iterator[Found]:
    """Changing the settings of a block that isn't in use changes no result. Choose the block
    as well: `-S model=forest -S models.forest.trees=300`.
    """
    before = project.committed_settings
    for key in leaves(project.settings) if before else ():
        changed = value_at(project.settings, key) != value_at(before, key)
        if changed and is_block_section(key) and not _chosen(project, key):
            yield Found(
                dotted(key),
                f"changed since the last commit, but `{key[1]}` is not in use: an experiment "
                "with it equals its parent.",
            )


def _chosen(project: Project, key: Key) -> bool:
    return any(
        folder == key[0] and project.settings.get(kind) == key[1]
        for kind, (folder, _) in KINDS.items()
    )


def _reads_file(project: Project, path: str) -> bool:
    called = {
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for node in project.sources.nodes(path)
        if isinstance(node, ast.Call)
    }
    return "params.yaml" in project.sources.strings(path) or bool(
        called & {"read_params", "params_show"}
    )
