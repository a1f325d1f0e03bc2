"""Draws the report's charts as SVG text, without a plotting library.

Importing one takes longer than all that a stage computes for a small table.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from unicodedata import east_asian_width

INK = "currentColor"  # the page's text colour, which is another in the dark
BLUE, ORANGE, GREY = "#2f7ed8", "#d9741a", "#8a8f98"
# The ends of the scale of a cell's colour; the text on it is dark in both themes.
PALE, DEEP, DARK = (0xF3, 0xF8, 0xFE), (0x3F, 0x8F, 0xD2), "#101418"

WIDTH, HEIGHT = 302.0, 230.0
FONT, LETTER, WIDE_LETTER = 9.0, 4.9, 9.0
GAP, TICK = 4.0, 3.5
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


class Chart:
    """Axes to draw on; `svg` gives the drawing, the same bytes each time.

    The positions of marks are in the data's units. Those that aren't finite are left out.
    """

    def __init__(self, x: Axis, y: Axis, height: float = HEIGHT, square: bool = False) -> None:
        self.x, self.y = x, y
        self._height, self._square = height, square
        self._marks: list[tuple[str, list[tuple[float, float]], dict[str, str]]] = []
        self._texts: list[tuple[float, float, str]] = []

    def line(
        self, xs: Iterable[float], ys: Iterable[float], color: str = BLUE, dotted: bool = False
    ) -> None:
        """Join points, in their order."""
        style = {"stroke-dasharray": "1 2", "stroke-width": "1"} if dotted else {}
        self._add("line", xs, ys, {"stroke": color, "fill": "none", **style})

    def dots(
        self, xs: Iterable[float], ys: Iterable[float], color: str = BLUE, radius: float = 2.0
    ) -> None:
        """Put a dot at each point."""
        # A line of no length with round ends is a dot: all of them are one element.
        style = {"stroke": color, "stroke-width": f"{2 * radius:g}", "stroke-linecap": "round"}
        self._add("dots", xs, ys, style)

    def level(self, *, x: float | None = None, y: float | None = None, dotted: bool = True) -> None:
        """Draw a grey line over the whole height at `x`, or over the whole width at `y`."""
        style = {"stroke": GREY, **({"stroke-dasharray": "1 2"} if dotted else {})}
        self._add("level", [math.nan if x is None else x], [math.nan if y is None else y], style)

    def bars(self, lengths: Iterable[float]) -> None:
        """Draw horizontal bars from 0, the first at the bottom."""
        lengths = list(lengths)
        self.x.values.append(0.0)
        self._add("bars", lengths, map(float, range(len(lengths))), {"fill": BLUE})

    def cell(self, x: int, y: int, share: float, text: str) -> None:
        """Fill the place (x, y); the darker, the larger the share, which is between 0 and 1."""
        fill = "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(PALE, DEEP, strict=True))
        self._add("cell", [float(x)], [float(y)], {"fill": f"#{fill}"})
        self._texts.append((x, y, text))

    def svg(self) -> str:
        """Return the drawing."""
        place = self._place()
        body = [
            f"<path {_attributes(style)} d='{place.path(kind, points)}'/>"
            for kind, points, style in self._all()
        ]
        body += [
            f"<text x='{place.x(x):.1f}' y='{place.y(y) + FONT / 3:.1f}' fill='{DARK}' "
            f"text-anchor='middle'>{html.escape(text)}</text>"
            for x, y, text in self._texts
        ]
        return (
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH:g} {self._height:g}' "
            f"width='{WIDTH:g}' height='{self._height:g}' font-family='sans-serif' "
            f"font-size='{FONT:g}' fill='{INK}' stroke-width='1.5'>"
            f"{''.join(body)}{place.frame()}</svg>"
        )

    def _add(
        self, kind: str, xs: Iterable[float], ys: Iterable[float], style: dict[str, str]
    ) -> None:
        points = [(float(x), float(y)) for x, y in zip(xs, ys, strict=True)]
        if kind != "level":
            points = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
        self.x.values += [x for x, _ in points if math.isfinite(x)]
        self.y.values += [y for _, y in points if math.isfinite(y)]
        self._marks.append((kind, points, style))

    def _all(self) -> Iterable[tuple[str, list[tuple[float, float]], dict[str, str]]]:
        return (mark for mark in self._marks if mark[1])

    def _place(self) -> _Place:
        """Return the area that the labels leave for the data."""
        names = [text for _, text in self.y.ticks(6)]
        left = max(map(text_width, names), default=0.0) + TICK + 2 * GAP
        left += FONT + GAP if self.y.label else 0.0
        below = FONT + TICK + 2 * GAP + (FONT + GAP if self.x.label else 0.0)
        if self.x.slanted:
            widest = max((text_width(text) for _, text in self.x.ticks(6)), default=0.0)
            below += 0.7 * widest - FONT / 2
        width, height = WIDTH - left - 2 * GAP, self._height - below - 2 * GAP
        beside = FONT
        if self._square:
            side = min(width, height)
            left, beside = left + (width - side) / 2, beside + (width - side) / 2
            width = height = side
        return _Place(self.x, self.y, left, 2 * GAP, width, height, (beside, self._height - GAP))


@dataclass
class _Place:
    """Where the data stand in the picture, in its own units."""

    x_axis: Axis
    y_axis: Axis
    left: float
    top: float
    width: float
    height: float
    labels: tuple[float, float]  # where that of y stands across, and that of x down

    def x(self, value: float) -> float:
        low, high = self.x_axis.range()
        return self.left + (value - low) / (high - low) * self.width

    def y(self, value: float) -> float:
        low, high = self.y_axis.range()
        return self.top + (high - value) / (high - low) * self.height

    def path(self, kind: str, points: list[tuple[float, float]]) -> str:
        draw = {"level": self._level, "bars": self._bar, "cell": self._cell, "dots": self._dot}
        if kind == "line":
            return "M" + "L".join(f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in points)
        return "".join(draw[kind](x, y) for x, y in points)

    def _dot(self, x: float, y: float) -> str:
        return f"M{self.x(x):.1f} {self.y(y):.1f}h0"

    def _level(self, x: float, y: float) -> str:
        if math.isfinite(x):
            return f"M{self.x(x):.1f} {self.top:.1f}v{self.height:.1f}"
        return f"M{self.left:.1f} {self.y(y):.1f}h{self.width:.1f}"

    def _bar(self, x: float, y: float) -> str:
        start, top, bottom = self.x(0.0), self.y(y + 0.4), self.y(y - 0.4)
        return f"M{start:.1f} {top:.1f}H{self.x(x):.1f}V{bottom:.1f}H{start:.1f}Z"

    def _cell(self, x: float, y: float) -> str:
        left, right = self.x(x - 0.5), self.x(x + 0.5)
        return f"M{left:.1f} {self.y(y - 0.5):.1f}H{right:.1f}V{self.y(y + 0.5):.1f}H{left:.1f}Z"

    def frame(self) -> str:
        """Return the two sides with their ticks and labels."""
        right, bottom = self.left + self.width, self.top + self.height
        lines = [f"M{self.left:.1f} {self.top:.1f}V{bottom:.1f}H{right:.1f}"]
        texts = []
        turn = "end" if self.x_axis.slanted else "middle"
        for value, text in self.x_axis.ticks(6):
            at, under = self.x(value), bottom + TICK + FONT
            lines.append(f"M{at:.1f} {bottom:.1f}v{TICK}")
            turned = f" transform='rotate(-45 {at:.1f} {under:.1f})'" if self.x_axis.slanted else ""
            texts.append(_text(at, under, text, turn, turned))
        for value, text in self.y_axis.ticks(6):
            at = self.y(value)
            lines.append(f"M{self.left:.1f} {at:.1f}h{-TICK}")
            texts.append(_text(self.left - TICK - GAP / 2, at + FONT / 3, text, "end"))
        if self.x_axis.label:
            half = text_width(self.x_axis.label) / 2
            across = min(self.left + self.width / 2, WIDTH - half)
            texts.append(_text(across, self.labels[1], self.x_axis.label))
        if self.y_axis.label:
            middle = self.top + self.height / 2
            turned = f" transform='rotate(-90 {self.labels[0]:.1f} {middle:.1f})'"
            texts.append(_text(self.labels[0], middle, self.y_axis.label, more=turned))
        return (
            f"<path d='{''.join(lines)}' stroke='{INK}' stroke-width='0.8' fill='none'/>"
            + "".join(texts)
        )


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


def _text(x: float, y: float, text: str, anchor: str = "middle", more: str = "") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'{more}>{html.escape(text)}</text>"


def _attributes(style: dict[str, str]) -> str:
    return " ".join(f"{name}='{value}'" for name, value in style.items())
