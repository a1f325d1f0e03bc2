"""Adds a section to params.yaml and leaves every other line as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_yaml

INDENT = "  "


def with_section(text: str, folder: str, name: str, settings: str) -> str:
    """Return the text of params.yaml with a block's section at the end of its kind's.

    >>> print(with_section("models:\\n  prior: {}\\n\\nseed: 1\\n", "models", "tree", "depth: 4"))
    models:
      prior: {}
      tree:
        depth: 4
    <BLANKLINE>
    seed: 1
    <BLANKLINE>
    """
    values = parse_settings(text)
    known = values.get(folder) or {}
    if name in known:
        raise CrivoError(f"params.yaml has a section {folder}.{name} already; take another name.")
    added = _inserted(text.splitlines(), folder, name, settings.splitlines())
    result = "\n".join(added) + "\n"
    section = parse_yaml(settings) or {}
    if parse_settings(result) != values | {folder: known | {name: section}}:
        raise CrivoError(
            f"The section {folder} of params.yaml is in a form that can't be added to; write it "
            "in plain lines, one setting each."
        )
    return result


def _inserted(lines: list[str], folder: str, name: str, settings: Sequence[str]) -> list[str]:
    """Return the lines with the section after the last one of its kind's, before blank lines."""
    starts = [i for i, line in enumerate(lines) if re.match(rf"{folder}\s*:", line)]
    if not starts:
        lines, start = [*lines, "", f"{folder}:"], len(lines) + 1
    else:
        start = starts[0]
        lines = [
            *lines[:start],
            re.sub(r":\s*(\{\}|null|~)", ":", lines[start]),
            *lines[start + 1 :],
        ]
    end = start + 1
    for i in range(start + 1, len(lines)):
        if re.match(r"[^\s#]", lines[i]):
            break
        if lines[i].strip() and not lines[i].startswith("#"):
            end = i + 1
    first = next((line for line in lines[start + 1 : end] if line.strip(" ")[:1] != "#"), INDENT)
    outer = first[: len(first) - len(first.lstrip(" "))] or INDENT
    section = [f"{outer}{name}:", *(f"{outer}{INDENT}{line}" for line in settings)]
    return [*lines[:end], *section, *lines[end:]]


def parse_settings(text: str) -> dict[str, Any]:
    """Return the settings that a text of YAML holds; CrivoError when it holds none."""
    try:
        values = parse_yaml(text)
    except ParseError as error:
        raise CrivoError(f"params.yaml {error}. Correct that file.") from None
    if not isinstance(values, dict):
        raise CrivoError("params.yaml holds no settings; expected `key: value` lines.")
    return values
