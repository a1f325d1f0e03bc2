"""The axes of a chart: their range, and ticks at round numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from unicodedata import east_asian_width

LETTER, WIDE_LETTER = 5.5, 10.0
MARGIN = 0.05
ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)

Range = tuple[float, float]


@dataclass
class Axis:
    """What stands along one side: its label, and ticks at `places` (default: round numbers).

    `limits`: the range shown, if it isn't that of the data with a margin; `slanted`: tick labels
    that would not fit beside one another.
    """

    label: str = ""
    limits: Range | None = None
    places: Sequence[str] | None = None
    slanted: bool = False
    values: list[float] = field(default_factory=list)

    def range(self) -> Range:
        """Return the first and last value that fit on the axis."""
        if self.limits is not None:
            return self.limits
        if self.places is not None:
            return -0.5, len(self.places) - 0.5
        low, high = (min(self.values), max(self.values)) if self.values else (0.0, 1.0)
        more = (high - low) * MARGIN or abs(high) * MARGIN or 0.5
        return low - more, high + more

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Return where ticks stand, and their texts."""
        if self.places is not None:
            return [(float(i), name) for i, name in enumerate(self.places)]
        return round_ticks(*self.range(), most)


def round_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Return at most so many round numbers in a range, with their texts.

    >>> round_ticks(-0.02, 1.05, 6)
    [(0.0, '0.0'), (0.2, '0.2'), (0.4, '0.4'), (0.6, '0.6'), (0.8, '0.8'), (1.0, '1.0')]
    """
    least = (high - low) / most
    power = 10.0 ** math.floor(math.log10(least))
    step = next(s * power for s in ROUND_STEPS if s * power >= least * 0.9999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [round(i * step, 12 - math.floor(math.log10(step))) for i in range(first, last + 1)]
    return [(value, _number(value, step)) for value in values]


def _number(value: float, step: float) -> str:
    if not 1e-4 <= step <= 1e6:
        text = f"{value:.4g}"
    else:
        digits = next((d for d in range(8) if math.isclose(round(step, d), step)), 8)
        text = f"{value:,.{digits}f}"
    return text.replace("-", "−")


def text_width(text: str) -> float:
    """Return about how wide a text is, in units of the picture.

    >>> text_width("ab") < text_width("年齢")
    True
    """
    return sum(WIDE_LETTER if east_asian_width(c) in "WF" else LETTER for c in text)
