"""What differs between two experiments' runs: settings, code, data and packages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, partial

from crivo.core.layout import a_few
from crivo.core.results import result
from crivo.records.history import History
from crivo.records.record import Record
from crivo.records.settings import changes, in_words, plain
from crivo.repository.git import Repository
from crivo.repository.lock import covers

SRC = "src"
LOCKFILE = "requirements.txt"
PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s;\\]+)", re.MULTILINE)
DATA = "data/raw/"
# A setting chooses them, and shows as one.
CHOSEN = ("src/blocks/", DATA)
MAX_NAMED = 3


@result
class InputDifference:
    """A setting, file or package in which two experiments differ."""

    kind: str
    """`setting`, `data`, `code` or `package`."""
    what: str
    """Its name or path."""
    one: str
    """Its value in A; empty for code."""
    other: str
    """Its value in B; `changed` for code."""


def input_differences(history: History, one: Record, other: Record) -> list[InputDifference]:
    """Return the settings, data, code and packages in which two experiments differ."""
    repository = history.repository
    (files,) = _changed_files([other], one, repository)
    rows = [
        InputDifference("setting", key, plain(before), plain(now))
        for key, (now, before) in changes(other.settings, one.settings).items()
    ]
    data = [path for path, md5 in one.hashes.items()
            if path.startswith(DATA) and other.hashes.get(path, md5) != md5]  # fmt: skip
    rows += [
        InputDifference("data", path, one.hashes[path][:8], other.hashes[path][:8]) for path in data
    ]
    code = [path for path in files if path not in (*data, LOCKFILE)]
    rows += [InputDifference("code", path, "", "changed") for path in code]
    return [*rows, *_other_packages(repository, one, other)]


def _other_packages(repository: Repository, one: Record, other: Record) -> list[InputDifference]:
    keys = [(record.origin.revision, LOCKFILE) for record in (one, other)]
    blobs = repository.blobs(keys)
    if not all(key in blobs for key in keys):
        return []
    pins = [dict(PIN.findall(blobs[key].content.decode())) for key in keys]
    return [
        InputDifference("package", name, pins[0].get(name, "none"), pins[1].get(name, "none"))
        for name in sorted({*pins[0], *pins[1]})
        if pins[0].get(name) != pins[1].get(name)
    ]


def changed_texts(
    records: Sequence[Record], reference: Record, repository: Repository
) -> list[str]:
    """Return what each record changed from a reference: settings, then files."""
    texts = []
    changed = _changed_files(records, reference, repository)
    for record, files in zip(records, changed, strict=True):
        settings = in_words(record.settings, reference.settings)
        more = {0: "", 1: " file"}.get(max(len(files) - MAX_NAMED, 0), " files")
        texts.append(", ".join(filter(None, [settings, a_few(files, MAX_NAMED)])) + more)
    return texts


def _changed_files(
    records: Sequence[Record], reference: Record, repository: Repository
) -> list[list[str]]:
    """Return the files that the stages of each record, and of a reference, read and that differ."""
    places = [f"{one.origin.revision}:{repository.prefix}{SRC}" for one in (reference, *records)]
    hashes = repository.hashes(places)
    before, *trees = [hashes[place] or "" for place in places]
    # Most of many experiments have the code of a few commits.
    changed_in = cache(partial(_differing, repository, before))
    found = []
    for record, after in zip(records, trees, strict=True):
        files = _otherwise(record, reference)
        known = files and before and after
        found.append(_files(files, changed_in(after)) if known else files)
    return found


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


def _files(paths: list[str], code: list[str]) -> list[str]:
    """Return paths with the files in `src` that differ in place of those and their folders."""
    in_src = [f"{SRC}/{name}" for name in code]
    inside = [name for name in in_src if any(covers(path, name) for path in paths)]
    return [*inside, *(path for path in paths if not covers(SRC, path))]


def _differing(repository: Repository, before: str, after: str) -> list[str]:
    """Return the files that differ between two trees."""
    said = repository.git("diff", "--name-only", "--no-renames", "-z", before, after)
    return [name for name in said.split("\0") if name]
