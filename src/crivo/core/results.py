"""The result of a command as a dataclass: its JSON, and the schema of that JSON.

A field's docstring is what the schema says of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, dataclass_transform

if TYPE_CHECKING:
    import pandas as pd

# Raised when a field is removed or changes its meaning, not when a field is added.
VERSION = 2
T = TypeVar("T")


class _OrNull:
    """What the schema says of a number: JSON has no NaN."""

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {"anyOf": [handler(schema), {"type": "null"}]}


# NaN, which is null in JSON, if it isn't known.
Number = Annotated[float, _OrNull()]


@dataclass_transform(frozen_default=True)
def result(cls: type[T]) -> type[T]:
    """Make a frozen dataclass of a class whose fields have docstrings."""
    cls.__pydantic_config__ = {  # type: ignore[attr-defined]
        "use_attribute_docstrings": True,
        "protected_namespaces": (),
    }
    return dataclass(frozen=True)(cls)


def as_json(command: str, found: Any) -> str:
    """Return a result as JSON: numbers with ten significant digits, null for what isn't known.

    It is ASCII, so that no character of somebody's text can steer a terminal.
    """
    from pydantic import TypeAdapter

    from crivo.core.artifacts import rounded

    def plain(value: Any) -> Any:
        return value.item() if hasattr(value, "item") else str(value)

    dump = TypeAdapter(type(found)).dump_python
    values = dump(found, mode="json", fallback=plain, warnings=False)
    about = {"version": VERSION, "command": command}
    text = json.dumps(rounded(about | values), indent=2)
    return text.replace("\x7f", r"\u007f")


def schemas(commands: dict[str, type]) -> dict[str, Any]:
    """Return the schema of each command's result, and of their parts, by the name of the class."""
    from pydantic import TypeAdapter

    inputs: list[Any] = [
        (command, "serialization", TypeAdapter(cls)) for command, cls in commands.items()
    ]
    _, schema = TypeAdapter.json_schemas(inputs)
    found: dict[str, Any] = dict(sorted(schema["$defs"].items()))
    for command, cls in commands.items():
        properties = found[cls.__name__]["properties"]
        found[cls.__name__]["properties"] = {
            "version": {"const": VERSION, "type": "integer"},
            "command": {"const": command, "type": "string"},
            **properties,
        }
    return found


def table_of(kind: type, rows: Iterable[Any]) -> pd.DataFrame:
    """Return records of one dataclass as a table."""
    import pandas as pd

    columns = [one.name for one in fields(kind)]
    return pd.DataFrame([[getattr(one, name) for name in columns] for one in rows], columns=columns)
