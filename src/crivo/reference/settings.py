"""The page of all settings, from the classes that check `params.yaml`."""

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
from crivo.core.params import (
    ChecksSettings,
    CompareSettings,
    EvaluateSettings,
    Limit,
    Params,
    PrepareSettings,
    TrainSettings,
    ValueSettings,
)
from crivo.core.parsing import parse_yaml
from crivo.core.registry import block_names, find_block
from crivo.reference import head
from crivo.reference.schema_words import in_words

PAGE = Path("docs/reference/settings.md")
SENTENCES = Path(__file__).with_name("settings.yaml")

TABLE = "| setting | takes | default | meaning |\n| --- | --- | --- | --- |"

# Where a section stands in params.yaml, and the class that checks it.
SECTIONS: dict[str, type] = {
    "prepare": PrepareSettings,
    "train": TrainSettings,
    "evaluate": EvaluateSettings,
    "evaluate.value": ValueSettings,
    "compare": CompareSettings,
    "checks": ChecksSettings,
    "limits.NAME": Limit,
}
FOLDERS = {folder: kind for kind, (folder, _) in KINDS.items() if kind != "baseline"}


def settings_page(names_of: Callable[[str], Sequence[str]] = block_names) -> str:
    """Return the page; `names_of` gives the names of the blocks of a kind to describe."""
    return "\n".join([head("settings"), *_top(), *_sections(), *_blocks(names_of)]) + "\n"


def _top() -> Iterator[str]:
    yield f"## At the top\n\n{TABLE}"
    for name in Params.model_fields:
        if name in KINDS:
            folder, _ = KINDS[name]
            takes = f"name of a block in [{folder}](#{folder})"
            yield f"| `{name}` | {takes} | must be given | {sentence('', name)} |"
        elif name not in (*SECTIONS, "limits", *FOLDERS):
            yield _row(TypeAdapter(Params).json_schema(), "", name)


def _sections() -> Iterator[str]:
    for place, cls in SECTIONS.items():
        yield f"\n## `{place}`\n"
        yield from _table(cls, place)


def _blocks(names_of: Callable[[str], Sequence[str]]) -> Iterator[str]:
    for folder, kind in FOLDERS.items():
        yield f"\n## {folder}"
        for name in names_of(kind):
            cls = find_block(kind, name)
            yield f"\n### `{folder}.{name}`\n\n{_introduction(cls)}\n"
            yield from _table(cls, f"{folder}.{name}")


def _table(cls: type, place: str) -> Iterator[str]:
    schema = TypeAdapter(cls).json_schema()
    if not schema.get("properties"):
        yield "It has no settings: `{}`."
        return
    yield TABLE
    for name in schema["properties"]:
        yield _row(schema, place, name)


def _row(schema: Mapping[str, Any], place: str, name: str) -> str:
    value = schema["properties"][name]
    default = "must be given"
    if name not in schema.get("required", ()):
        usual = value.get("default", {})
        text = usual if isinstance(usual, str) else json.dumps(usual)
        default = "" if isinstance(usual, dict) and usual else f"`{text}`"
    cells = (f"`{name}`", in_words(value), default, sentence(place, name))
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
