"""Amounts of money and percentages: $1,234.50 is 1234.5, and 12% is 0.12."""

from __future__ import annotations

import re

import pandas as pd

from crivo.preparation.tables.cells import MIN_PARSED_FRACTION

CURRENCY = r"R\$|US\$|[$€£¥₹]|USD|EUR|GBP|BRL|CHF|JPY"
AMOUNT = re.compile(
    rf"(?P<sign>[+-]?)\s*(?P<before>{CURRENCY})?\s*(?P<inner>[+-]?)(?P<number>\d[\d.,]*|[.,]\d+)"
    rf"\s*(?P<after>{CURRENCY}|%)?"
)
EXAMPLE = "12%"


def plain_amounts(texts: pd.Series) -> tuple[pd.Series, pd.Series, str]:
    """Return amounts without their marks, which of them were percentages, and what was taken off.

    Texts that aren't amounts stay as they are, and so does everything where few are, or where
    there are two currencies: those can't be added up.

    >>> plain, percent, marks = plain_amounts(pd.Series(["$1,234.50", "-$2"]))
    >>> plain.tolist(), marks
    (['1,234.50', '-2'], '$')
    """
    nothing = pd.Series(False, index=texts.index)
    found = [AMOUNT.fullmatch(text) for text in texts]
    marks = {mark for one in found if one for mark in one.group("before", "after") if mark}
    if len(marks) != 1 or sum(one is not None for one in found) < MIN_PARSED_FRACTION * len(texts):
        return texts, nothing, ""
    plain = [
        text if one is None else "".join(one.group("sign", "inner", "number"))
        for text, one in zip(texts, found, strict=True)
    ]
    (mark,) = marks
    percent = nothing if mark != "%" else texts.str.endswith("%")
    return pd.Series(plain, index=texts.index, dtype="str", name=texts.name), percent, mark


def amount_note(name: object, mark: str) -> str:
    """Say how the amounts of a column are read."""
    if mark == "%":
        return f"{name}: percentages are read as fractions, {EXAMPLE} as 0.12"
    return f"{name}: amounts in {mark} are read as numbers"
