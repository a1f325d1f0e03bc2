"""What becomes of one file of a project: three versions of it, and what follows from them."""

from __future__ import annotations

import ast
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from crivo.core.parsing import ParseError, parse_yaml
from crivo.repository.git import run_git

Outcome = Literal["added", "replaced", "merged", "removed", "kept", "conflict"]
# A new version that could not be merged lies beside the team's under this name.
BESIDE = ".new"


@dataclass(frozen=True)
class Versions:
    """A file as it was started with, as the team has it, and as the new crivo has it."""

    base: bytes | None
    ours: bytes | None
    new: bytes | None


@dataclass(frozen=True)
class Change:
    """What happens to a file: its new content (None: it goes), what that is, and what to say."""

    path: str
    outcome: Outcome
    content: bytes | None = None
    note: str = ""


def change(path: str, versions: Versions) -> Change | None:
    """Return what an upgrade does with a file; None when it stays and there is nothing to say."""
    base, ours, new = versions.base, versions.ours, versions.new
    if new in (base, ours):
        return None
    if ours is None:
        if base is None:
            return Change(path, "added", new)
        return Change(path, "kept", note="removed here, and stays so")
    if new is None:
        if ours == base:
            return Change(path, "removed")
        return Change(path, "kept", ours, "no longer comes with crivo; your edited file stays")
    if ours == base:
        return Change(path, "replaced", new)
    text = merged(path, base, ours, new) if base is not None else None
    return Change(path, "merged", text) if text is not None else conflict(path, new)


def conflict(path: str, new: bytes) -> Change:
    """Return the change of a file that both edited: the team's stays, the new one lies beside."""
    return Change(path, "conflict", new, f"yours stays; the new one is {path}{BESIDE}")


def merged(path: str, base: bytes, ours: bytes, new: bytes) -> bytes | None:
    """Return a merge of three versions, or None: they contradict, or it would be no valid file."""
    with tempfile.TemporaryDirectory() as folder:
        names = {"ours": ours, "base": base, "new": new}
        for name, content in names.items():
            Path(folder, name).write_bytes(content)
        done = run_git(["merge-file", "--stdout", "--quiet", *names], Path(folder))
    return done.stdout if done.returncode == 0 and _is_valid(path, done.stdout) else None


def _is_valid(path: str, content: bytes) -> bool:
    """Say whether a merged file can be read: lines that fit can make no sense together."""
    try:
        match Path(path).suffix:
            case ".py":
                ast.parse(content)
            case ".json" | ".ipynb":
                json.loads(content)
            case ".yaml" | ".yml" | ".dvc":
                parse_yaml(content)
    except (SyntaxError, ValueError, RecursionError, ParseError):
        return False
    return True
