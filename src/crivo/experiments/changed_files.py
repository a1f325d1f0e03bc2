"""Which files an experiment's stages read otherwise than its reference's: code, packages, data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from crivo.experiments.records import Record
from crivo.repository.git import Repository

if TYPE_CHECKING:
    from crivo.experiments.pairing import Pair

# What a stage made, and the incumbent, which changes no prediction.
MADE = ("data/prepared/", "data/features/", "models/", "metrics/")
# A setting chooses them, and shows as one.
CHOSEN = ("src/blocks/", "data/raw/")
MAX_NAMED = 3


def inputs_of(record: Record) -> list[str]:
    """Return the files that a record's stages read and that no stage made: code, lock, data."""
    return [*_hashes(record)]


def changed_files(repository: Repository, record: Record, reference: Record) -> list[str]:
    """Return the files that a record's stages read and that differ from the reference's.

    Of a folder that a stage reads, those in it. A block or a data set that only one of them reads
    was chosen by a setting, so it isn't among them.
    """
    mine, theirs = _hashes(record), _hashes(reference)
    if not (mine and theirs):
        return []  # one of them doesn't say what it read
    both = [path for path in mine if theirs.get(path, mine[path]) != mine[path]]
    one = [path for path in mine.keys() ^ theirs.keys() if not path.startswith(CHOSEN)]
    if not (both or one):
        return []
    return _inside(repository, [*both, *sorted(one)], record, reference)


def with_changed_files(
    table: pd.DataFrame, pairs: Mapping[str, Pair], repository: Repository
) -> pd.DataFrame:
    """Return a comparison's table with the changed files after the settings that changed."""
    texts = {
        name: _joined(table["changed"][name], changed_files(repository, one.record, one.reference))
        for name, one in pairs.items()
    }
    return table.assign(changed=[texts[name] for name in table.index])


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


def _inside(
    repository: Repository, paths: list[str], record: Record, reference: Record
) -> list[str]:
    """Return the paths, for a folder the files in it that differ; moved ones are the same."""
    revisions = [one.origin.revision for one in (reference, record)]
    tracked = [path for path in paths if not path.startswith("data/")]
    if not tracked or not all(map(repository.commit, revisions)):
        return paths
    prefix = repository.prefix
    # All of `src`: a file may have come from where no stage of one of them looks.
    places = [prefix + path for path in ("src", *tracked)]
    options = ("--name-status", "--find-renames", "-z")
    words = repository.git("diff", *options, *revisions, "--", *places).split("\0")
    found = []
    while len(words) > 1:
        status = words.pop(0)
        names = [words.pop(0) for _ in range(2 if status[0] in "RC" else 1)]
        names = [name.removeprefix(prefix) for name in names]
        if status != "R100" and any(_below(name, path) for name in names for path in tracked):
            found.append(names[-1])
    return [*found, *(path for path in paths if path.startswith("data/"))]


def _below(name: str, path: str) -> bool:
    return name == path or name.startswith(f"{path}/")
