"""The start of a search: the workspace's settings and code, and how trials are judged."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from crivo.comparison.families import goodness, primary_of
from crivo.core.errors import CrivoError
from crivo.core.params import COMMAND_SECTIONS, PARAMS_FILE, read_yaml
from crivo.records.comparability import other_definition, other_measured, other_rows
from crivo.records.history import History, read_records
from crivo.records.naming import experiment_name, numbered
from crivo.records.record import Record, require
from crivo.repository.commits import keep_experiments, trial_origin
from crivo.repository.kept import keep_seconds
from crivo.trials.trial import changed_here

# What trials are made of beside the settings.
CODE = ("src", "requirements.txt", "dvc.yaml", "data")


def read_settings(history: History) -> dict[str, Any]:
    """Return the workspace's settings.

    CrivoError: they evaluate test rows, which never choose, or fit on a part of the training rows.
    """
    settings = dict(read_yaml(history.repository.project / PARAMS_FILE))
    train = settings.get("train")
    if isinstance(train, Mapping) and train.get("fraction", 1) != 1:
        raise CrivoError(
            f"params.yaml has train.fraction: {train['fraction']}, and a model fitted on a part of "
            "the training rows isn't a trial; remove the line before you search."
        )
    section = settings.get("evaluate")
    if isinstance(section, Mapping) and section.get("split") == "test":
        raise CrivoError(
            "params.yaml has evaluate.split: test, and a search chooses by its trials' results; "
            "set it to valid, and confirm what was chosen with `crivo confirm NAME`."
        )
    return settings


def state_of(history: History, settings: Mapping[str, Any]) -> str:
    """Return what identifies the workspace's code and settings, which a search goes on from."""
    repository = history.repository
    paths = ["--", *(f"{repository.prefix}{path}" for path in CODE)]
    read = {key: value for key, value in settings.items() if key not in COMMAND_SECTIONS}
    parts = [
        json.dumps(read, sort_keys=True, default=str),
        repository.git("ls-tree", "HEAD", *paths),
        repository.git("diff", "--no-ext-diff", "--binary", "HEAD", *paths),
    ]
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


class Trials:
    """How trials of a search are named, read and judged beside the reference.

    `base`: the workspace's settings.
    """

    def __init__(self, history: History, reference: Record, base: Mapping[str, Any]) -> None:
        self._history, self._reference = history, reference
        self.repository = history.repository
        self.metric = primary_of(reference)
        self._before = history.find("HEAD").settings or base
        here = [one for one in history.trials if one.origin.parent == history.head]
        self._taken = {one.name for one in here}

    def name_of(self, settings: Mapping[str, Any]) -> str:
        """Return a free name for the experiment with these settings, and take it."""
        files = changed_here(self._history, settings)
        found = numbered(experiment_name(settings, self._before, files), self._taken)
        self._taken.add(found)
        return found

    def read(self, ref: str, seconds: float) -> Record:
        """Return the record of a trial that was brought home, which counts from now on."""
        origin = trial_origin(self.repository, ref)
        keep_experiments(self.repository, [origin])
        keep_seconds(self.repository, origin.revision, seconds)
        (record,) = read_records(self.repository, [origin])
        return record

    def value(self, record: Record) -> float:
        """Return the primary metric; CrivoError when it can't be compared with the reference's."""
        require(record)
        if record.split == "test":
            raise CrivoError(
                f"{record.name} was evaluated on test rows, which aren't for choosing."
            )
        other = self._reference
        refusal = other_rows(record, other)
        redefined = other_definition(record, other)
        if refusal is None and not redefined:
            refusal = other_measured(record, other)
        if refusal is not None or redefined:
            why = refusal.reason if refusal else "its metrics are defined differently"
            raise CrivoError(f"{record.name} can't be compared with {other.name}: {why}.")
        return float(record.estimate(self.metric.name).value)

    def goodness(self, value: float) -> float:
        """Return a number that is the greater, the better the primary metric is."""
        return goodness(self.metric, value)
