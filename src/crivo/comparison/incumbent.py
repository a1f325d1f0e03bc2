"""`crivo incumbent`: writes metrics/incumbent.json, the experiment that a new one must beat.

`evaluate` reads it by `crivo.evaluation.incumbent`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from crivo.comparison.families import chosen_among
from crivo.core import artifacts
from crivo.core.results import result
from crivo.evaluation.incumbent import FILE, Incumbent, read_incumbent
from crivo.records.comparability import require_whole_on_validation
from crivo.records.history import History, keep_trials, read_history
from crivo.records.reading import Jackknife
from crivo.records.record import PARAMS, PREDICTIONS, Record
from crivo.repository.commits import SHORT, Origin
from crivo.repository.git import open_repository
from crivo.repository.lock import LOCK

KEPT_HASHES = (
    PREDICTIONS,
    artifacts.SCHEMA.as_posix(),
    artifacts.MODEL.as_posix(),
    *(artifacts.prepared(split).as_posix() for split in artifacts.SPLITS[1:]),
)


@result
class ShownIncumbent:
    """The experiment that a new one must beat."""

    name: str | None = None
    """Its name; null if there is no incumbent."""
    revision: str | None = None
    """The commit that records it; null if there is no incumbent."""
    how_chosen: str = ""
    """How it was chosen, in words."""


def show_incumbent(folder: Path = Path()) -> ShownIncumbent:
    """Return the incumbent of the project that a folder is in, or that there is none."""
    found = _kept(read_history(folder))
    return (
        ShownIncumbent(found.name, found.revision, found.how_chosen) if found else ShownIncumbent()
    )


def set_incumbent(revision: str, folder: Path = Path()) -> Incumbent:
    """Keep an experiment, branch, tag or commit as the one to beat, and return it.

    Among which models it was chosen by its result is found out and kept with it.

    It is written to `metrics/incumbent.json`, to be committed; from then on `evaluate` gives
    its verdict against it. CrivoError: it has no evaluation, it was evaluated on the test rows, or
    it isn't a whole experiment.
    """
    history = read_history(folder)
    record = require_whole_on_validation(history.find(revision))
    keep_trials(history)
    clusters, metrics = record.jackknife
    short = record.origin.revision[:SHORT]
    lasting = record.origin.trial or record.name == short  # a branch moves on
    held = {
        "name": record.name if lasting else f"{record.name}@{short}",
        "revision": record.origin.revision,
        "about": dict(record.about),
        "intervals": record.intervals,
        "jackknife": {
            "cluster": [*clusters],
            "metrics": {name: metrics[name].tolist() for name in metrics if "." not in name},
        },
        "settings": record.settings,
        "hashes": {path: record.hashes[path] for path in KEPT_HASHES if path in record.hashes},
        "chosen_among": sorted(chosen_among(history, record)),
    }
    found = Incumbent.model_validate(held)
    artifacts.write_json(history.repository.project / FILE, found.model_dump(exclude_unset=True))
    return found


def clear_incumbent(folder: Path = Path()) -> None:
    """Forget the incumbent: `metrics/incumbent.json` then holds `{}`."""
    artifacts.write_json(open_repository(folder).project / FILE, {})


def _kept(history: History) -> Incumbent | None:
    path = history.repository.project / FILE
    return read_incumbent(path) if path.exists() else None


def incumbent_record(history: History) -> Record | None:
    """Return the incumbent as a record to compare with; its numbers come from the file."""
    incumbent = _kept(history)
    if incumbent is None:
        return None
    outs = [{"path": path, "md5": digest} for path, digest in incumbent.hashes.items()]
    more = {PARAMS: incumbent.settings, LOCK: {"evaluate": {"deps": [], "outs": outs}}}
    origin, files = Origin(incumbent.name, incumbent.revision, None, "", 0, ""), {}
    if history.repository.commit(incumbent.revision):
        known = history.at(incumbent.revision, incumbent.name)
        origin = replace(known.origin, name=incumbent.name)
        files = {path: known.files[path] for path in (PARAMS, LOCK) if path in known.files}
        more = {key: value for key, value in more.items() if key not in files}
    record = Record(origin, files, history.ledger)
    about = incumbent.about.model_dump(exclude_unset=True)
    intervals = {name: one.model_dump() for name, one in incumbent.intervals.items()}
    metrics = {name: np.array(one) for name, one in incumbent.jackknife.metrics.items()}
    jackknife = Jackknife(tuple(incumbent.jackknife.cluster), metrics)
    return record.with_values(about, intervals, jackknife, more)


def incumbent_among(history: History, reference: Record) -> frozenset[str] | None:
    """Return what the incumbent was chosen among, as its file says; None: it is another record."""
    incumbent = _kept(history)
    if incumbent is None or incumbent.revision != reference.origin.revision:
        return None
    return frozenset(incumbent.chosen_among)
