"""Lists the commits that may hold results: DVC's experiments, removed ones too, branches, tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, get_args

from crivo.core.errors import CrivoError
from crivo.repository.git import Repository

# Below it DVC keeps its own business, too; an experiment's name holds its parent's hash.
EXPERIMENTS = "refs/exps"
# Where crivo keeps the experiments that were counted, below their names, by their hashes.
KEPT = "refs/crivo/trials"
# Where copies of clones' ledgers are shared.
LEDGERS = "refs/crivo/ledger"
HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
# The end of the year 9999, the last that Python knows.
LAST = 253402300799

# What kind of run an experiment is: a trial, one of another's with another seed, on a fold, on a
# part of the training rows, or evaluated on the test rows.
Kind = Literal["trial", "seed", "fold", "part", "test"]
# The trailer of an experiment's commit message that says it.
KIND = "Crivo-Kind"
TRAILER = f"trailers:key={KIND},valueonly,unfold,separator="

COMMIT = f"%H%x00%P%x00%an%x00%at%x00%s%x00%({TRAILER})"
REF = (
    "%(refname)%00%(objectname)%00%(authorname)%00%(authordate:unix)%00%(contents:subject)"
    f"%00%(contents:{TRAILER})"
)
TIP = "%(HEAD)%00%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)"
SHORT = 7

# What a message begins with when nobody gave one, in DVC's words.
NO_MESSAGE = "dvc: commit experiment"

# The ends of names by which kinds were known before their commits said them.
FORMER_NAMES: dict[Kind, re.Pattern[str]] = {
    "fold": re.compile(r"-fold=\d+of\d+$"),
    "part": re.compile(r"-(fraction=[\d.e-]+|steps=\d+of\d+(-\d+)?)$"),
}


@dataclass(frozen=True)
class Origin:
    """Where a record comes from (not a git remote): its name, commit, author and time.

    `parent` is the commit that an experiment started from; `trial` tells an experiment of
    DVC's from a commit.
    """

    name: str
    revision: str
    parent: str | None
    author: str
    seconds: int
    message: str
    trial: bool = False
    kind: Kind = "trial"

    @property
    def when(self) -> datetime:
        """The moment it was recorded."""
        return datetime.fromtimestamp(self.seconds, UTC)

    @property
    def hypothesis(self) -> str:
        """The message someone wrote; empty where nobody did."""
        return "" if self.message.startswith(NO_MESSAGE) else self.message


def commit_message(kind: Kind, text: str = "") -> str:
    """Return the message of an experiment's commit: a text, if there is one, and its kind."""
    return f"{text.strip() or NO_MESSAGE}\n\n{KIND}: {kind}"


def kind_of(told: str, name: str, message: str = "") -> Kind:
    """Return an experiment's kind as its commit says it; one from before has it in its name.

    Such runs had a message, unlike an experiment of that name that somebody made by DVC.
    """
    known: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}
    if told in known:
        return known[told]
    former = {} if message.startswith(NO_MESSAGE) else FORMER_NAMES
    return next((kind for kind, end in former.items() if end.search(name)), "trial")


def experiment_origins(repository: Repository) -> Iterator[Origin]:
    """Yield the experiments of DVC's, of all commits."""
    yield from _origins_below(repository, EXPERIMENTS, 3)


def known_names(repository: Repository) -> list[str]:
    """Return the names of experiments, branches and tags, each once."""
    form = "--format=%(refname:lstrip=2)"
    named = repository.lines("for-each-ref", form, "refs/heads", "refs/tags")
    return list(dict.fromkeys([*(one.name for one in experiment_origins(repository)), *named]))


def kept_origins(repository: Repository) -> Iterator[Origin]:
    """Yield the experiments that `keep_experiments` kept, those that were removed with them."""
    yield from _origins_below(repository, KEPT, 4)


def trial_origin(repository: Repository, ref: str) -> Origin:
    """Return an experiment of DVC's by git's full name of it; CrivoError when it is gone."""
    for one in _origins_below(repository, EXPERIMENTS, 3, ref):
        return one
    raise CrivoError(f"The experiment {ref} is gone: somebody removed it in the meantime.")


def _origins_below(
    repository: Repository, start: str, size: int, pattern: str = ""
) -> Iterator[Origin]:
    for line in repository.lines("for-each-ref", f"--format={REF}", pattern or start):
        name, revision, author, seconds, message, told = line.split("\0")
        parts = name.removeprefix(f"{start}/").split("/")
        if len(parts) == size and HASH.fullmatch(parent := parts[0] + parts[1]):
            when = _seconds(seconds)
            kind = kind_of(told, parts[2], message)
            yield Origin(parts[2], revision, parent, author, when, message, trial=True, kind=kind)


def keep_experiments(repository: Repository, origins: Iterable[Origin]) -> None:
    """Keep experiments by a second reference, which removing them leaves."""
    known = {one.revision for one in kept_origins(repository)}
    orders = [
        f"update {KEPT}/{one.parent[:2]}/{one.parent[2:]}/{one.name}/{one.revision} {one.revision}"
        for one in origins
        if one.revision not in known and one.parent
    ]
    if orders:
        repository.update_references(orders)


def named_commits(repository: Repository) -> list[Origin]:
    """Return the tips of branches and tags, the branch that is checked out first."""
    spaces = ("refs/heads", "refs/tags", "refs/remotes")
    lines = repository.lines("for-each-ref", f"--format={TIP}", *spaces)
    tips = [line.split("\0") for line in lines]
    tips.sort(key=lambda tip: (tip[0] != "*", spaces.index("/".join(tip[1].split("/")[:2]))))
    names: dict[str, str] = {}
    for _, name, *targets in tips:
        kind, revision = targets[2:] if targets[2] else targets[:2]
        if kind == "commit" and not name.endswith("/HEAD"):
            names.setdefault(revision, name.split("/", 2)[2])
    return origins_of(repository, names)


def reached_by_names(repository: Repository) -> frozenset[str]:
    """Return the hashes of all commits that a branch, a tag or a remote's branch reaches."""
    return frozenset(repository.lines("rev-list", "--branches", "--tags", "--remotes"))


def origins_of(repository: Repository, names: dict[str, str]) -> list[Origin]:
    """Return the origins of commits, hash to name."""
    if not names:
        return []
    lines = repository.lines("log", "--no-walk=unsorted", f"--format={COMMIT}", *names, "--")
    return [replace(one, name=names[one.revision]) for one in map(_origin, lines)]


def commits_changing(repository: Repository, *names: str) -> list[Origin]:
    """Return the commits that changed one of these files of the project, newest first.

    A commit comes after those that came from it, also where they have the same second.
    """
    paths = [repository.prefix + name for name in names]
    # HEAD may have no commit yet.
    starts = ("--ignore-missing", "--branches", "--tags", "--remotes", "HEAD")
    lines = repository.lines("log", "--date-order", f"--format={COMMIT}", *starts, "--", *paths)
    return [_origin(line) for line in lines]


def _origin(line: str) -> Origin:
    revision, parents, author, seconds, message, told = line.split("\0")
    parent, name = parents.split(" ")[0] or None, revision[:SHORT]
    kind = kind_of(told, name)
    return Origin(name, revision, parent, author, _seconds(seconds), message, kind=kind)


def _seconds(text: str) -> int:
    """Return a moment; the nearest that can be shown for one that anybody made up."""
    return min(max(int(text or "0"), 0), LAST)
