"""Edits params.yaml as DVC does: comments stay, the form is the one that `-S` would write."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap

from crivo.core.params import check_params

# These sections say what they need; others get a key only if they have it already.
OWN = ("datasets.table", "splitters.")


def edited_params(path: Path, changes: Mapping[str, Any]) -> str:
    """Return the text of a params file with other settings, given by their dotted keys.

    A key that isn't there is added to the sections of the table and the splitters, and left
    out elsewhere. Problems: the stages would refuse the result.
    """
    yaml = YAML()
    yaml.default_flow_style = False
    yaml.width = 4096
    values = yaml.load(path.read_text(encoding="utf-8"))
    for key, value in changes.items():
        _put(values, key, value)
    text = io.StringIO()
    yaml.dump(values, text)
    check_params(YAML(typ="safe").load(text.getvalue()))
    return text.getvalue()


def _put(values: Any, key: str, value: Any) -> None:
    *sections, name = key.split(".", 2)
    for section in sections:
        if not isinstance(values.get(section), dict):
            if not key.startswith(OWN):
                return
            values[section] = CommentedMap()
        values = values[section]
    known = name in values or key.startswith(OWN) or not sections
    # Assigning an equal value would lose the comment behind a list.
    if known and (name not in values or json.dumps(values[name]) != json.dumps(value)):
        values[name] = value
