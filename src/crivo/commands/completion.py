"""Completion of what a user types: experiments, and settings with their values."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import typer

from crivo.core.errors import CrivoError


def complete_revision(incomplete: str) -> list[str]:
    """Return the experiments and branches whose names start so; none outside of a project."""
    from crivo.repository.commits import known_names
    from crivo.repository.git import open_repository

    try:
        names = known_names(open_repository())
    except CrivoError:
        return []
    return [name for name in names if name.startswith(incomplete)]


def complete_setting(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the settings that start so; if only one does, with each of its values.

    bash takes `model=fo` for three words unless it is told otherwise.
    """
    given = [*(ctx.params.get("changes") or ctx.params.get("space") or ())]
    if given[-1:] == ["="]:
        found = _settings(f"{given[-2]}={incomplete}", given)
        return [one.partition("=")[2] for one in found]
    return _settings(incomplete, given)


def _settings(incomplete: str, given: Iterable[str]) -> list[str]:
    from crivo.core.blocks import KINDS
    from crivo.core.params import read_settings
    from crivo.records.settings import used

    chosen = dict(text.split("=", 1) for text in given if "=" in text)
    blocks = {kind: name for kind, name in chosen.items() if kind in KINDS}
    try:
        settings = read_settings() | blocks
    except (CrivoError, OSError):
        return []
    name = incomplete.partition("=")[0]
    keys = [key for key in used(settings) if key == name or key.startswith(incomplete)]
    if len(keys) != 1:
        return keys
    (key,) = keys
    return [f"{key}={value}" for value in _values(key, used(settings)[key])]


def _values(key: str, value: Any) -> list[str]:
    """Return what a setting may be, if that is a short list; else its present value."""
    from pydantic import TypeAdapter

    from crivo.core.blocks import KINDS
    from crivo.core.params import Params
    from crivo.core.registry import block_names, find_block
    from crivo.records.settings import KINDS_IN, plain

    if key in KINDS:
        return block_names(key)
    if isinstance(value, bool):
        return ["true", "false"]
    place, _, name = key.rpartition(".")
    folder, _, block = place.partition(".")
    with suppress(CrivoError):
        cls = find_block(KINDS_IN[folder][0], block) if folder in KINDS_IN else Params
        schema = TypeAdapter(cls).json_schema()
        for part in (schema, *schema.get("$defs", {}).values()):
            field = part.get("properties", {}).get(name, {})
            for one in (field, *field.get("anyOf", ())):
                if "enum" in one:
                    return [str(each) for each in one["enum"]]
    return [plain(value)]
