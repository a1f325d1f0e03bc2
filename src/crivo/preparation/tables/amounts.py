"""Numbers as people write them: $1,234.50 is 1234.5, 12% is 0.12, and 1,5 may be 1.5."""

from __future__ import annotations

import re

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.preparation.tables.cells import MIN_PARSED_FRACTION

CURRENCY = r"R\$|US\$|[$€£¥₹]|USD|EUR|GBP|BRL|CHF|JPY"
AMOUNT = re.compile(
    rf"(?P<sign>[+-]?)\s*(?P<before>{CURRENCY})?\s*(?P<inner>[+-]?)(?P<number>\d[\d.,]*|[.,]\d+)"
    rf"\s*(?P<after>{CURRENCY}|%)?"
)
EXAMPLE = "12%"

# Numbers in which a mark stands before decimals, and can't separate thousands: three places may.
WITH_DECIMALS = {
    mark: re.compile(
        rf"[+-]?(?:\d*[{mark}](?:\d\d?|\d{{4,}})|0?[{mark}]\d+"
        rf"|[1-9]\d{{0,2}}(?:[{group}]\d{{3}})+[{mark}]\d+)"
    )
    for mark, group in (".,", ",.")
}


def plain_amounts(
    texts: pd.Series, share: float = MIN_PARSED_FRACTION
) -> tuple[pd.Series, pd.Series, str]:
    """Return amounts without their marks, which of them were percentages, and what was taken off.

    Texts that aren't amounts stay as they are, and so does everything where less than the share
    is, or where there are two currencies: those can't be added up.

    >>> plain, percent, marks = plain_amounts(pd.Series(["$1,234.50", "-$2"]))
    >>> plain.tolist(), marks
    (['1,234.50', '-2'], '$')
    """
    nothing = pd.Series(False, index=texts.index)
    found = [AMOUNT.fullmatch(text) for text in texts]
    marks = {mark for one in found if one for mark in one.group("before", "after") if mark}
    if len(marks) != 1 or sum(one is not None for one in found) < share * len(texts):
        return texts, nothing, ""
    plain = [
        text if one is None else "".join(one.group("sign", "inner", "number"))
        for text, one in zip(texts, found, strict=True)
    ]
    (mark,) = marks
    percent = nothing if mark != "%" else texts.str.endswith("%")
    return pd.Series(plain, index=texts.index, dtype="str", name=texts.name), percent, mark


def require_one_mark(texts: pd.Series) -> None:
    """Raise CrivoError when different values are numbers, some as 1.5 and others as 1,5.

    >>> require_one_mark(pd.Series(["1,234.5", "1,234", "2.5"]))
    """
    if not (
        texts.str.contains(",", regex=False).any() and texts.str.contains(".", regex=False).any()
    ):
        return
    plain = plain_amounts(texts)[0]
    if plain.str.fullmatch(r"[+-]?[\d.,]*\d").mean() < MIN_PARSED_FRACTION:
        return
    point, comma = (texts[plain.str.fullmatch(one)] for one in WITH_DECIMALS.values())
    if len(point) and len(comma):
        raise CrivoError(
            f"Column {texts.name!r} has decimal points and decimal commas (such as "
            f"{point.min()!r} and {comma.min()!r}), so its numbers can't be told from one another; "
            "write all in one way, or leave the column out (datasets.table.drop, "
            "`crivo start --drop`)."
        )


def amount_note(name: object, mark: str) -> str:
    """Say how the amounts of a column are read."""
    if mark == "%":
        return f"{name}: percentages are read as fractions, {EXAMPLE} as 0.12"
    return f"{name}: amounts in {mark} are read as numbers"
