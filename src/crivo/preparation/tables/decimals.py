"""Which mark the numbers of a whole table have before their decimals."""

from __future__ import annotations

import pandas as pd

from crivo.core.stored_table import StoredTable
from crivo.preparation.tables.amounts import WITH_DECIMALS, plain_amounts
from crivo.preparation.tables.cells import MIN_PARSED_FRACTION, sample_of
from crivo.preparation.tables.columns import factorized, is_text


def guess_decimal(table: pd.DataFrame | StoredTable) -> str:
    """Return `,` when columns of text hold numbers like 1,5 and none like 1.5.

    >>> guess_decimal(pd.DataFrame({"a": ["1,5", "12,25"], "b": ["3", "4"]}))
    ','
    """
    points = commas = 0
    columns = table.without_numbers() if isinstance(table, StoredTable) else table
    for name in columns:
        values = columns[str(name)]
        if is_text(values):
            codes, texts = factorized(values)
            some = plain_amounts(sample_of(pd.Series(texts, dtype="str"), codes))[0]
            if some.str.fullmatch(r"[+-]?[\d.,]*\d").mean() >= MIN_PARSED_FRACTION:
                points += bool(some.str.fullmatch(WITH_DECIMALS["."]).any())
                commas += bool(some.str.fullmatch(WITH_DECIMALS[","]).any())
    return "," if commas > points else "."
