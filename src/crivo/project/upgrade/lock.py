"""A team's lock with the new crivo's versions: package by package, in three ways.

What the team left as it was follows the new lock; a version that the team chose stays while
the new lock keeps the old one; where both moved, the new lock's counts, since crivo was
tested with it. What the team added stays, and what only that needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from crivo.project.locks import Entry, read_lock, written_lock

Group = dict[str, tuple[Entry, ...]]


def merged_lock(base: str, ours: str, new: str) -> tuple[str, list[str]]:
    """Return the text of the renewed lock, and a phrase for each version of the team's that goes.

    `base` and `new` are the locks of a project just started with the old and the new crivo.
    """
    head, own = read_lock(ours)
    groups = [_by_name(entries) for entries in (read_lock(base)[1], own, read_lock(new)[1])]
    names = sorted({name for group in groups for name in group})
    entries: list[Entry] = []
    phrases: list[str] = []
    for name in names:
        b, o, n = (group.get(name, ()) for group in groups)
        chosen = _chosen(b, o, n)
        if name != "crivo" and _pins(chosen) not in (_pins(o), _pins(b)) and _pins(o) != _pins(b):
            phrases.append(f"{versions(o)} of yours is now {versions(chosen)}")
        entries += _with_needs(chosen, b, o, n)
    roots = {one for entry in entries for one in entry.needed_by if "(pyproject.toml" in one}
    return written_lock(head, entries, roots), phrases


def versions(entries: Iterable[Entry]) -> str:
    """Return the pins of a package as they stand in a lock, without hashes.

    >>> versions([Entry("pandas==3.0 ; os_name != 'nt' \\\\\\n    --hash=sha256:1\\n", ())])
    "pandas==3.0 ; os_name != 'nt'"
    """
    return ", ".join(entry.pin.partition("\n")[0].rstrip("\\ ") for entry in entries)


def _chosen(
    base: tuple[Entry, ...], ours: tuple[Entry, ...], new: tuple[Entry, ...]
) -> tuple[Entry, ...]:
    if _pins(ours) == _pins(base):
        # A package that goes stays while something of the team's needs it.
        return new or ours
    if _pins(new) == _pins(base) or not new:
        removed = not ours and not _needs(new) - _needs(base)
        return () if removed else ours or new
    if not ours and base and not _needs(new) - _needs(base):
        return ()  # the team took it out, and nothing else needs it now
    return new


def _with_needs(
    chosen: tuple[Entry, ...],
    base: tuple[Entry, ...],
    ours: tuple[Entry, ...],
    new: tuple[Entry, ...],
) -> list[Entry]:
    """Say of a package who needs it: the new lock's, and what the team has that needs it."""
    before, here = _needs(base), _needs(ours)
    needed = (_needs(new) - (before - here)) | (here - before)
    return [replace(entry, needed_by=tuple(sorted(needed))) for entry in chosen]


def _by_name(entries: list[Entry]) -> Mapping[str, tuple[Entry, ...]]:
    group: Group = {}
    for entry in entries:
        group[entry.name] = (*group.get(entry.name, ()), entry)
    return group


def _pins(entries: tuple[Entry, ...]) -> tuple[str, ...]:
    return tuple(sorted(entry.pin for entry in entries))


def _needs(entries: tuple[Entry, ...]) -> set[str]:
    return {one for entry in entries for one in entry.needed_by}
