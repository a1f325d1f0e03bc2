"""Edits params.yaml for `crivo start` and `crivo new`: comments stay, the form is DVC's."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap

from crivo.core.errors import CrivoError
from crivo.core.params import check_params
from crivo.core.parsing import parse_yaml

# These sections say what they need; others get a key only if they have it already.
OWN = ("datasets.table", "splitters.", "evaluate.period")


def edited_params(path: Path, changes: Mapping[str, Any]) -> str:
    """Return the text of a params file with other settings, given by their dotted keys.

    A key that isn't there is added to the sections of the table and the splitters, and left
    out elsewhere. Problems: the stages would refuse the result.
    """
    yaml, written = YAML(), io.StringIO()
    yaml.default_flow_style = False
    values = yaml.load(path.read_text(encoding="utf-8"))
    for key, value in changes.items():
        _put(values, key, value)
    yaml.dump(values, written)
    check_params(parse_yaml(written.getvalue()))
    return written.getvalue()


def with_block_section(text: str, folder: str, name: str, settings: str) -> str:
    """Return the text of params.yaml with a block's section at the end of its kind's.

    >>> text = "models:\\n  prior: {}\\n\\nseed: 1\\n"
    >>> print(with_block_section(text, "models", "tree", "depth: 4"))
    models:
      prior: {}
      tree:
        depth: 4
    <BLANKLINE>
    seed: 1
    <BLANKLINE>
    """
    if name in (setting_at(parse_yaml(text), folder) or {}):
        raise CrivoError(f"params.yaml has a section {folder}.{name} already; choose another name.")
    section = f"  {name}:\n" + "".join(f"    {line}\n" for line in settings.splitlines())
    blocks = re.search(rf"^{folder}:\n(?: .*\n|\n+(?= ))+", text, re.MULTILINE)
    if blocks:
        return text[: blocks.end()] + section + text[blocks.end() :]
    rest = re.sub(rf"^{folder}:.*\n", "", text, flags=re.MULTILINE)  # no block yet
    return f"{rest.rstrip()}\n\n{folder}:\n{section}".lstrip()


def setting_at(settings: Any, key: str) -> Any:
    """Return the value of a setting; nothing where it isn't there."""
    for name in key.split("."):
        settings = settings.get(name) if isinstance(settings, Mapping) else None
    return settings


def can_set(values: Any, key: str) -> bool:
    """Say whether a setting has a place: it is there, or its section says what it needs."""
    *sections, name = key.split(".", 2)
    section = setting_at(values, ".".join(sections)) if sections else values
    return key.startswith(OWN) or not sections or (isinstance(section, Mapping) and name in section)


def _put(values: Any, key: str, value: Any) -> None:
    if not can_set(values, key):
        return
    *sections, name = key.split(".", 2)
    for section in sections:
        if not isinstance(values.get(section), dict):
            values[section] = CommentedMap()
        values = values[section]
    if name not in values or json.dumps(values[name]) != json.dumps(value):
        values[name] = value
