"""Where a DVC remote is configured: in git, in the experiment itself, or on this machine only.

`dvc exp push` and `dvc exp pull` read the configuration that the experiment was recorded with.
If that knows no remote, they move no data and report success.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crivo.core.errors import CrivoError
from crivo.experiments.git import Repository

CONFIG = ".dvc/config"


@dataclass(frozen=True)
class Configured:
    """Whether the last commit and the experiment's own commit know a DVC remote."""

    committed: bool
    by_experiment: bool


def configured(repository: Repository, remote: str, revision: str, *, default: bool) -> Configured:
    """Say which commits know a remote; CrivoError when its configuration isn't committed.

    `default`: the remote was not named, so being the default one is part of its configuration.
    """
    blobs = repository.blobs([("HEAD", CONFIG), (revision, CONFIG)])
    committed = {commit: blob.content.decode() for (commit, _), blob in blobs.items()}
    file = repository.project / CONFIG
    here, head, own = (
        _definition(text, remote, default)
        for text in (
            file.read_text(encoding="utf-8") if file.exists() else "",
            committed.get("HEAD", ""),
            committed.get(revision, ""),
        )
    )
    if here and here != head:
        raise CrivoError(
            f"The DVC remote {remote} is in {CONFIG}, but not in a commit, so a colleague's clone "
            f"would not know it; `git commit {CONFIG}` first."
        )
    return Configured(committed=bool(here), by_experiment=bool(here) and here == own)


def _definition(text: str, remote: str, default: bool) -> dict[str, Any]:
    """Return all that a configuration says of a remote; empty when it doesn't name it."""
    from configobj import ConfigObj

    config = ConfigObj(text.splitlines())
    # DVC quotes the title once more than git does.
    titles = (f"'remote \"{remote}\"'", f'remote "{remote}"')
    found = [dict(config[title]) for title in titles if title in config]
    if not found:
        return {}
    chosen = default and config.get("core", {}).get("remote") == remote
    return {**found[0], "default": chosen}
