"""What a report is about, in the words of the data's owners."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from crivo.core.schema import Words


@dataclass(frozen=True)
class Subject:
    """What the predictions are about, in the words of the data's owners where these are known.

    `positive`: the class of interest; `baseline`: the name of the trivial model, None where there
    is none; `currency`: of gains.
    """

    target: str = "target"
    classes: tuple[Any, ...] = ()
    positive: Any = None
    words: Words = field(default_factory=Words)
    currency: str = ""
    baseline: str | None = None

    @property
    def rows(self) -> str:
        """What the rows are called."""
        return self.words.rows

    def short(self, name: Any) -> str:
        """Return what a class is called: `late`, `late = yes`; by its name where several are."""
        if self.positive is None:
            return "positive" if name is None else str(name)
        is_positive = str(name) == str(self.positive)
        word = self.words.positive if is_positive else self.words.negative
        what = self.target.removeprefix("is_")
        plain = {"True": what, "False": f"not {what}"}.get(str(name))
        return word or plain or f"{self.target} = {name}"
