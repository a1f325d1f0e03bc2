"""Puts lists, counts and numbers into words, for a sentence."""

from __future__ import annotations

from collections.abc import Iterable


def a_few(items: Iterable[str], most: int, *, separator: str = ", ") -> str:
    r"""Return the first items, and how many there are besides.

    >>> a_few(["a", "b", "c"], 2), a_few(["a", "b", "c"], 2, separator="\n")
    ('a, b and 1 more', 'a\nb\nand 1 more')
    """
    listed = list(items)
    more = f"{separator.strip(',;')}and {len(listed) - most:,} more" if len(listed) > most else ""
    return separator.join(listed[:most]) + more


def four_digits(value: float, sign: str = "") -> str:
    """Return a number with four significant digits, or whole from a thousand on.

    >>> four_digits(0.5), four_digits(-15234.7), four_digits(1e-05)
    ('0.5000', '−15,235', '1.000e−05')
    """
    text = format(float(value), f"{sign},.0f" if abs(value) >= 1000 else f"{sign}#,.4g")
    return text.removesuffix(".").replace("-", "−")


def counted(count: int, noun: str) -> str:
    """Return a number of things: `1 file`, `2 files`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
