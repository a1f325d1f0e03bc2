"""What all documents of `--json` have in common."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from crivo.core.artifacts import rounded

# Raised when a field is removed or changes its meaning, not when a field is added.
VERSION = 1


class Part(BaseModel):
    """A part of a document. Programs ignore the fields that they don't know."""

    model_config = ConfigDict(extra="allow", protected_namespaces=())


class Document(Part):
    """What every document starts with."""

    version: int = Field(description="The version of the contract, currently 1.")
    command: str = Field(description="The command that printed the document.")

    @classmethod
    def made_of(cls, command: str, values: Mapping[str, Any]) -> Self:
        """Return the document of a command's values."""
        return cls.model_validate({"version": VERSION, "command": command, **rounded(values)})

    def text(self) -> str:
        """Return it as JSON: numbers with ten significant digits, null for what isn't known."""
        values = self.model_dump(mode="json", exclude_unset=True)
        return json.dumps(values, indent=2, allow_nan=False, ensure_ascii=False)
