"""The incumbent: the experiment that a new one must beat, kept as a small file in git."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.evaluation.incumbent import FILE, Incumbent, read_incumbent
from crivo.experiments.history import History, keep_trials, read_history
from crivo.experiments.naming import is_stopped
from crivo.experiments.parts import is_part
from crivo.experiments.records import (
    ABOUT,
    INTERVALS,
    JACKKNIFE,
    PARAMS,
    PREDICTIONS,
    Record,
    require,
)
from crivo.experiments.sequences import chosen_among
from crivo.repository.commits import SHORT, Origin
from crivo.repository.git import Blob
from crivo.repository.lock import LOCK

KEPT_HASHES = (
    PREDICTIONS,
    artifacts.SCHEMA.as_posix(),
    artifacts.MODEL.as_posix(),
    *(artifacts.prepared(split).as_posix() for split in artifacts.SPLITS[1:]),
)


def set_incumbent(revision: str, folder: Path = Path()) -> Incumbent:
    """Keep an experiment, branch, tag or commit as the one to beat, and return it.

    Among which models it was chosen by its result is found out and kept with it.

    It is written to `metrics/incumbent.json`, to be committed; from then on `evaluate` gives
    its verdict against it. CrivoError: it has no evaluation, it was evaluated on the test rows, or
    it isn't a whole experiment.
    """
    history = read_history(folder)
    record = require(history.find(revision))
    if record.split == "test":
        raise CrivoError(
            f"{record.name} was evaluated on the test rows, which are not for choosing; "
            "name the experiment that was evaluated on validation rows."
        )
    if is_part(record) or is_stopped(record.name):
        raise CrivoError(
            f"{record.name} was stopped early, or fitted on a part of the training rows, so it "
            "can't be compared; name an experiment that ran to its end on all of them."
        )
    keep_trials(history)
    among = chosen_among(history.counted, record)
    incumbent = replace(of_record(record), chosen_among=tuple(sorted(among)))
    artifacts.write_json(history.repository.project / FILE, incumbent.to_json())
    return incumbent


def clear_incumbent(folder: Path = Path()) -> None:
    """Forget the incumbent: `metrics/incumbent.json` then holds `{}`."""
    artifacts.write_json(read_history(folder).repository.project / FILE, {})


def current_incumbent(folder: Path = Path()) -> Incumbent | None:
    """Return the incumbent of the project that a folder is in, or None."""
    path = read_history(folder).repository.project / FILE
    return read_incumbent(path) if path.exists() else None


def of_record(record: Record) -> Incumbent:
    """Return a record as an incumbent."""
    own = [name for name in record.jackknife if "." not in str(name)]
    return Incumbent(
        name=_lasting_name(record),
        revision=record.origin.revision,
        about=record.about,
        intervals=record.intervals,
        jackknife=record.jackknife[own],
        settings=record.settings,
        hashes={path: record.hashes[path] for path in KEPT_HASHES if path in record.hashes},
    )


def _lasting_name(record: Record) -> str:
    """Return a name that means the same when the branch has moved on: `main@1a2b3c4`."""
    short = record.origin.revision[:SHORT]
    return record.name if record.origin.trial or record.name == short else f"{record.name}@{short}"


def incumbent_record(history: History) -> Record | None:
    """Return the incumbent as a record to compare with; its numbers come from the file."""
    path = history.repository.project / FILE
    incumbent = read_incumbent(path) if path.exists() else None
    if incumbent is None:
        return None
    files = _files(incumbent)
    origin = Origin(incumbent.name, incumbent.revision, None, "", 0, "")
    if history.repository.commit(incumbent.revision):
        known = history.at(incumbent.revision, incumbent.name)
        origin = replace(known.origin, name=incumbent.name)
        files |= {path: known.files[path] for path in (PARAMS, LOCK) if path in known.files}
    return Record(origin, files)


def incumbent_among(history: History, reference: Record) -> frozenset[str] | None:
    """Return what the incumbent was chosen among, as its file says; None: it doesn't say."""
    path = history.repository.project / FILE
    incumbent = read_incumbent(path) if path.exists() else None
    if incumbent is None or not incumbent.chosen_among:
        return None
    if incumbent.revision != reference.origin.revision:
        return None
    return frozenset(incumbent.chosen_among)


def _files(incumbent: Incumbent) -> dict[str, Blob]:
    """Return the incumbent's numbers as the files that a commit would hold."""
    outs = [{"path": path, "md5": digest} for path, digest in incumbent.hashes.items()]
    intervals = incumbent.intervals.assign(of="model").reset_index()
    texts = {
        PARAMS: json.dumps(incumbent.settings),
        LOCK: json.dumps({"stages": {"evaluate": {"outs": outs}}}),
        ABOUT: json.dumps(incumbent.about),
        INTERVALS: intervals.to_csv(index=False),
        JACKKNIFE: incumbent.jackknife.to_csv(),
    }
    return {path: Blob("", text.encode()) for path, text in texts.items()}
