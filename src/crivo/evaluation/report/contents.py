"""What a report is about, in the words of the data's owners, and what the checks found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from crivo.core.findings import Finding, Silent
from crivo.core.schema import Words
from crivo.evaluation.report.numbers import digits_of, interval, number


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

    def is_class(self, name: Any) -> str:
        """Return what is said of rows of a class: `are late`, `have late = yes`."""
        said = self.short(name)
        return f"have {said}" if said == f"{self.target} = {name}" else f"are {said}"

    def short(self, name: Any) -> str:
        """Return what a class is called: `late`, `late = yes`; by its name where several are."""
        if self.positive is None:
            return "positive" if name is None else str(name)
        is_positive = str(name) == str(self.positive)
        word = self.words.positive if is_positive else self.words.negative
        what = self.target.removeprefix("is_")
        plain = {"True": what, "False": f"not {what}"}.get(str(name))
        return word or plain or f"{self.target} = {name}"

    @property
    def two_classes(self) -> tuple[str, str]:
        """What the positive and the other class are called."""
        if self.positive is None:
            return "positive", "negative"
        other = next((name for name in self.classes if name != self.positive), None)
        return self.short(self.positive), "other" if other is None else self.short(other)

    def money(self, row: Mapping[str, Any], *, ends: bool = True, digits: int | None = None) -> str:
        """Return a value with its interval, in the currency of the gains.

        `digits` after the point; without them as many as the interval bears.

        >>> Subject(currency="€").money({"value": -1803.5, "low": -3027, "high": -580})
        '−€1,800 [−3,030, −580]'
        """
        digits = digits_of(row["low"], row["high"]) if digits is None and ends else digits
        amount, limits = number(abs(row["value"]), digits), interval(row, digits) if ends else ""
        sign = "−" if row["value"] < 0 else ""
        if self.currency[:1].isalpha():
            return f"{sign}{amount} {limits} {self.currency}".replace("  ", " ")
        return f"{sign}{self.currency}{amount} {limits}".strip()


# What a finding is about where its sentence says so itself.
SAID = {"predictions", "learning", "train_loss"}


@dataclass(frozen=True)
class FoundByCheck:
    """All that one check found: how often, and in sentences; equal ones are one."""

    code: str
    severity: str
    count: int
    text: str


def found_by_check(checked: Iterable[Finding | Silent]) -> list[FoundByCheck]:
    """Return what each check found, if it found anything."""
    findings = [one for one in checked if isinstance(one, Finding)]
    found = []
    for (code, severity), group in groupby(findings, lambda one: (one.code, one.severity)):
        by_message: dict[str, list[str]] = {}
        for one in (listed := list(group)):
            by_message.setdefault(one.message, []).append(one.subject)
        said = (
            what[:1].upper() + what[1:] if {*subjects} <= SAID else f"{', '.join(subjects)}: {what}"
            for what, subjects in by_message.items()
        )
        found.append(FoundByCheck(code, severity, len(listed), " ".join(said)))
    return found
