"""What a stopped DVC or git has left in a project: work that was put aside, locks.

`dvc exp run` puts the workspace's changes into git's stash for a moment. Stopped in that moment,
they stay there, and neither DVC nor git says so. Looking costs a few file accesses; a process is
started only when there is something to look at.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Seconds; a lock that is younger may be that of a process which has just ended.
YOUNG = 2.0
QUEUE = "refs/exps/stash"
MOVED = re.compile(r"\tcheckout: moving from (\S+) to [0-9a-f]{40}$")


@dataclass(frozen=True)
class Place:
    """Where git and DVC keep what is theirs: `own` of a work tree, `common` to all of them."""

    top: Path
    own: Path
    common: Path
    dvc: Path

    def index_lock(self) -> bool:
        """Whether git's index is locked by nobody."""
        lock = self.own / "index.lock"
        return lock.exists() and not _in_use(lock, self.top)

    def stash_log(self) -> list[str]:
        """Return a line for each entry of git's stash, the newest last."""
        return [line for line in _text(self.common / "logs/refs/stash").splitlines() if line]

    def queued(self) -> bool:
        """Whether DVC keeps an experiment to run, as it does for a moment."""
        packed = f" {QUEUE}\n" in _text(self.common / "packed-refs")
        return packed or (self.common / QUEUE).exists()


@dataclass(frozen=True)
class Stash:
    """An entry of git's stash: its number and the branch that it was made on."""

    number: int
    branch: str | None


def left_behind(folder: Path = Path()) -> str:
    """Return in sentences what a stopped process has left and how to get it back, or nothing."""
    try:
        place = _place(folder.resolve())
        return _said(place) if place else ""
    except OSError:
        # A folder that may not be read, or no git: the command itself says so if it matters.
        return ""


def _said(place: Place) -> str:
    locked = place.index_lock()
    sentences = [] if _works(place) else [*_put_aside(place, locked), *_waiting(place)]
    if locked and not sentences:
        lock = _shown(place.own / "index.lock")
        sentences.append(
            f"git's index is locked by {lock}, and no process of git's or DVC's is at work here: "
            f"`rm {lock}`."
        )
    return " ".join([*sentences, *_locks(place)])


def _works(place: Place) -> bool:
    """Whether DVC is at work here, if there is anything to ask for."""
    notes, lock = place.dvc / "tmp/exps/rwlock", place.dvc / "tmp/lock"
    if any(name == "workspace" and _alive(pid, notes) for name, pid in _holders(notes)):
        return True
    # Between putting changes aside and the experiment, DVC names itself in its lock only.
    suspicious = bool(place.stash_log()) or place.queued()
    return suspicious and _alive(_locker(lock), lock)


# --- what was put aside -----------------------------------------------------------------------


def _put_aside(place: Place, locked: bool) -> Iterator[str]:
    """Say where changes are that DVC put aside, and how HEAD gets back to its branch."""
    detached = not _text(place.own / "HEAD").startswith("ref: ")
    start = [f"rm {_shown(place.own / 'index.lock')}"] if locked else []
    stash = _stash_of_dvc(place)
    if stash is not None:
        start += [f"git switch {stash.branch}"] if detached and stash.branch else []
        keep = ["git stash push"] if _git(place, "status", "--porcelain", "-uno") else []
        name = f' "stash@{{{stash.number + len(keep)}}}"' if stash.number + len(keep) else ""
        command = " && ".join([*start, *keep, f"git stash pop --index{name}"])
        also = "; what this folder holds now is then in the stash" if keep else ""
        yield (
            "DVC was stopped while it had put changes aside. They are in git's stash "
            f"(stash@{{{stash.number}}}); to get them back, run `{command}`{also}."
        )
    elif detached and any(name == "workspace" for name, _ in _dead(place.dvc / "tmp/exps/rwlock")):
        lines = _text(place.own / "logs/HEAD").splitlines()
        moved = MOVED.search(lines[-1]) if lines else None
        if moved is not None and moved[1] != _text(place.own / "HEAD").strip():
            command = " && ".join([*start, f"git switch {moved[1]}"])
            yield (
                "DVC was stopped while it prepared an experiment, so no branch is checked out "
                f"and params.yaml may hold that experiment's settings. Run `{command}`, then look "
                "at `git diff HEAD`."
            )


def _stash_of_dvc(place: Place) -> Stash | None:
    """Return the newest entry of git's stash that DVC made, or None.

    DVC gives its stash no name. It is made by libgit2, whose message ends in a line's end, unlike
    that of `git stash`.
    """
    lines = place.stash_log()
    if not lines or not (place.dvc / "tmp/exps").exists():
        return None
    entries = [line.split()[1] for line in reversed(lines)]
    for number, text in enumerate(_commits(place, entries)):
        message = text.partition("\n\n")[2]
        if message.startswith("WIP on ") and message.endswith("\n"):
            branch = message.removeprefix("WIP on ").partition(":")[0]
            return Stash(number, None if branch == "(no branch)" else branch)
    return None


