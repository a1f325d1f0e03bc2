"""`Subject`: what the report calls the target, the classes and the rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from crivo.core.schema import Words


@dataclass(frozen=True)
class Subject:
    """The subject of the predictions, in the words of the data's owners if these are known.

    `positive`: the class of interest; `baseline`: the name of the trivial model, None if there is
    none; `currency`: the currency of the gains.
    """

    target: str = "target"
    classes: tuple[Any, ...] = ()
    positive: Any = None
    words: Words = field(default_factory=Words)
    currency: str = ""
    baseline: str | None = None

    @property
    def rows(self) -> str:
        """The word for the rows."""
        return self.words.rows

    def short(self, name: Any) -> str:
        """Return the words for a class: `late`, `late = yes`; its name without a positive class."""
        if self.positive is None:
            return "positive" if name is None else str(name)
        is_positive = str(name) == str(self.positive)
        word = self.words.positive if is_positive else self.words.negative
        what = self.target.removeprefix("is_")
        plain = {"True": what, "False": f"not {what}"}.get(str(name))
        return word or plain or f"{self.target} = {name}"
