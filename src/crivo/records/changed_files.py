"""The files that differ between two experiments' stages: code, packages, data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from crivo.core.layout import a_few
from crivo.records.record import Record
from crivo.records.settings import in_words
from crivo.repository.git import Repository
from crivo.repository.lock import covers

if TYPE_CHECKING:
    from crivo.comparison.choice import Pair

SRC = "src"
# A setting chooses them, and shows as one.
CHOSEN = ("src/blocks/", "data/raw/")
MAX_NAMED = 3


def changed_texts(pairs: Sequence[Pair], repository: Repository) -> list[str]:
    """Return what each record changed from its reference: settings, then files."""
    places = [
        [f"{side.origin.revision}:{repository.prefix}{SRC}" for side in (one.reference, one.record)]
        for one in pairs
    ]
    trees = repository.hashes(place for both in places for place in both)
    # Most of many experiments have the code of a few commits.
    changed_in = cache(partial(differing, repository))
    texts = []
    for one, both in zip(pairs, places, strict=True):
        files = _otherwise(one.record, one.reference)
        code = [trees[place] or "" for place in both]
        if files and all(code):
            files = _files(files, changed_in(*code))
        settings = in_words(one.record.settings, one.reference.settings)
        more = {0: "", 1: " file"}.get(max(len(files) - MAX_NAMED, 0), " files")
        texts.append(", ".join(filter(None, [settings, a_few(files, MAX_NAMED)])) + more)
    return texts


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


def _files(paths: list[str], code: list[list[str]]) -> list[str]:
    """Return paths with the files in `src` that differ in place of those and their folders."""
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
