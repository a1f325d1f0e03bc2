"""Which files an experiment's stages read otherwise than its reference's: code, packages, data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from crivo.records.record import Record
from crivo.repository.git import Repository

if TYPE_CHECKING:
    from crivo.comparison.pairing import Pair

# What a stage made, and the incumbent, which changes no prediction.
MADE = ("data/prepared/", "data/features/", "models/", "metrics/")
# A setting chooses them, and shows as one.
CHOSEN = ("src/blocks/", "data/raw/")
MAX_NAMED = 3


def inputs_of(record: Record) -> list[str]:
    """Return the files that a record's stages read and that no stage made: code, lock, data."""
    return [*_hashes(record)]


def _otherwise(record: Record, reference: Record) -> list[str]:
    """Return the files that a record's stages read and that differ from the reference's.

    A block or a data set that only one of them reads was chosen by a setting, so it isn't among
    them.
    """
    mine, theirs = _hashes(record), _hashes(reference)
    if not (mine and theirs):
        return []  # one of them doesn't say what it read
    both = [path for path in mine if theirs.get(path, mine[path]) != mine[path]]
    one = [path for path in mine.keys() ^ theirs.keys() if not path.startswith(CHOSEN)]
    return [*both, *sorted(one)]


def with_changed_files(
    table: pd.DataFrame, pairs: Mapping[str, Pair], repository: Repository
) -> pd.DataFrame:
    """Return a comparison's table with the changed files after the settings that changed."""
    paths = {name: _otherwise(one.record, one.reference) for name, one in pairs.items()}
    inside = _Inside(repository, {name: pairs[name] for name in paths if paths[name]}, paths)
    texts = [
        _joined(settings, inside.files(name) if paths[name] else [])
        for name, settings in zip(map(str, table.index), table["changed"], strict=True)
    ]
    return table.assign(changed=texts)


def _joined(settings: str, files: list[str]) -> str:
    text = ", ".join([*filter(None, [settings]), *files[:MAX_NAMED]])
    more = len(files) - MAX_NAMED
    return f"{text} and {more} more file{'s' if more > 1 else ''}" if more > 0 else text


def _hashes(record: Record) -> dict[str, str]:
    """Return the hash of each file that a record's stages read and that no stage made."""
    read = [part for stage in record.lock.values() for part in stage.get("deps", ())]
    return {
        part["path"]: str(part.get("md5")) for part in read if not part["path"].startswith(MADE)
    }


class _Inside:
    """Tells which files in folders differ between two commits: git is asked once for equal trees.

    Most of many experiments have the code of a few commits.
    """

    def __init__(
        self, repository: Repository, pairs: Mapping[str, Pair], paths: Mapping[str, list[str]]
    ) -> None:
        self._repository, self._pairs, self._paths = repository, pairs, paths
        wanted = [place for name in pairs for side in self._sides(name) for place in side]
        self._hashes = repository.hashes(wanted)
        self._known: dict[object, list[str]] = {}

    def files(self, name: str) -> list[str]:
        """Return a pair's paths, for a folder the files in it that differ; moved ones are same."""
        paths = self._paths[name]
        (commit, *_), (other, *_) = sides = self._sides(name)
        if not (self._tracked(name) and self._hashes.get(commit) and self._hashes.get(other)):
            return paths
        trees = (self._hashes.get(place) or place for _, *places in sides for place in places)
        key = (*paths, *trees)
        if key not in self._known:
            self._known[key] = self._differing(name)
        return self._known[key]

    def _tracked(self, name: str) -> list[str]:
        return [path for path in self._paths[name] if not path.startswith("data/")]

    def _places(self, name: str) -> list[str]:
        # All of `src`: a file may have come from where no stage of one of them looks.
        return [self._repository.prefix + path for path in ("src", *self._tracked(name))]

    def _sides(self, name: str) -> list[list[str]]:
        """Return git's names for each commit of a pair, and for what is to be looked at in it."""
        return [
            [f"{revision}^{{commit}}", *(f"{revision}:{place}" for place in self._places(name))]
            for revision in self._revisions(name)
        ]

    def _revisions(self, name: str) -> list[str]:
        one = self._pairs[name]
        return [one.reference.origin.revision, one.record.origin.revision]

    def _differing(self, name: str) -> list[str]:
        prefix, tracked = self._repository.prefix, self._tracked(name)
        options = ("--name-status", "--find-renames", "-z")
        said = self._repository.git(
            "diff", *options, *self._revisions(name), "--", *self._places(name)
        )
        words, found = said.split("\0"), []
        while len(words) > 1:
            status = words.pop(0)
            names = [words.pop(0) for _ in range(2 if status[0] in "RC" else 1)]
            names = [one.removeprefix(prefix) for one in names]
            if status != "R100" and any(_below(one, path) for one in names for path in tracked):
                found.append(names[-1])
        return [*found, *(path for path in self._paths[name] if path.startswith("data/"))]


def _below(name: str, path: str) -> bool:
    return name == path or name.startswith(f"{path}/")
