"""A trace, and a verification, as text that fits 80 columns; or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from textwrap import wrap
from typing import Any

from crivo.experiments.settings import plain, short_names
from crivo.provenance.inputs import Source
from crivo.provenance.integrity import Integrity
from crivo.provenance.trace import Stored, Trace
from crivo.provenance.verification import Verification
from crivo.repository.commits import SHORT
from crivo.repository.lock import flat

WIDTH = 80
LABEL = 13
DIGITS = 12
MAX_LINES = 8


def as_json(result: Trace | Verification | Integrity) -> str:
    """Return a trace or a verification as JSON."""
    return json.dumps(asdict(result), indent=2, ensure_ascii=False, default=str)


def trace_text(trace: Trace) -> str:
    """Return a trace for a terminal: what it is, where it comes from, how to make it again."""
    source = trace.source
    lines = [_title(trace), ""]
    lines += _row(
        "first in" if trace.output else "made by",
        f"{_named(source)}, {source.author}, {source.when:%Y-%m-%d %H:%M} UTC",
    )
    lines += _row("message", f"“{source.message}”" if source.message else "")
    lines += _row("also in", _some(_named(one) for one in trace.also))
    lines += _row("current", _current(trace))
    lines += _row("data", _hashes(trace.data))
    lines += _row("settings", _settings(trace.settings))
    lines += _row("changed", _changed(trace))
    lines += _row("code", f"commit {source.revision[:SHORT]}: {', '.join(trace.code)}")
    lines += _row("environment", _environment(trace.environment))
    for label, command in zip(("make again", "or here"), trace.commands, strict=True):
        lines += [f"{label:{LABEL}}{command}"]  # whole, to be copied
    return "\n".join([*lines, *_files(trace.files)])


def integrity_text(soundness: Integrity) -> str:
    """Return which stored files are damaged, for a terminal: the sentence, then their paths."""
    lines = wrap(soundness.answer, WIDTH)
    lines += [f"  {one.path}{f' ({one.of})' if one.of else ''}" for one in soundness.damaged]
    return "\n".join(lines)


def _title(trace: Trace) -> str:
    if trace.output is None:
        return f"{trace.source.kind} {trace.source.name}"
    return f"{trace.output.path} {trace.output.md5} ({_size(trace.output.size)}), {trace.role}"


def _row(label: str, text: str) -> list[str]:
    first, rest = f"{label:{LABEL}}", " " * LABEL
    return wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _named(source: Source) -> str:
    short = source.revision[:SHORT]
    return f"{source.kind} {source.name}" + (f" ({short})" if source.name != short else "")


def _some(parts: Iterable[str]) -> str:
    items = list(parts)
    more = [f"{len(items) - MAX_LINES} more"] if len(items) > MAX_LINES else []
    return "; ".join([*items[:MAX_LINES], *more])


def _changed(trace: Trace) -> str:
    if trace.source.parent is None:
        return "everything: it is the first commit"
    return _some(trace.changed) or "nothing that a stage reads"


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


def _files(files: Iterable[Stored]) -> list[str]:
    lines = [
        f"{file.path:44}{file.md5[:DIGITS]}  {_size(file.size):>9}  {file.kept}" for file in files
    ]
    return ["", f"{'output':44}{'md5':14}{'size':>9}  kept in", *lines] if lines else []


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


def verification_text(verification: Verification) -> str:
    """Return a verification for a terminal: the answer, then what moved and why."""
    lines = wrap(verification.answer, WIDTH)
    for metric in verification.metrics[:MAX_LINES]:
        lines.append(f"  {metric.name}: {metric.recorded} → {metric.found}")
    if verification.metrics[MAX_LINES:]:
        lines.append(f"  {len(verification.metrics) - MAX_LINES} more metrics")
    stages = dict.fromkeys(one.stage for one in verification.moved)
    if len(stages) > 1:
        lines += _wrapped(f"Moved, in the pipeline's order: {', '.join(stages)}.")
    lines += [f"  | {line}" for line in verification.words]
    for cause in verification.causes:
        lines += _wrapped(cause, "→ ")
    if verification.clone:
        lines.append(f"The clone is in {verification.clone}")
    return "\n".join(lines)


def _wrapped(text: str, start: str = "") -> list[str]:
    return wrap(
        text,
        WIDTH,
        initial_indent=f"  {start}",
        subsequent_indent=" " * (2 + len(start)),
        break_long_words=False,
        break_on_hyphens=False,
    )
