"""The trials that were removed, in a small table in git: they count wherever the project is cloned.

`metrics/trials.csv` has a row for each: what the correction must know of a trial besides its
numbers. Where the clone still has the trial itself (`refs/crivo/trials`), that is used instead.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from crivo.core.artifacts import MODEL, written
from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_csv
from crivo.records.comparability import is_part
from crivo.records.record import PREDICTIONS, Record, usable
from crivo.repository.commits import LAST, Origin, kind_of

FILE = Path("metrics/trials.csv")
# `sample`: some of the rows' ids, by which overlapping rows are known; once for each `rows`.
# `recipe` and `seed` are empty; versions before this one read them.
COLUMNS = (
    "revision",
    "name",
    "kind",
    "parent",
    "author",
    "seconds",
    "rows",
    "predictions",
    "model",
    "recipe",
    "seed",
    "planned",
    "sample",
)


@dataclass(frozen=True, eq=False)
class CountedRecord(Record):
    """A trial of which only a row of the table is left: it counts, and can't be compared."""

    row: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _about(self) -> dict[str, Any]:
        return {"rows": self.row["rows"], "sample": self.row["sample"].split()}

    @cached_property
    def _settings(self) -> dict[str, Any]:
        planned = self.row["planned"]
        return {"compare": {"planned_trials": int(planned)} if planned.isdigit() else {}}

    @cached_property
    def _lock(self) -> dict[str, Any]:
        hashes = {PREDICTIONS: self.row["predictions"], MODEL.as_posix(): self.row["model"]}
        outs = [{"path": path, "md5": one} for path, one in hashes.items() if one]
        return {"evaluate": {"deps": [], "outs": outs}}


def read_counted(project: Path) -> list[CountedRecord]:
    """Return the trials that a project's table counts; CrivoError when it can't be read."""
    path = project / FILE
    if not path.exists():
        return []
    try:
        rows = _rows(path.read_bytes())
    except ParseError as error:
        raise CrivoError(
            f"{FILE} {error}; it counts the trials that were removed, so restore it: "
            f"`git checkout HEAD -- {FILE}`, or resolve its conflict by keeping both sides' lines."
        ) from None
    samples = {row["rows"]: row["sample"] for row in rows if row["sample"]}
    return [_record(row | {"sample": samples.get(row["rows"], "")}) for row in rows]


def _rows(content: bytes) -> list[dict[str, str]]:
    table = parse_csv(content)
    if missing := [name for name in COLUMNS if name not in (*table.columns, "kind")]:
        raise ParseError(f"lacks columns: {', '.join(missing)}")
    # With `merge.conflictStyle=diff3`, git's union of two tables has the header twice.
    kept = [row for row in table.rows if tuple(row) != tuple(table.columns)]
    rows = [dict(zip(table.columns, row, strict=True)) for row in kept]
    # Two branches may have counted the same trial.
    return list({row["revision"]: row for row in rows}.values())


def _record(row: Mapping[str, str]) -> CountedRecord:
    seconds = 0
    with suppress(ValueError):
        seconds = min(max(int(row["seconds"]), 0), LAST)
    kind = kind_of(row.get("kind", ""), row["name"])
    origin = Origin(
        row["name"], row["revision"], row["parent"] or None, row["author"], seconds, "", True, kind
    )
    return CountedRecord(origin, {}, row=row)


def count_removed(project: Path, records: Iterable[Record]) -> None:
    """Put trials that are about to be removed into the table, beside those that are there.

    Points of a learning curve and looks at the test rows aren't such trials.
    """
    known = {one.origin.revision: one for one in read_counted(project)}
    new = {
        one.origin.revision: _counted(one)
        for one in records
        if usable(one)
        and one.split != "test"
        and not is_part(one)
        and one.origin.revision not in known
    }
    if new:
        _write(project, [*known.values(), *new.values()])


def uncount(project: Path, revisions: Iterable[str]) -> None:
    """Take trials that are back out of the table."""
    gone = set(revisions)
    known = read_counted(project)
    left = [one for one in known if one.origin.revision not in gone]
    if len(left) < len(known):
        _write(project, left)


def _counted(record: Record) -> CountedRecord:
    about, compare = record.about, record.settings.get("compare") or {}
    row = dict.fromkeys(COLUMNS, "") | {
        "revision": record.origin.revision,
        "name": record.name,
        "kind": record.kind,
        "parent": record.origin.parent or "",
        "author": record.origin.author,
        "seconds": str(record.origin.seconds),
        "rows": about["rows"],
        "predictions": record.predictions,
        "model": record.model or "",
        "planned": str(compare.get("planned_trials") or ""),
        "sample": " ".join(about.get("sample") or ()),
    }
    return _record(row)


def _write(project: Path, records: Sequence[CountedRecord]) -> None:
    """Write the table whole or not at all, in the order of the trials."""
    ordered = sorted(records, key=lambda one: (one.origin.seconds, one.origin.revision))
    told: set[str] = set()
    path = project / FILE
    with written(path) as beside, beside.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for one in ordered:
            rows, sample = one.row["rows"], one.row["sample"]
            known = {"kind": one.kind, "sample": "" if rows in told else sample}
            told |= {rows} if sample else set()
            writer.writerow({name: one.row.get(name, "") for name in COLUMNS} | known)
