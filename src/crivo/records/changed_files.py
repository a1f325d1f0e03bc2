"""The files that differ between two experiments' stages: code, packages, data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

import pandas as pd

from crivo.core.layout import a_few
from crivo.records.record import Record
from crivo.repository.git import Repository
from crivo.repository.paths import covers

if TYPE_CHECKING:
    from crivo.comparison.pairing import Pair

SRC = "src"
# A setting chooses them, and shows as one.
CHOSEN = ("src/blocks/", "data/raw/")
MAX_NAMED = 3


def with_changed_files(
    table: pd.DataFrame, pairs: Mapping[str, Pair], repository: Repository
) -> pd.DataFrame:
    """Return a comparison's table with the changed files after the settings that changed."""
    paths = {name: _otherwise(one.record, one.reference) for name, one in pairs.items()}
    places = {
        name: [
            f"{side.origin.revision}:{repository.prefix}{SRC}"
            for side in (one.reference, one.record)
        ]
        for name, one in pairs.items()
        if paths[name]
    }
    trees = repository.hashes(place for both in places.values() for place in both)
    # Most of many experiments have the code of a few commits.
    changed_in = cache(partial(differing, repository))
    texts = []
    for name, settings in zip(map(str, table.index), table["changed"], strict=True):
        both = [trees[place] for place in places.get(name, ())]
        code = changed_in(*both) if both and all(both) else None
        texts.append(_joined(settings, _files(paths[name], code)))
    return table.assign(changed=texts)


def _otherwise(record: Record, reference: Record) -> list[str]:
    """Return what a record's stages read and differs from the reference's: files and folders.

    A block or a data set that only one of them reads was chosen by a setting, so it isn't among
    them.
    """
    mine, theirs = record.inputs(), reference.inputs()
    if not (mine and theirs):
        return []  # one of them doesn't say what it read
    both = [path for path in mine if theirs.get(path, mine[path]) != mine[path]]
    one = [path for path in mine.keys() ^ theirs.keys() if not path.startswith(CHOSEN)]
    return [*both, *sorted(one)]


def _files(paths: list[str], code: list[list[str]] | None) -> list[str]:
    """Return paths with the files in `src` that differ in place of those and their folders."""
    if code is None:
        return paths
    in_src = [[f"{SRC}/{name}" for name in names] for names in code]
    inside = [
        names[-1] for names in in_src if any(covers(path, one) for path in paths for one in names)
    ]
    return [*inside, *(path for path in paths if not covers(SRC, path))]


def differing(repository: Repository, before: str, after: str, *places: str) -> list[list[str]]:
    """Return the files that differ between two commits or trees, each by its name or both names.

    One that only moved is the same.
    """
    options = ("--name-status", "--find-renames", "-z")
    said = repository.git("diff", *options, before, after, "--", *places)
    words, found = iter(said.split("\0")), []
    for status in filter(None, words):
        names = [next(words) for _ in range(2 if status[0] == "R" else 1)]
        if status != "R100":
            found.append(names)
    return found


def _joined(settings: str, files: list[str]) -> str:
    named = a_few(files, MAX_NAMED)
    more = len(files) - MAX_NAMED
    return ", ".join(filter(None, [settings, named])) + (
        "" if more <= 0 else " file" if more == 1 else " files"
    )
