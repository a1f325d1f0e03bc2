"""Begins and resumes searches: their names and locks, and the workspace's settings and state.

Git keeps a search with the trials that were told, so a killed one goes on from there. `Trials`
reads a search's trials and compares them with the reference.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from crivo.comparison.choice import pair
from crivo.comparison.families import goodness, primary_of
from crivo.core.errors import CrivoError
from crivo.core.params import COMMAND_SECTIONS, PARAMS_FILE, read_yaml
from crivo.core.problems import did_you_mean
from crivo.records.cached import Store
from crivo.records.comparability import Refusal
from crivo.records.history import History, read_records
from crivo.records.ledger import SEARCH, read_ledger
from crivo.records.record import Record, require
from crivo.records.searches import KeptSearch, keep, searches
from crivo.records.settings import experiment_name, numbered
from crivo.repository.commits import keep_experiments, trial_origin
from crivo.repository.git import Repository
from crivo.trials.trial import changed_since_head

NAME = re.compile(r"[\w][\w.=+-]*")
# A lock for each search that runs here.
FOLDER = Path(".dvc/tmp/crivo/searches")
# What trials are made of beside the settings.
CODE = ("src", "requirements.txt", "dvc.yaml", "data")


@contextmanager
def begun(repository: Repository, search: KeptSearch) -> Iterator[KeptSearch]:
    """Begin a search; one without a name gets the first `search-NUMBER` that is free."""
    from filelock import FileLock

    folder = repository.project / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "names.lock"):
        require_free(repository, search.name)
        if not search.name:
            taken = _names(repository)
            numbers = (f"search-{number}" for number in count(1))
            search = replace(search, name=next(one for one in numbers if one not in taken))
        keep(repository, search)
    with _alone(folder, search):
        yield search


@contextmanager
def resumed(repository: Repository, name: str | None) -> Iterator[KeptSearch]:
    """Give a search that ran in this clone, the last one if none is named."""
    ledger = read_ledger(repository)
    kept = {one.key: one for one in searches(ledger).values()}
    ran = dict.fromkeys(one.of for one in reversed(ledger.own) if one.kind == SEARCH)
    here = [kept[key] for key in ran if key in kept]
    if not here:
        raise CrivoError("There is no search to resume here; `crivo search` starts one.")
    names = [one.name for one in here]
    if name not in (None, *names):
        raise CrivoError(
            f"There is no search {name!r}{did_you_mean(name or '', names)} (here: "
            f"{', '.join(names)})."
        )
    search = next(one for one in here if name in (None, one.name))
    with _alone(repository.project / FOLDER, search):
        yield search


@contextmanager
def _alone(folder: Path, search: KeptSearch) -> Iterator[None]:
    from filelock import FileLock, Timeout

    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder / f"{search.key}.lock", timeout=0):
            yield
    except Timeout:
        raise CrivoError(
            f"{search.name} is running in another process; wait until it ends, or interrupt it "
            "there first."
        ) from None


def require_free(repository: Repository, name: str) -> None:
    """Raise CrivoError for a name that git doesn't take, or that a search has; "" is any."""
    if name and (not NAME.fullmatch(name) or ".." in name or name.endswith((".lock", "."))):
        raise CrivoError(f"--name is {name!r}; expected letters, digits, -, _, ., + and =.")
    if name in _names(repository):
        raise CrivoError(
            f"A search {name} already exists; `crivo search --resume {name}` continues it. "
            "Otherwise, give another name."
        )


def _names(repository: Repository) -> set[str]:
    return {one.name for one in searches(read_ledger(repository)).values()}


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
        self._store = Store(history.repository)
        self.repository = history.repository
        self.metric = primary_of(reference)
        self._before = history.find("HEAD").settings or base
        here = [one for one in history.trials if one.origin.parent == history.head]
        self._taken = {one.name for one in here}

    def name_of(self, settings: Mapping[str, Any]) -> str:
        """Return a free name for the experiment with these settings, and take it."""
        files = changed_since_head(self._history, settings)
        found = numbered(experiment_name(settings, self._before, files), self._taken)
        self._taken.add(found)
        return found

    def read(self, ref: str) -> Record:
        """Return the record of a trial that was brought home, which counts from now on."""
        origin = trial_origin(self.repository, ref)
        keep_experiments(self.repository, [origin])
        (record,) = read_records(self.repository, [origin])
        return record

    def value(self, record: Record) -> float:
        """Return the primary metric; CrivoError when it can't be compared with the reference's."""
        found = pair(require(record), self._reference, self._store)
        if isinstance(found, Refusal):
            raise CrivoError(
                f"{record.name} can't be compared with {self._reference.name}: {found.reason}."
            )
        return float(found.record.estimate(self.metric.name).value)

    def goodness(self, value: float) -> float:
        """Return a number that is the greater, the better the primary metric is."""
        return goodness(self.metric, value)
