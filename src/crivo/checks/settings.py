"""S: is every setting valid, declared by a stage, and read?

A stage that reads a setting that it doesn't declare is refused when it runs. Keys of `params.yaml`
are tuples of names: `("evaluate", "split")`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from crivo.checks.project import Project, check
from crivo.core.blocks import KINDS
from crivo.core.findings import Found
from crivo.core.params import COMMAND_SECTIONS
from crivo.repository.pipeline import Stage

Key = tuple[str, ...]

FOLDERS = frozenset(folder for folder, _ in KINDS.values())


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
    for key, message in project.wrong_settings:
        yield Found(key, message)


@check(
    "S003",
    "A stage declares a setting that no stage reads",
    severity="error",
    example="train: declares `evaluate.slices` and no stage reads it; take it out of `params` of "
    "this stage in dvc.yaml, or read it.",
)
def read(project: Project) -> Iterator[Found]:
    """A change of such a setting runs the stage again for nothing, and makes people believe
    that it had an effect. Each stage notes what it reads when it runs; nothing is said before all
    of them have run with what `dvc.yaml` declares now. What another stage reads is fine.
    """
    keys = project.made_use_of("read")
    for stage in project.pipeline.stages.values() if keys is not None else ():
        for name in stage.params if stage.script else ():
            if not any(below(name, key) or below(key, name) for key in keys or ()):
                yield Found(
                    stage.name,
                    f"declares `{name}` and no stage reads it; take it out of `params` of "
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
    aren't in use are exempt, and the settings of commands.
    """
    settings = project.settings
    known = _expanded(project, project.pipeline.templated)
    for stage in project.pipeline.stages.values():
        known |= _declared(project, stage)
    known |= {key for key in leaves(settings) if key[0] in COMMAND_SECTIONS}
    idle = {key for key in leaves(settings) if key not in known and not is_block_section(key)}
    refused = [key for key, _ in project.wrong_settings]
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


def dotted(key: Key) -> str:
    """Return a key as `dvc.yaml` and `-S` write it."""
    return ".".join(key)


def below(key: str, section: str) -> bool:
    """Return whether a dotted key is a section or lies in it.

    >>> below("models.forest", "models"), below("model", "models")
    (True, False)
    """
    return key == section or key.startswith(f"{section}.")


def is_block_section(key: Key) -> bool:
    """Return whether a key lies in the section of a block, in use or not."""
    return len(key) > 1 and key[0] in FOLDERS


def leaves(settings: Any, key: Key = ()) -> Iterator[Key]:
    """Yield the key of each value; an empty section counts as one."""
    if isinstance(settings, Mapping) and settings:
        for name, value in settings.items():
            yield from leaves(value, (*key, str(name)))
    else:
        yield key


def value_at(settings: Any, key: Key) -> Any:
    """Return the value or section of a key, or None when there is none."""
    for name in key:
        if not isinstance(settings, Mapping) or name not in settings:
            return None
        settings = settings[name]
    return settings


def expand(keys: Iterable[Key], settings: Mapping[str, Any]) -> set[Key]:
    """Return the keys of all values below these keys, and a key itself that has none."""
    return {leaf for key in keys for leaf in leaves(value_at(settings, key), key)}


def merged(settings: Any, keys: set[Key], section: Key = ()) -> Iterator[Key]:
    """Yield these keys, and a section that they make up completely as one.

    >>> list(merged({"a": {"b": 1, "c": 2}, "d": {"e": 1, "f": 2}},
    ...             {("a", "b"), ("a", "c"), ("d", "f")}))
    [('a',), ('d', 'f')]
    """
    if section and set(leaves(settings, section)) <= keys:
        yield section
    elif isinstance(settings, Mapping):
        for name, value in settings.items():
            yield from merged(value, keys, (*section, str(name)))
