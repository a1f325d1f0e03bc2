"""Says in words which values a setting takes, from its JSON schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from pydantic_core import PydanticUndefined

TYPES = {
    "number": "number",
    "integer": "whole number",
    "string": "text",
    "boolean": "true or false",
    "array": "list",
    "object": "section",
}
BOUNDS = {
    "exclusiveMinimum": "above {:,.12g}",
    "minimum": "at least {:,.12g}",
    "exclusiveMaximum": "below {:,.12g}",
    "maximum": "at most {:,.12g}",
}

MACHINE_LIMITS = (2**31, 2**32)


def values_allowed(schema: Mapping[str, Any]) -> str:
    """Return which values a JSON schema allows.

    >>> values_allowed({"type": "integer", "minimum": 2, "maximum": 250})
    'whole number, at least 2 and at most 250'
    >>> values_allowed({"anyOf": [{"enum": [".", ","]}, {"type": "null"}]})
    '`.` or `,`, or null'
    """
    if "anyOf" in schema:
        kinds = [one for one in schema["anyOf"] if one.get("type") != "null"]
        null = ", or null" if len(kinds) < len(schema["anyOf"]) else ""
        return " or ".join(map(values_allowed, kinds)) + null
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("format") == "date":
        return "day in quotes"
    kind = TYPES[schema.get("type", "object")] + _inner(schema)
    limits = _plain(schema)
    bounds = [text.format(limits[key]) for key, text in BOUNDS.items() if key in limits]
    return f"{kind}, {' and '.join(bounds)}" if bounds else kind


def _plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a number's limits as people say them; what only the machine's integers ask for goes.

    >>> _plain({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 2**31})
    {'minimum': 1}
    """
    limits = {key: schema[key] for key in BOUNDS if key in schema}
    if schema.get("type") == "integer" and "exclusiveMinimum" in limits:
        limits["minimum"] = limits.pop("exclusiveMinimum") + 1
    return {key: value for key, value in limits.items() if value not in MACHINE_LIMITS}


def _inner(schema: Mapping[str, Any]) -> str:
    """Return what the members of a list or a section are, as the end of a phrase."""
    if schema.get("type") == "array":
        return f" of {values_allowed(schema['items'])}s"
    members = schema.get("additionalProperties")
    return f" of {values_allowed(members)}" if isinstance(members, dict) else ""


def value_text(value: Any) -> str:
    """Return a default as params.yaml would spell it; nothing for one that has no short form.

    >>> value_text(("roc_auc", "brier")), value_text(None), value_text(0.1)
    ('`["roc_auc", "brier"]`', '`null`', '`0.1`')
    """
    if value is PydanticUndefined:
        return "must be given"
    if isinstance(value, str | date):
        return f"`{value}`"
    try:
        return f"`{json.dumps(value)}`"
    except TypeError:
        return ""
