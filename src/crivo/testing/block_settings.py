"""What every block promises of its settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError, fields, is_dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from crivo.testing.contract import Breach, find_breaches, promise

UNKNOWN = "no_such_setting"


def settings_survive_a_round_trip(block: Any) -> None:
    """Settings written to params.yaml and read back make an equal block."""
    cls = type(block)
    promise(
        is_dataclass(cls) and hasattr(cls, "__pydantic_config__"),
        f"{cls.__name__} has no typed settings; put @block above the class.",
    )
    written = TypeAdapter(cls).dump_python(block, mode="json")
    try:
        again = cls(**written)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        promise(False, f"{name} was written as {first['input']!r} and refused: {first['msg']}.")
    for field in fields(cls):
        before, after = getattr(block, field.name), getattr(again, field.name)
        promise(before == after, f"{field.name} was {before!r} and came back as {after!r}.")


def unknown_settings_are_refused(block: Any) -> None:
    """A setting that the block doesn't know is an error, never ignored."""
    known = {field.name: getattr(block, field.name) for field in _fields(block)}
    try:
        type(block)(**known, **{UNKNOWN: 1})
    except (ValidationError, TypeError):
        return
    promise(False, f"it took the setting {UNKNOWN!r}; put @block above the class.")


def settings_are_read_only(block: Any) -> None:
    """A setting never changes after the block is made."""
    for field in _fields(block):
        value = getattr(block, field.name)
        try:
            setattr(block, field.name, value)
        except (FrozenInstanceError, ValidationError, AttributeError):
            continue
        promise(False, f"{field.name} can be set anew; put @block above the class.")


def settings_are_documented(block: Any) -> None:
    """The class has a docstring that says what the block is."""
    text = vars(type(block)).get("__doc__") or ""
    generated = text.startswith(f"{type(block).__name__}(")
    promise(bool(text.strip()) and not generated, "it has none; one sentence is enough.")


SETTINGS_CHECKS: Sequence[Callable[[Any], None]] = (
    settings_survive_a_round_trip,
    unknown_settings_are_refused,
    settings_are_read_only,
    settings_are_documented,
)


def settings_breaches(block: Any) -> list[Breach]:
    """Return the promises about settings that the block breaks."""
    return find_breaches(SETTINGS_CHECKS, block)


def _fields(block: Any) -> tuple[Any, ...]:
    return fields(block) if is_dataclass(block) else ()
