"""The words of a verdict, as options take them."""

from __future__ import annotations

from collections.abc import Sequence

from crivo.core.errors import CrivoError

VERDICTS = ("better", "worse", "equivalent", "undecided", "identical")


def require_verdicts(words: Sequence[str]) -> None:
    """Raise CrivoError for a word that isn't a verdict."""
    for word in words:
        if word not in VERDICTS:
            raise CrivoError(f"--verdict is {word!r}; expected one of {', '.join(VERDICTS)}.")
