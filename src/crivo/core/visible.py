"""Text from anybody, made safe to look at: what can't be seen is written out.

A commit message, an author, a column or a setting may hold characters that move a terminal's
cursor, colour it, or turn the direction of writing round. Whatever a person reads goes through
`visible`; files that programs read don't.
"""

from __future__ import annotations

import re

# Control characters but tab and line end; soft hyphen; marks, joins and turns of direction that
# have no shape; other line ends; halves of characters; tags. Joiners that shape letters stay.
UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    r"""Return text with each character that can't be seen written as Python writes it.

    >>> print(visible("\x1b[31mred, \u202eturned"))
    \x1b[31mred, \u202eturned
    """
    return text if text.isprintable() else UNSEEN.sub(_written, text)


def visible_json(text: str) -> str:
    r"""Return JSON that means the same and holds no character that can't be seen.

    >>> print(visible_json('"\x9b\u202e"'))
    "\u009b\u202e"
    """
    return text if text.isprintable() else UNSEEN.sub(_in_json, text)


def _written(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()


def _in_json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