def _commits(place: Place, hashes: list[str]) -> Iterator[str]:
    """Yield commits as git keeps them, up to one that it lacks."""
    output, at = _git(place, "cat-file", "--batch", given="".join(f"{one}\n" for one in hashes)), 0
    for _ in hashes:
        end = output.find(b"\n", at)
        header = output[at:end].split()
        if end < 0 or len(header) < 3:
            return
        at = end + 1 + int(header[2])
        yield output[end + 1 : at].decode(errors="replace")
        at += 1


def _waiting(place: Place) -> Iterator[str]:
    """Say that an experiment was to be run and still would be."""
    if place.queued():
        yield (
            f"DVC was stopped before it ran an experiment. It is in {QUEUE}, and the next `dvc exp "
            f"run` will run it too; to discard it, run `git update-ref -d {QUEUE}`."
        )


# --- locks ------------------------------------------------------------------------------------


def _locks(place: Place) -> Iterator[str]:
    """Say which of DVC's locks belong to nobody."""
    notes = [place.dvc / "tmp/rwlock", place.dvc / "tmp/exps/rwlock"]
    for path in notes:
        broken = path.exists() and _read(path) is None
        if broken or next(_dead(path), None) is not None:
            why = "can't be read" if broken else "names a process that no longer runs"
            yield f"DVC's lock {_shown(path)} {why}: `rm {_shown(path)}`."
    lock = place.dvc / "tmp/lock"
    # With `core.hardlink_lock`, the file names another one and is removed at the end.
    if _text(lock).strip().endswith(".lock") and not _in_use(lock, place.top):
        yield f"DVC's lock {_shown(lock)} is held by no process of DVC's: `rm {_shown(lock)}`."


def _locker(lock: Path) -> int | None:
    text = _text(lock).strip()
    return int(text) if text.isdigit() else None


def _read(path: Path) -> dict[str, Any] | None:
    """Return what one of DVC's notes on who works on what says; None when it is broken."""
    try:
        note = json.loads(_text(path) or "null")
    except ValueError:
        return None
    return note if isinstance(note, dict) else None


def _holders(path: Path) -> Iterator[tuple[str, int]]:
    """Yield what is worked on, and by which process."""
    for users in (_read(path) or {}).values():
        for name, infos in users.items() if isinstance(users, dict) else ():
            for info in infos if isinstance(infos, list) else [infos]:
                if isinstance(info, dict) and isinstance(info.get("pid"), int):
                    yield name, info["pid"]


def _dead(path: Path) -> Iterator[tuple[str, int]]:
    return ((name, pid) for name, pid in _holders(path) if not _alive(pid, path))


# --- processes and files ----------------------------------------------------------------------


def _alive(pid: int | None, noted: Path) -> bool:
    """Whether a process runs that was there when its number was noted."""
    import psutil

    if pid is None:
        return False
    try:
        return bool(psutil.Process(pid).create_time() <= noted.stat().st_mtime + 1)
    except (psutil.Error, OSError):
        return False


def _in_use(lock: Path, top: Path) -> bool:
    """Whether a lock is new, or a process that may hold it works in the repository."""
    try:
        state = lock.stat()
    except OSError:
        return True
    # DVC sets the time of a hard-linked lock to that when it shall end.
    since = min(state.st_mtime, state.st_ctime)
    return time.time() - since < YOUNG or _works_here(top)


def _works_here(top: Path) -> bool:
    """Whether a process of git's or DVC's has its working folder in a repository."""
    import psutil

    for process in psutil.process_iter(["name", "cmdline", "cwd"]):
        words = [process.info["name"] or "", *(process.info["cmdline"] or ())[:3]]
        tool = any(Path(word).name.split(".")[0] in ("git", "dvc") for word in words)
        if tool and process.info["cwd"] and Path(process.info["cwd"]).is_relative_to(top):
            return True
    return False


def _place(folder: Path) -> Place | None:
    for top in (folder, *folder.parents):
        if (top / ".git").exists():
            break
    else:
        return None
    own = top / ".git"
    if own.is_file():
        own = top / _text(own).removeprefix("gitdir:").strip()
    common = own / (_text(own / "commondir").strip() or ".")
    below = (one / ".dvc" for one in (folder, *folder.parents) if one.is_relative_to(top))
    return Place(top, own, common, next((one for one in below if one.is_dir()), top / ".dvc"))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _shown(path: Path) -> str:
    return os.path.relpath(path)


def _git(place: Place, *arguments: str, given: str = "") -> bytes:
    return subprocess.run(
        ["git", *arguments],
        cwd=place.top,
        env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        input=given.encode(),
        capture_output=True,
        check=False,
    ).stdout
