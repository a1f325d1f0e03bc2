"""The trials that were removed, in a small table in git: they count wherever the project is cloned.

`metrics/trials.csv` has a row for each: what the correction must know of a trial besides its
numbers. Where the clone still has the trial itself (`refs/crivo/trials`), that is used instead.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crivo.core.artifacts import MODEL, written
from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_csv
from crivo.experiments.comparability import seed_of
from crivo.experiments.parts import is_part
from crivo.experiments.records import ABOUT, PARAMS, PREDICTIONS, Record, usable
from crivo.repository.commits import LAST, Origin
from crivo.repository.git import Blob
from crivo.repository.lock import LOCK

FILE = Path("metrics/trials.csv")
# `sample`: some of the rows' ids, by which overlapping rows are known; once for each `rows`.
COLUMNS = (
    "revision",
    "name",
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
    """A trial of which only the table is left: it counts, and can't be compared.

    `recipe` (a digest) and `seed` tell whether it is another trial's recipe with another seed.
    """

    recipe: str = ""
    seed: str = ""

    @property
    def about(self) -> dict[str, Any]:
        """What is known of the rows that it was evaluated on."""
        return dict(json.loads(self.files[ABOUT].content))

    @property
    def split(self) -> str:
        """The split it was evaluated on: experiments on test rows are never removed."""
        return "valid"


def recipe_digest(record: Record) -> str:
    """Return what two runs of one recipe have in common as a short text."""
    if isinstance(record, CountedRecord):
        return record.recipe
    recipe, _ = seed_of(record)
    return hashlib.blake2b(repr(recipe).encode(), digest_size=6).hexdigest()


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
    samples = {row["rows"]: row["sample"].split() for row in rows if row["sample"]}
    return [_record(row, samples.get(row["rows"], [])) for row in rows]


def _rows(content: bytes) -> list[dict[str, str]]:
    table = parse_csv(content)
    if missing := [name for name in COLUMNS if name not in table.columns]:
        raise ParseError(f"lacks columns: {', '.join(missing)}")
    # With `merge.conflictStyle=diff3`, git's union of two tables has the header twice.
    kept = [row for row in table.rows if tuple(row) != tuple(table.columns)]
    rows = [dict(zip(table.columns, row, strict=True)) for row in kept]
    # Two branches may have counted the same trial.
    return list({row["revision"]: row for row in rows}.values())


def _record(row: dict[str, str], sample: list[str]) -> CountedRecord:
    seconds = 0
    with suppress(ValueError):
        seconds = min(max(int(row["seconds"]), 0), LAST)
    origin = Origin(
        row["name"], row["revision"], row["parent"] or None, row["author"], seconds, "", trial=True
    )
    outs = [{"path": PREDICTIONS, "md5": row["predictions"]}]
    outs += [{"path": MODEL.as_posix(), "md5": row["model"]}] if row["model"] else []
    planned = {"planned_trials": int(row["planned"])} if row["planned"].isdigit() else {}
    texts = {
        PARAMS: json.dumps({"compare": planned}),
        ABOUT: json.dumps({"rows": row["rows"], "sample": sample}),
        LOCK: json.dumps({"stages": {"evaluate": {"outs": outs}}}),
    }
    files = {path: Blob("", text.encode()) for path, text in texts.items()}
    return CountedRecord(origin, files, row["recipe"], row["seed"])


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
    about = record.about
    row = {
        "revision": record.origin.revision,
        "name": record.name,
        "parent": record.origin.parent or "",
        "author": record.origin.author,
        "seconds": str(record.origin.seconds),
        "rows": about["rows"],
        "predictions": record.predictions,
        "model": record.model or "",
        "recipe": recipe_digest(record),
        "seed": str(record.settings.get("seed")),
        "planned": str((record.settings.get("compare") or {}).get("planned_trials") or ""),
    }
    return _record(row, list(about.get("sample") or ()))


def _write(project: Path, records: Sequence[CountedRecord]) -> None:
    """Write the table whole or not at all, in the order of the trials."""
    ordered = sorted(records, key=lambda one: (one.origin.seconds, one.origin.revision))
    told: set[str] = set()
    path = project / FILE
    with written(path) as beside, beside.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for one in ordered:
            about, origin = one.about, one.origin
            sample = [] if about["rows"] in told else about["sample"]
            told |= {about["rows"]} if sample else set()
            writer.writerow(
                [origin.revision, origin.name, origin.parent or "", origin.author, origin.seconds,
                 about["rows"], one.predictions, one.model or "", one.recipe, one.seed,
                 one.settings["compare"].get("planned_trials", ""), " ".join(sample)]
            )  # fmt: skip
