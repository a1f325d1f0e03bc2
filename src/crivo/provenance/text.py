"""A trace, a verification and a search for damage, as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crivo.core.layout import a_few, columns, paragraph
from crivo.provenance.integrity import Integrity
from crivo.provenance.trace import Source, Stored, Trace
from crivo.provenance.verification import Verification
from crivo.records.settings import plain, short_names
from crivo.repository.commits import SHORT
from crivo.repository.lock import flat

LABEL = 13
DIGITS = 12
MAX_LINES = 8


def trace_text(trace: Trace) -> str:
    """Return what a trace is about, where it comes from, and how to make it again."""
    source = trace.source
    rows = {
        "first in" if trace.output else "made by": f"{_named(source)}, {source.author}, "
        f"{source.when:%Y-%m-%d %H:%M} UTC",
        "message": f"“{source.message}”" if source.message else "",
        "also in": a_few(map(_named, trace.also), MAX_LINES, separator="; "),
        "current": _current(trace),
        "data": _hashes(trace.data),
        "settings": _settings(trace.settings),
        "changed": _changed(trace),
        "code": f"commit {source.revision[:SHORT]}: {', '.join(trace.code)}",
        "environment": _environment(trace.environment),
    }
    lines = [_title(trace), ""]
    for label, text in rows.items():
        lines += paragraph(text, f"{label:{LABEL}}", " " * LABEL)
    # Whole, to be copied.
    for label, command in zip(("make again", "or here"), trace.commands, strict=True):
        lines.append(f"{label:{LABEL}}{command}")
    return "\n".join([*lines, *_files(trace.files)])


def integrity_text(found: Integrity) -> str:
    """Return the sentence, then the paths of the damaged files."""
    lines = [f"  {one.path}{f' ({one.of})' if one.of else ''}" for one in found.damaged]
    return "\n".join([*paragraph(found.answer), *lines])


def verification_text(verification: Verification) -> str:
    """Return the answer, then what moved and why."""
    lines = paragraph(verification.answer)
    metrics = [f"  {one.name}: {one.recorded} → {one.found}" for one in verification.metrics]
    lines += metrics[:MAX_LINES]
    if metrics[MAX_LINES:]:
        lines.append(f"  {len(metrics) - MAX_LINES} more metrics")
    stages = dict.fromkeys(one.stage for one in verification.moved)
    if len(stages) > 1:
        lines += paragraph(f"Moved, in the pipeline's order: {', '.join(stages)}.", "  ")
    lines += [f"  | {line}" for line in verification.words]
    for cause in verification.causes:
        lines += paragraph(cause, "  → ", "    ")
    if verification.clone:
        lines.append(f"The clone is in {verification.clone}")
    return "\n".join(lines)


def _title(trace: Trace) -> str:
    if trace.output is None:
        return f"{trace.source.kind} {trace.source.name}"
    return f"{trace.output.path} {trace.output.md5} ({_size(trace.output.size)}), {trace.role}"


def _named(source: Source) -> str:
    short = source.revision[:SHORT]
    return f"{source.kind} {source.name}" + (f" ({short})" if source.name != short else "")


def _changed(trace: Trace) -> str:
    if trace.source.parent is None:
        return "everything: it is the first commit"
    return a_few(trace.changed, MAX_LINES, separator="; ") or "nothing that a stage reads"


def _current(trace: Trace) -> str:
    recorded = "HEAD records it" if trace.current else "HEAD records something else"
    if trace.in_workspace is None:
        return "HEAD records the same results" if trace.current else recorded
    here = "the workspace has it" if trace.in_workspace else "the workspace doesn't have it"
    return f"{recorded}; {here}"


def _hashes(files: Mapping[str, str]) -> str:
    return ", ".join(f"{path} {md5[:DIGITS]}" for path, md5 in files.items())


def _settings(settings: Mapping[str, Any]) -> str:
    values = flat(settings)
    short = short_names(list(values))
    return ", ".join(f"{short[key]}={plain(value)}" for key, value in values.items())


def _environment(environment: Mapping[str, str]) -> str:
    words = {"environment": "", "python": "Python "}
    parts = [f"{words.get(key, f'{key} ')}{value[:DIGITS]}" for key, value in environment.items()]
    return ", ".join(parts)


def _files(files: Sequence[Stored]) -> list[str]:
    if not files:
        return []
    rows = [(one.path, one.md5[:DIGITS], _size(one.size), one.kept) for one in files]
    return ["", *columns([("output", "md5", "size", "kept in"), *rows], right=[2])]


def _size(size: int | None) -> str:
    """Return a number of bytes for people.

    >>> _size(593219), _size(12), _size(None)
    ('593.2 kB', '12 bytes', '–')
    """
    if size is None:
        return "–"
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size} bytes"
