"""Makes docs/reference/settings.md, all settings, from the classes that check `params.yaml`."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from crivo.core.blocks import KINDS
from crivo.core.params import Params
from crivo.core.parsing import parse_yaml
from crivo.core.registry import find_block
from crivo.reference.pages import head, in_words

TABLE = "| setting | takes | default | meaning |\n| --- | --- | --- | --- |"
FOLDERS = {folder: kind for kind, (folder, _) in KINDS.items() if kind != "baseline"}


def settings_page() -> str:
    """Return the page: each section and shipped block of which settings.yaml has sentences."""
    lines, folder = [head("settings").rstrip()], ""
    for place, named in sentences().items():
        section, _, name = place.partition(".")
        if section in FOLDERS:
            cls = find_block(FOLDERS[section], name)
            first = (inspect.getdoc(cls) or "").partition("\n\n")[0]
            lines += [f"\n## {section}"] * (folder != section)
            lines += [f"\n### `{place}`\n\n{' '.join(first.split())}\n"]
            schema, folder = TypeAdapter(cls).json_schema(), section
        else:
            lines.append(f"\n## `{place}`\n" if place else "\n## At the top\n")
            schema = _section(place)
        names = [name for name in schema.get("properties", ()) if place or name in named]
        rows = [TABLE, *(_row(schema, name, named, place) for name in names)]
        lines += rows if names else ["It has no settings: `{}`."]
    return "\n".join(lines) + "\n"


def _section(place: str) -> dict[str, Any]:
    """Return the schema of a section by where it stands in params.yaml; NAME is any name."""
    schema: dict[str, Any] = TypeAdapter(Params).json_schema()
    parts = schema["$defs"]
    for name in filter(None, place.split(".")):
        schema = schema["additionalProperties"] if name == "NAME" else schema["properties"][name]
        if "$ref" in schema:
            schema = parts[schema["$ref"].rpartition("/")[2]]
    return schema


def _row(schema: Mapping[str, Any], name: str, named: Mapping[str, str], place: str) -> str:
    value = schema["properties"][name]
    default = "must be given"
    if name not in schema.get("required", ()):
        usual = value.get("default", {})
        text = usual if usual and isinstance(usual, str) else json.dumps(usual)
        default = "" if isinstance(usual, dict) and usual else f"`{text}`"
    takes = in_words(value)
    if not place and name in KINDS:
        takes = "name of a block in [{0}](#{0})".format(KINDS[name][0])
    cells = (f"`{name}`", takes, default, named.get(name, ""))
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


@cache
def sentences() -> dict[str, dict[str, str]]:
    """Return the sentence of each setting by the section or block that it stands in."""
    return dict(parse_yaml(Path(__file__).with_name("settings.yaml").read_bytes()))
