"""What the predictions are about, in the words of the data set's owners where these are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from crivo.core.schema import Schema, Words
from crivo.evaluation.report.numbers import digits_of, interval, number


@dataclass(frozen=True)
class Subject:
    """The target, its classes and the words for them.

    `baseline`: the name of the trivial model, None where there is none; `currency`: of gains.
    """

    target: str = "target"
    classes: tuple[Any, ...] = ()
    positive: Any = None
    words: Words = field(default_factory=Words)
    currency: str = ""
    baseline: str | None = None

    @classmethod
    def of(
        cls, schema: Schema | None, positive: Any, currency: str, baseline: str | None
    ) -> Subject:
        """Return the subject of a data set; without a schema just the positive class has a name."""
        if schema is None:
            return cls(positive=positive, currency=currency, baseline=baseline)
        known = schema.target, schema.classes, schema.positive, schema.words
        return cls(*known, currency, baseline)

    @property
    def rows(self) -> str:
        """What the rows are called."""
        return self.words.rows

    @property
    def unit(self) -> str:
        """The unit of a number to be predicted, after a space; empty where it isn't known."""
        return f" {self.words.unit}" if self.words.unit else ""

    def is_class(self, name: Any) -> str:
        """Return what is said of rows of a class: `are late`, `have late = True`."""
        said = self.short(name)
        return f"are {said}" if said != self._pair(name) else f"have {said}"

    def short(self, name: Any) -> str:
        """Return what a class is called: `late`, `late = True`."""
        if self.positive is not None and str(name) == str(self.positive):
            return self.words.positive or self._pair(name)
        if self.positive is not None and self.words.negative:
            return self.words.negative
        return self._pair(name)

    def _pair(self, name: Any) -> str:
        return f"{self.target} = {name}"

    def money(self, row: Mapping[str, Any], *, ends: bool = True, digits: int | None = None) -> str:
        """Return a value with its interval, in the currency of the gains.

        `digits` after the point; without them as many as the interval bears.

        >>> Subject(currency="€").money({"value": -1803.5, "low": -3027, "high": -580})
        '−€1,800 [−3,030, −580]'
        """
        digits = digits_of(row["low"], row["high"]) if digits is None else digits
        amount, limits = number(abs(row["value"]), digits), interval(row, digits) if ends else ""
        sign = "−" if row["value"] < 0 else ""
        if self.currency[:1].isalpha():
            return f"{sign}{amount} {limits} {self.currency}".replace("  ", " ")
        return f"{sign}{self.currency}{amount} {limits}".strip()
