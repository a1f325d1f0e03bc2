"""Draws the report's charts as SVG text, without a plotting library.

Importing one takes longer than all that a stage computes for a small table. The page's script
reads the points of a line with the class `series` to show the values under the pointer.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable
from dataclasses import dataclass

from crivo.evaluation.report.axis import Axis, text_width

INK = "currentColor"  # the page's text colour, which is another in the dark
BLUE, ORANGE, GREY = "#2f7ed8", "#d9741a", "#8a8f98"
# The ends of the scale of a cell's colour.
PALE, DEEP = (0xE3, 0xEE, 0xFA), (0x1F, 0x5F, 0xAE)

WIDTH, HEIGHT = 302.0, 230.0
FONT = 10.0
GAP, TICK = 4.0, 3.5
RING = 3.5


class Chart:
    """Axes to draw on; `svg` gives the drawing, the same bytes each time.

    The positions of marks are in the data's units. Those that aren't finite are left out.
    """

    def __init__(
        self,
        x: Axis,
        y: Axis,
        height: float = HEIGHT,
        square: bool = False,
        width: float = WIDTH,
    ) -> None:
        self.x, self.y = x, y
        self._height, self._square, self._width = height, square, width
        self._marks: list[tuple[str, list[tuple[float, float]], dict[str, str]]] = []

    def line(
        self,
        xs: Iterable[float],
        ys: Iterable[float],
        color: str = BLUE,
        dotted: bool = False,
        series: bool = False,
    ) -> None:
        """Join points, in their order; of a `series` a reader can ask the values."""
        style = {"stroke-dasharray": "2 2", "stroke-width": "1.2"} if dotted else {}
        style |= {"class": "series"} if series else {}
        self._add("line", xs, ys, {"stroke": color, "fill": "none", **style})

    def area(self, xs: Iterable[float], lows: Iterable[float], highs: Iterable[float]) -> None:
        """Fill the band between two lines where both are known."""
        rows = [row for row in zip(xs, lows, highs, strict=True) if all(map(math.isfinite, row))]
        points = [(x, high) for x, _, high in rows] + [(x, low) for x, low, _ in reversed(rows)]
        across, up = ([point[i] for point in points] for i in (0, 1))
        self._add("area", across, up, {"fill": BLUE, "fill-opacity": "0.16"})

    def boxes(
        self, corners: Iterable[tuple[float, float, float, float]], color: str = BLUE
    ) -> None:
        """Fill boxes, each from (x, y) to (x, y)."""
        points = [point for x, y, u, v in corners for point in ((x, y), (u, v))]
        across, up = ([point[i] for point in points] for i in (0, 1))
        self._add("boxes", across, up, {"fill": color})

    def ring(self, x: float, y: float, color: str = GREY) -> None:
        """Put a hollow mark at a point."""
        style = {"stroke": color, "fill": "none", "stroke-width": "1.5"}
        self._add("ring", [x], [y], style)

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

    def cell(self, x: int, y: int, share: float) -> None:
        """Fill the place (x, y); the darker, the larger the share, which is between 0 and 1."""
        share = round(share, 1)
        fill = "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(PALE, DEEP, strict=True))
        self._add("cell", [float(x)], [float(y)], {"fill": f"#{fill}"})

    def svg(self) -> str:
        """Return the drawing."""
        place = self._place()
        body = [
            f"<path {_attributes(style)} d='{place.path(kind, points)}'/>"
            for kind, points, style in self._all()
        ]
        return (
            "<svg xmlns='http://www.w3.org/2000/svg' "
            f"viewBox='0 0 {self._width:g} {self._height:g}' "
            f"width='{self._width:g}' height='{self._height:g}' font-family='sans-serif' "
            f"font-size='{FONT:g}' fill='{INK}' stroke-width='1.5' aria-hidden='true'>"
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
        if self._marks and kind == "cell":  # one element for all of one colour
            same = [mark for mark in self._marks if mark[0] == kind and mark[2] == style]
            if same:
                same[0][1].extend(points)
                return
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
        width, height = self._width - left - 2 * GAP, self._height - below - 2 * GAP
        beside = FONT
        if self._square:
            side = min(width, height)
            left, beside = left + (width - side) / 2, beside + (width - side) / 2
            width = height = side
        return _Place(
            self.x, self.y, left, 2 * GAP, width, height, (beside, self._height - GAP), self._width
        )


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
    right: float  # the picture's width

    def __post_init__(self) -> None:
        self._across, self._up = self.x_axis.range(), self.y_axis.range()

    def x(self, value: float) -> float:
        low, high = self._across
        return self.left + (value - low) / (high - low) * self.width

    def y(self, value: float) -> float:
        low, high = self._up
        return self.top + (high - value) / (high - low) * self.height

    def path(self, kind: str, points: list[tuple[float, float]]) -> str:
        draw = {
            "level": self._level,
            "ring": self._ring,
            "cell": self._cell,
            "dots": self._dot,
        }
        if kind in ("line", "area"):
            joined = "L".join(f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in points)
            return f"M{joined}{'Z' if kind == 'area' else ''}"
        if kind == "boxes":
            return "".join(map(self._box, points[::2], points[1::2]))
        return "".join(draw[kind](x, y) for x, y in points)

    def _dot(self, x: float, y: float) -> str:
        return f"M{self.x(x):.1f} {self.y(y):.1f}h0"

    def _level(self, x: float, y: float) -> str:
        if math.isfinite(x):
            return f"M{self.x(x):.1f} {self.top:.1f}v{self.height:.1f}"
        return f"M{self.left:.1f} {self.y(y):.1f}h{self.width:.1f}"

    def _box(self, one: tuple[float, float], other: tuple[float, float]) -> str:
        (x, y), (u, v) = one, other
        across = f"H{self.x(u):.1f}V{self.y(v):.1f}H{self.x(x):.1f}Z"
        return f"M{self.x(x):.1f} {self.y(y):.1f}{across}"

    def _ring(self, x: float, y: float) -> str:
        left, size = self.x(x) - RING, 2 * RING
        half = f"a{RING} {RING} 0 1 0 {size} 0a{RING} {RING} 0 1 0 {-size} 0"
        return f"M{left:.1f} {self.y(y):.1f}{half}"

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
            across = min(self.left + self.width / 2, self.right - half)
            texts.append(_text(across, self.labels[1], self.x_axis.label))
        if self.y_axis.label:
            middle = self.top + self.height / 2
            turned = f" transform='rotate(-90 {self.labels[0]:.1f} {middle:.1f})'"
            texts.append(_text(self.labels[0], middle, self.y_axis.label, more=turned))
        return (
            f"<path d='{''.join(lines)}' stroke='{INK}' stroke-width='0.8' fill='none'/>"
            + "".join(texts)
        )


def _text(x: float, y: float, text: str, anchor: str = "middle", more: str = "") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'{more}>{html.escape(text)}</text>"


def _attributes(style: dict[str, str]) -> str:
    return " ".join(f"{name}='{value}'" for name, value in style.items())
