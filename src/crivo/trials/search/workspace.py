"""What a search starts from: the workspace's settings and code, names of trials."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.params import COMMAND_SECTIONS, PARAMS_FILE, read_yaml
from crivo.records.history import History
from crivo.records.naming import experiment_name, numbered
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
    paths = [f"{repository.prefix}{path}" for path in CODE]
    digest = hashlib.blake2b(digest_size=16)
    ignored = COMMAND_SECTIONS
    told = {key: value for key, value in settings.items() if key not in ignored}
    digest.update(json.dumps(told, sort_keys=True, default=str).encode())
    digest.update(repository.git("ls-tree", "HEAD", "--", *paths).encode())
    for name in sorted(repository.files_changed_since("HEAD", paths)):
        place = repository.project / name
        content = place.read_bytes() if place.is_file() else b""
        digest.update(f"\n{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


class Names:
    """The names of experiments: after what they change, each free when it is given."""

    def __init__(self, history: History, base: Mapping[str, Any]) -> None:
        self._history = history
        self._before = history.find("HEAD").settings or base
        here = [one for one in history.trials if one.origin.parent == history.head]
        self._taken = {one.name for one in here}
        self._files: dict[tuple[Any, ...], list[str]] = {}

    def of(self, settings: Mapping[str, Any]) -> str:
        """Return a name for the experiment with these settings."""
        return self.free(experiment_name(settings, self._before, self._changed(settings)))

    def free(self, name: str) -> str:
        """Return a name, with a number when it is taken, and take it."""
        found = numbered(name, self._taken)
        self._taken.add(found)
        return found

    def _changed(self, settings: Mapping[str, Any]) -> list[str]:
        """Return the changed files that these blocks read; git is asked once for each choice."""
        blocks = tuple(settings.get(kind) for kind in KINDS)
        if blocks not in self._files:
            self._files[blocks] = changed_here(self._history, settings)
        return self._files[blocks]
