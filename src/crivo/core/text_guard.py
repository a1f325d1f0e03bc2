"""Escapes control characters, Markdown and formulas in texts and tables from any author.

A commit message, an author, a column or a setting may hold characters that move a terminal's
cursor, colour it, or turn the direction of writing round. Text for people goes through
`escape_control` or `escape_markdown`, tables through `escape_formulas` (CSV injection).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# Control characters but tab and line end; soft hyphen; marks, joins and turns of direction that
# have no shape; other line ends; halves of characters; tags. Joiners that shape letters stay.
UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# What is markup in GitHub's Markdown, inside a line or a table's cell; not an interval's bracket.
MARKUP = re.compile(
    r"[\\`*<|~$#]|^>|&(?=[#\w])|(?<![^\W_])_|_(?![^\W_])"
    r"|\[(?![−+\d., e]*\](?![\[(:]))|:(?=//)|(?<=\bwww)\."
)
# What our own text puts in backticks; backticks inside a word belong to a name.
CODE = re.compile(r"(?<!\w)`([^`|]+)`(?!\w)")
FORMULA = re.compile(r"[=+\-@\t\r]")
NUMBER = re.compile(r"[-+]?(\d+([.,]\d+)*|\.\d+)([eE][-+]?\d+)?\s?%?")


def escape_control(text: str) -> str:
    r"""Return text with each character that can't be seen written as Python writes it.

    >>> print(escape_control("\x1b[31mred, \u202eturned"))
    \x1b[31mred, \u202eturned
    """
    if text.isprintable():
        return text
    return UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def escape_markdown(text: str) -> str:
    r"""Return text that Markdown shows as it is, on one line; only what is in backticks is code.

    >>> print(escape_markdown("<b>|a*b, loss_of_a [0.1, 0.2], [a](b); run `crivo plan`"))
    \<b>\|a\*b, loss_of_a [0.1, 0.2], \[a](b); run `crivo plan`
    """
    pieces = CODE.split(" ".join(text.split()))
    pieces[::2] = [MARKUP.sub(r"\\\g<0>", piece) for piece in pieces[::2]]
    return "`".join(pieces)


def escape_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts, and names of columns, no program of tables calculates.

    One that begins like a formula and isn't a number gets an apostrophe before it, as OWASP
    advises; characters that can't be seen are written out.
    """
    import pandas as pd
    from pandas.api.types import is_numeric_dtype

    safe = table.copy(deep=False)
    for place, kind in enumerate(table.dtypes):
        if not is_numeric_dtype(kind):
            cells = [_guarded(cell) for cell in table.iloc[:, place]]
            held = object if isinstance(kind, pd.CategoricalDtype) else kind
            safe.isetitem(place, pd.Series(cells, dtype=held).array)
    safe.columns = table.columns.map(_guarded)
    return safe


def _guarded(cell: Any) -> Any:
    """Return a cell that begins like a formula with an apostrophe before it.

    >>> _guarded("=1+1"), _guarded("-1.5"), _guarded("-a"), _guarded(-1)
    ("'=1+1", '-1.5', "'-a", -1)
    """
    if not isinstance(cell, str):
        return cell
    formula = FORMULA.match(cell) and not NUMBER.fullmatch(cell)
    return f"'{escape_control(cell)}" if formula else escape_control(cell)
