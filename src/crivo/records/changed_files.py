"""The settings, code files, data and packages in which two experiments' runs differ."""

from __future__ import annotations

import re
from collections.abc import Sequence

from crivo.core.wording import a_few
from crivo.records.comparability import DATA, LOCKFILE
from crivo.records.history import History
from crivo.records.record import Record
from crivo.records.settings import changes, in_words, plain
from crivo.repository.git import Repository

PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s;\\]+)", re.MULTILINE)
# A setting chooses them, and shows as one.
CHOSEN = ("src/blocks/", DATA)
MAX_NAMED = 3


def input_differences(history: History, one: Record, other: Record) -> list[str]:
    """Return in words the settings, data, code and packages in which two experiments differ."""
    files = _changed_files(other, one)
    found = [
        f"setting {key}: {plain(before)} → {plain(now)}"
        for key, (now, before) in changes(other.settings, one.settings).items()
    ]
    data = [path for path, md5 in one.hashes.items()
            if path.startswith(DATA) and other.hashes.get(path, md5) != md5]  # fmt: skip
    found += [f"data {path}: {one.hashes[path][:8]} → {other.hashes[path][:8]}" for path in data]
    found += [f"code {path} changed" for path in files if path not in (*data, LOCKFILE)]
    return [*found, *_other_packages(history.repository, one, other)]


def _other_packages(repository: Repository, one: Record, other: Record) -> list[str]:
    locks = [repository.content(record.origin.revision, LOCKFILE) for record in (one, other)]
    if None in locks:
        return []
    pins = [dict(PIN.findall((lock or b"").decode())) for lock in locks]
    return [
        f"package {name}: {pins[0].get(name, 'none')} → {pins[1].get(name, 'none')}"
        for name in sorted({*pins[0], *pins[1]})
        if pins[0].get(name) != pins[1].get(name)
    ]


def changed_texts(records: Sequence[Record], reference: Record) -> list[str]:
    """Return what each record changed from a reference: settings, then files."""
    texts = []
    for record in records:
        files = a_few(_changed_files(record, reference), MAX_NAMED)
        settings = in_words(record.settings, reference.settings)
        texts.append(", ".join(filter(None, [settings, files])))
    return texts


def _changed_files(record: Record, reference: Record) -> list[str]:
    """Return the files and folders that a record's stages read and that the reference has not so.

    A block or a data set that only one of them reads was chosen by a setting, so it isn't among
    them.
    """
    mine, theirs = record.inputs(), reference.inputs()
    if not (mine and theirs):
        return []  # one of them doesn't say what it read
    both = [path for path in mine if theirs.get(path, mine[path]) != mine[path]]
    one = [path for path in mine.keys() ^ theirs.keys() if not path.startswith(CHOSEN)]
    return [*both, *sorted(one)]
