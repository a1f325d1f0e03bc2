"""Says in words which values a JSON schema allows, for the pages of settings and of documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

TYPES = {"integer": "whole number", "string": "text", "boolean": "true or false", "array": "list"}
BOUNDS = {
    "exclusiveMinimum": "above {:,.12g}",
    "minimum": "at least {:,.12g}",
    "exclusiveMaximum": "below {:,.12g}",
    "maximum": "at most {:,.12g}",
}
# What only the machine's integers ask for.
MACHINE_LIMITS = (2**31, 2**32)


def in_words(schema: Mapping[str, Any], link: Callable[[str], str] | None = None) -> str:
    """Return which values a JSON schema allows; `link` gives the link to a part by its name.

    >>> in_words({"type": "integer", "minimum": 2, "maximum": 250})
    'whole number, at least 2 and at most 250'
    >>> in_words({"anyOf": [{"enum": [".", ","]}, {"type": "null"}]})
    '`.` or `,`, or null'
    >>> in_words({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 2**31})
    'whole number, at least 1'
    """
    if "$ref" in schema:
        return link(schema["$ref"].rpartition("/")[2]) if link else "object"
    if "anyOf" in schema:
        kinds = [one for one in schema["anyOf"] if one.get("type") != "null"]
        null = ", or null" if len(kinds) < len(schema["anyOf"]) else ""
        return " or ".join(in_words(one, link) for one in kinds) + null
    if values := schema.get("enum", [schema["const"]] if "const" in schema else []):
        return " or ".join(f"`{value}`" for value in values)
    if schema.get("format") == "date":
        return "day in quotes"
    kind = str(schema.get("type", "any value"))
    members = schema.get("items") or schema.get("additionalProperties")
    of = f" of {in_words(members, link)}" if isinstance(members, dict) and members else ""
    limits = {key: schema[key] for key in BOUNDS if key in schema}
    if kind == "integer" and "exclusiveMinimum" in limits:
        limits["minimum"] = limits.pop("exclusiveMinimum") + 1
    bounds = [
        text.format(limits[key])
        for key, text in BOUNDS.items()
        if key in limits and limits[key] not in MACHINE_LIMITS
    ]
    return f"{TYPES.get(kind, kind)}{of}{', ' if bounds else ''}{' and '.join(bounds)}"
