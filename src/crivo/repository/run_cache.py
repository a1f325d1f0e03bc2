"""DVC's run cache: what a stage gave for the same command, dependencies and settings.

The layout is DVC's, so that what one has computed is known to the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from crivo.repository.cache_store import write_whole
from crivo.repository.yaml_text import yaml_text

Entry = dict[str, Any]


class _Turn:
    """Held by the thread that runs a stage; gone with the last thread that waits for it."""

    def __init__(self) -> None:
        self.lock = Lock()


# Of all run caches here: the clones that run trials at once share one folder.
_TURNS: WeakValueDictionary[Path, _Turn] = WeakValueDictionary()
_CHOOSING = Lock()


class RunCache:
    """The entries in DVC's folder for them; an entry is one of `dvc.lock`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def found(self, entry: Mapping[str, Any]) -> Iterator[Entry]:
        """Give what is known of runs that read the same and write the same, the newest first."""
        from dvc.utils.serialize import load_yaml

        places = self._place(entry).glob("[0-9a-f]*")
        for place in sorted(places, key=lambda one: one.stat().st_mtime, reverse=True):
            known = load_yaml(str(place))
            if isinstance(known, dict) and isinstance(known.get("outs"), list):
                yield known

    @contextmanager
    def alone(self, entry: Mapping[str, Any]) -> Iterator[None]:
        """Let one thread at a time run what reads the same: the others find what it has made."""
        with _CHOOSING:
            turn = _TURNS.setdefault(self._place(entry), _Turn())
        with turn.lock:
            yield

    def _place(self, entry: Mapping[str, Any]) -> Path:
        return self.folder / _prefixed(_hash(entry, key=True))

    def keep(self, entry: Mapping[str, Any]) -> None:
        """Remember a run."""
        place = self._place(entry) / _hash(entry)
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            text = yaml_text(entry)
            write_whole(place, lambda beside: beside.write_text(text, encoding="utf-8"))


def _hash(entry: Mapping[str, Any], *, key: bool = False) -> str:
    from dvc.stage.cache import _get_cache_hash

    return str(_get_cache_hash(dict(entry), key=key))


def _prefixed(digest: str) -> str:
    return f"{digest[:2]}/{digest}"
