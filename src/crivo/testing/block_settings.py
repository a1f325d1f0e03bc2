"""What every block promises of its settings."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from crivo.testing.contract import promise


@dataclass
class SettingsPromises:
    """A block of any kind."""

    block: Any

    def settings_survive_a_round_trip(self) -> None:
        """Settings are typed; written to params.yaml and read back they make an equal block."""
        cls = type(self.block)
        promise(
            is_dataclass(cls) and hasattr(cls, "__pydantic_config__"),
            f"{cls.__name__} has no typed settings; put @block above the class.",
        )
        written = TypeAdapter(cls).dump_python(self.block, mode="json")
        try:
            again = cls(**written)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(map(str, first["loc"]))
            promise(False, f"{name} was written as {first['input']!r} and refused: {first['msg']}.")
        for field in fields(cls):
            before, after = getattr(self.block, field.name), getattr(again, field.name)
            promise(before == after, f"{field.name} was {before!r} and came back as {after!r}.")

    def settings_are_documented(self) -> None:
        """The class has a docstring that says what the block is."""
        text = vars(type(self.block)).get("__doc__") or ""
        generated = text.startswith(f"{type(self.block).__name__}(")
        promise(bool(text.strip()) and not generated, "it has none; one sentence is enough.")
