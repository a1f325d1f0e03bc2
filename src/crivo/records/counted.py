"""`metrics/trials.csv`: the trials and looks that a clone counts, to travel with a branch.

A row holds what the correction must know of a trial besides its numbers. `crivo confirm`, `share`
and `prune` write it. Where a clone has the trial itself, `history` uses that instead.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

from crivo.core.artifacts import MODEL, written
from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_csv
from crivo.records.comparability import is_part
from crivo.records.record import ABOUT, PARAMS, PREDICTIONS, Record, usable
from crivo.repository.commits import LAST, Origin, kind_of
from crivo.repository.lock import LOCK

FILE = Path("metrics/trials.csv")
COMMIT = f"Commit {FILE}: it counts all trials known here in clones that have only the branch."
# What tables of earlier versions lack.
NEW = {"kind": "", "split": "valid"}
# `sample`: some of the rows' ids, by which overlapping rows are known; once for each `rows`.
# `recipe` and `seed` are empty; versions before this one read them.
COLUMNS = (
    *("revision", "name", "kind", "split", "parent", "author", "seconds", "rows"),
    *("predictions", "model", "recipe", "seed", "planned", "sample"),
)

Row = Mapping[str, str]


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
        if missing := [name for name in COLUMNS if name not in (*table.columns, *NEW)]:
            raise ParseError(f"lacks columns: {', '.join(missing)}")
    except ParseError as error:
        raise CrivoError(
            f"{FILE} {error}; it counts trials, so restore it: `git checkout HEAD -- {FILE}`, or "
            "resolve its conflict by keeping both sides' lines."
        ) from None
    # With `merge.conflictStyle=diff3`, git's union of two tables has the header twice.
    kept = [row for row in table.rows if row != table.columns]
    rows = [NEW | dict(zip(table.columns, row, strict=True)) for row in kept]
    samples = {row["rows"]: row["sample"] for row in rows if row["sample"]}
    # Two branches may have counted the same trial.
    return {row["revision"]: row | {"sample": samples.get(row["rows"], "")} for row in rows}


def _record(row: Row) -> CountedRecord:
    planned, split = row["planned"], row["split"]
    kind = kind_of(row["kind"], row["name"])
    origin = Origin(
        row["name"], row["revision"], row["parent"] or None, row["author"], _seconds(row), "",
        trial=True, kind=kind,
    )  # fmt: skip
    hashes = {PREDICTIONS: row["predictions"], MODEL.as_posix(): row["model"]}
    outs = [{"path": path, "md5": one} for path, one in hashes.items() if one]
    key = "planned_looks" if split == "test" else "planned_trials"
    said = {
        ABOUT: {"rows": row["rows"], "sample": row["sample"].split(), "split": split},
        PARAMS: {"compare": {key: int(planned)} if planned.isdigit() else {}},
        LOCK: {"evaluate": {"deps": [], "outs": outs}},
    }
    return CountedRecord(origin, {}, said=said)


def _seconds(row: Row) -> int:
    return min(int(row["seconds"]), LAST) if row["seconds"].isdigit() else 0


def count_on(project: Path, records: Iterable[Record]) -> bool:
    """Put experiments into the table, beside those that are there; return whether any is new.

    Points of a learning curve don't count.
    """
    known = _rows(project)
    new = {
        one.origin.revision: _row(one)
        for one in records
        if one.origin.revision not in known and usable(one) and not is_part(one)
    }
    if new:
        _write(project, known | new)
    return bool(new)


def _row(record: Record) -> Row:
    about, compare = record.about, record.settings.get("compare") or {}
    planned = compare.get("planned_looks" if record.split == "test" else "planned_trials")
    return {
        "revision": record.origin.revision,
        "name": record.name,
        "kind": record.kind,
        "split": record.split,
        "parent": record.origin.parent or "",
        "author": record.origin.author,
        "seconds": str(record.origin.seconds),
        "rows": about["rows"],
        "predictions": record.predictions,
        "model": record.model or "",
        "planned": str(planned or ""),
        "sample": " ".join(about.get("sample") or ()),
    }


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
