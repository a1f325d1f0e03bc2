"""A small world of random flights whose future can be replaced by another one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tests.crivo.blocks.datasets.raw_flights import (
    AIRPORTS,
    NEW_YORK,
    flight,
    plane,
    report,
    write_raw,
)

from crivo.core.registry import make_block

# The clock is put back in the middle of it.
FIRST_DAY = datetime(2013, 11, 1, tzinfo=UTC)
DAYS, FLIGHTS = 4, 160
FOREVER = 10**6


@dataclass(frozen=True)
class Trip:
    """A flight: its plan, and how many minutes late it left and landed (None: it never did)."""

    scheduled: int  # in minutes of the world's own clock
    planned: int
    names: dict[str, Any]
    left: int | None
    landed: int | None

    def otherwise(self, now: int, rng: np.random.Generator) -> Trip:
        """Return the same flight with another fate from now on."""
        if self.left is None or self.scheduled + self.left > now:
            if rng.random() < 0.2:
                return replace(self, left=None, landed=None)
            left = max(-10, now + 1 - self.scheduled) + _soon(300, rng)
            return replace(self, left=left, landed=self._landing(left, now, rng))
        gone_since = now - self.scheduled - self.left
        landed = FOREVER if self.landed is None else self.scheduled + self.planned + self.landed
        if landed > now and gone_since < 15 * 60:
            return replace(self, landed=self._landing(self.left, now, rng))
        return self

    def _landing(self, left: int, now: int, rng: np.random.Generator) -> int | None:
        """Return an arrival delay after now, or None, a landing elsewhere."""
        earliest = max(left - 20, now + 1 - self.scheduled - self.planned)
        return None if rng.random() < 0.1 else earliest + _soon(200, rng)

    def raw(self) -> dict[str, Any]:
        moment = (FIRST_DAY + timedelta(minutes=self.scheduled)).astimezone(NEW_YORK)
        fate = {"left": self.left, "landed": self.landed, "planned": self.planned}
        return flight(f"{moment:%Y-%m-%d %H:%M}", **self.names, **fate)


def _soon(limit: int, rng: np.random.Generator) -> int:
    """Return some minutes; often none, when a mistake by a minute would show."""
    return 0 if rng.random() < 0.3 else int(rng.integers(0, limit))


class World:
    """Random flights of four days, hourly weather, and planes that come again."""

    def __init__(self, rng: np.random.Generator, folder: Path) -> None:
        self.rng, self.folder = rng, folder
        self.trips = [self._trip(number) for number in range(FLIGHTS)]
        self.weather = {
            (hour, origin): float(rng.integers(0, 90))
            for hour in range(DAYS * 24)
            for origin in ("EWR", "JFK")
        }
        self.predicted = np.array([trip.scheduled - 60 for trip in self.trips])

    def load(self, name: str, after: int = FOREVER) -> tuple[pd.DataFrame, list[str]]:
        """Return the rows, with another future after a moment, and the names of the features."""
        trips = [trip.otherwise(after, self.rng) for trip in self.trips]
        weather = [
            report(
                f"{FIRST_DAY + timedelta(hours=hour):%Y-%m-%dT%H}:00:00Z",
                origin=origin,
                temp=temp if hour * 60 + 51 <= after else temp + 100,
            )
            for (hour, origin), temp in self.weather.items()
        ]
        planes = [plane(f"N{number}", year=2000 + number) for number in range(5)]
        raw = write_raw(self.folder / name, [trip.raw() for trip in trips], weather, planes)
        dataset = make_block("dataset", "flights", {})
        rows = dataset.load(raw)
        return rows, list(dataset.schema(rows).features)

    def _trip(self, number: int) -> Trip:
        rng = self.rng
        hour = int(rng.choice([0, *range(6, 24)]))  # in New York two to six is asleep
        minute = int(rng.integers(0, 60))
        day = int(rng.integers(0, DAYS))
        local = datetime(2013, 11, 1 + day, hour, minute, tzinfo=NEW_YORK)
        delay = int(rng.choice([-10, -3, 0, 5, 20, 60, 200, 400]))
        left = None if rng.random() < 0.1 else delay + int(rng.integers(0, 10))
        gone_astray = left is None or rng.random() < 0.1
        return Trip(
            scheduled=int((local - FIRST_DAY).total_seconds() // 60),
            planned=int(rng.integers(45, 330)),
            names={
                "carrier": str(rng.choice(["UA", "DL"])),
                "number": number,
                "origin": str(rng.choice(["EWR", "JFK"])),
                "dest": str(rng.choice(list(AIRPORTS))),
                "tailnum": f"N{rng.integers(0, 8)}",
            },
            left=left,
            landed=None if gone_astray or left is None else left + int(rng.integers(-20, 60)),
        )
