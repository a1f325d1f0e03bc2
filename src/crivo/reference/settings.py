"""Makes docs/reference/settings.md, all settings, from the classes that check `params.yaml`."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from crivo.core.blocks import KINDS
from crivo.core.params import Params
from crivo.core.parsing import parse_yaml
from crivo.core.registry import block_names, find_block
from crivo.reference import head
from crivo.reference.schema_words import in_words

PAGE = Path("docs/reference/settings.md")
SENTENCES = Path(__file__).with_name("settings.yaml")

TABLE = "| setting | takes | default | meaning |\n| --- | --- | --- | --- |"
FOLDERS = {folder: kind for kind, (folder, _) in KINDS.items() if kind != "baseline"}


def settings_page(names_of: Callable[[str], Sequence[str]] = block_names) -> str:
    """Return the page; `names_of` gives the names of the blocks of a kind to describe."""
    params = TypeAdapter(Params).json_schema()
    sections = dict(_sections(params, params["$defs"]))
    lines = [head("settings"), "## At the top\n", TABLE]
    named = {place.partition(".")[0] for place in sections} | FOLDERS.keys()
    lines += [_row(params, "", name) for name in params["properties"] if name not in named]
    for place, schema in sections.items():
        lines += [f"\n## `{place}`\n", *_table(schema, place)]
    for folder, kind in FOLDERS.items():
        lines.append(f"\n## {folder}")
        for name in names_of(kind):
            cls = find_block(kind, name)
            lines.append(f"\n### `{folder}.{name}`\n\n{_introduction(cls)}\n")
            lines += _table(TypeAdapter(cls).json_schema(), f"{folder}.{name}")
    return "\n".join(lines) + "\n"


def _sections(
    schema: Mapping[str, Any], parts: Mapping[str, Any], place: str = ""
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give the sections below one, by where they stand in params.yaml; NAME is any name."""
    for name, value in schema["properties"].items():
        of_any_name = value.get("additionalProperties")
        inner, end = (of_any_name, ".NAME") if isinstance(of_any_name, dict) else (value, "")
        if "$ref" in inner:
            section = parts[inner["$ref"].rpartition("/")[2]]
            yield f"{place}{name}{end}", section
            yield from _sections(section, parts, f"{place}{name}.")


def _table(schema: Mapping[str, Any], place: str) -> list[str]:
    if not schema.get("properties"):
        return ["It has no settings: `{}`."]
    return [TABLE, *(_row(schema, place, name) for name in schema["properties"])]


def _row(schema: Mapping[str, Any], place: str, name: str) -> str:
    value = schema["properties"][name]
    default = "must be given"
    if name not in schema.get("required", ()):
        usual = value.get("default", {})
        text = usual if isinstance(usual, str) else json.dumps(usual)
        default = "" if isinstance(usual, dict) and usual else f"`{text}`"
    takes = in_words(value)
    if not place and name in KINDS:
        takes = "name of a block in [{0}](#{0})".format(KINDS[name][0])
    cells = (f"`{name}`", takes, default, sentence(place, name))
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _introduction(cls: type) -> str:
    """Return the first paragraph of a class's docstring on one line."""
    text = " ".join((inspect.getdoc(cls) or "").partition("\n\n")[0].split())
    # What follows the first sentences explains single settings, as the table does.
    return re.split(r"\s(?=`\w+`(?::|, `| is | are ))", text, maxsplit=1)[0]


def sentence(place: str, name: str) -> str:
    """Return what a setting does, in one sentence; empty for a block that isn't crivo's."""
    return sentences().get(place, {}).get(name, "")


@cache
def sentences() -> dict[str, dict[str, str]]:
    """Return the sentence of each setting by the section or block that it stands in."""
    return dict(parse_yaml(SENTENCES.read_bytes()))
