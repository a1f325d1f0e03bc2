"""Removed trials: a table in git counts them in every clone, a list of this clone undoes removals.

`metrics/trials.csv` has a row for each: what the correction must know of a trial besides its
numbers. Where the clone still has the trial itself (`refs/crivo/trials`), that is used instead.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from crivo.core.artifacts import MODEL, written
from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_csv
from crivo.records.comparability import is_part
from crivo.records.record import ABOUT, PARAMS, PREDICTIONS, Record, usable
from crivo.repository.commits import LAST, Origin, kind_of
from crivo.repository.git import Repository
from crivo.repository.lock import LOCK

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


# What was removed here, in git's own folder: no fetch and no push has it.
REMOVALS = "crivo-removals"

Row = Mapping[str, str]


class Removed(NamedTuple):
    """An experiment that was removed: the reference it had, and its commit."""

    ref: str
    revision: str

    @property
    def name(self) -> str:
        """Its name."""
        return self.ref.rpartition("/")[2]


class CountedRecord(Record):
    """A trial of which only a row of the table is left: it counts, and can't be compared."""


def read_counted(project: Path) -> list[CountedRecord]:
    """Return the trials that a project's table counts; CrivoError when it can't be read."""
    return [_record(row) for row in _rows(project).values()]


def _rows(project: Path) -> dict[str, Row]:
    """Return the rows of a project's table by the trial's commit, each with its sample."""
    path = project / FILE
    if not path.exists():
        return {}
    try:
        table = parse_csv(path.read_bytes())
        if missing := [name for name in COLUMNS if name not in (*table.columns, "kind")]:
            raise ParseError(f"lacks columns: {', '.join(missing)}")
    except ParseError as error:
        raise CrivoError(
            f"{FILE} {error}; it counts the trials that were removed, so restore it: "
            f"`git checkout HEAD -- {FILE}`, or resolve its conflict by keeping both sides' lines."
        ) from None
    # With `merge.conflictStyle=diff3`, git's union of two tables has the header twice.
    kept = [row for row in table.rows if row != table.columns]
    rows = [dict(zip(table.columns, row, strict=True)) for row in kept]
    samples = {row["rows"]: row["sample"] for row in rows if row["sample"]}
    # Two branches may have counted the same trial.
    return {row["revision"]: row | {"sample": samples.get(row["rows"], "")} for row in rows}


def _record(row: Row) -> CountedRecord:
    planned, seconds = row["planned"], _seconds(row)
    kind = kind_of(row.get("kind", ""), row["name"])
    origin = Origin(
        row["name"], row["revision"], row["parent"] or None, row["author"], seconds, "", True, kind
    )
    hashes = {PREDICTIONS: row["predictions"], MODEL.as_posix(): row["model"]}
    outs = [{"path": path, "md5": one} for path, one in hashes.items() if one]
    said = {
        ABOUT: {"rows": row["rows"], "sample": row["sample"].split()},
        PARAMS: {"compare": {"planned_trials": int(planned)} if planned.isdigit() else {}},
        LOCK: {"evaluate": {"deps": [], "outs": outs}},
    }
    return CountedRecord(origin, {}, said=said)


def _seconds(row: Row) -> int:
    return min(int(row["seconds"]), LAST) if row["seconds"].isdigit() else 0


def count_removed(project: Path, records: Iterable[Record]) -> None:
    """Put trials that are about to be removed into the table, beside those that are there.

    Points of a learning curve and looks at the test rows aren't such trials.
    """
    known = _rows(project)
    new = {
        one.origin.revision: _row(one)
        for one in records
        if usable(one) and one.split != "test" and not is_part(one)
    }
    if new.keys() - known.keys():
        _write(project, {**new, **known})


def uncount(project: Path, revisions: Iterable[str]) -> None:
    """Take trials that are back out of the table."""
    known, gone = _rows(project), set(revisions)
    if gone & known.keys():
        _write(project, {key: row for key, row in known.items() if key not in gone})


def _row(record: Record) -> Row:
    about, compare = record.about, record.settings.get("compare") or {}
    return {
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


def note_removal(repository: Repository, removed: Iterable[Removed]) -> None:
    """Write down what is about to be removed here, in one go."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    with repository.shared_place(REMOVALS).open("a", encoding="utf-8") as file:
        file.writelines(f"{stamp} {one.revision} {one.ref}\n" for one in removed)


def removals(repository: Repository) -> list[tuple[str, Removed]]:
    """Return what was removed in this clone, in its order, and which were removed in one go."""
    found = []
    with suppress(FileNotFoundError):
        lines = repository.shared_place(REMOVALS).read_text(encoding="utf-8").splitlines()
        found = [line.split(" ", 2) for line in lines]
    # Versions before this one wrote the moments alone.
    return [(words[0], Removed(words[2], words[1])) for words in found if len(words) == 3]


def _write(project: Path, rows: Mapping[str, Row]) -> None:
    """Write the table whole or not at all, in the order of the trials."""
    told: set[str] = set()
    with written(project / FILE) as beside, beside.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(
            file, COLUMNS, restval="", extrasaction="ignore", lineterminator="\n"
        )
        writer.writeheader()
        for row in sorted(rows.values(), key=lambda row: (_seconds(row), row["revision"])):
            sample = "" if row["rows"] in told else row["sample"]
            told |= {row["rows"]} if sample else set()
            writer.writerow({**row, "sample": sample})
