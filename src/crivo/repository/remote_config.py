"""Where a DVC remote is configured: in git, in the experiment itself, or on this machine only.

`dvc exp push` and `dvc exp pull` read the configuration that the experiment was recorded with.
If that knows no remote, they move no data and report success.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError
from crivo.repository.git import Repository

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
    here, head, own = (
        _definition(_read(repository, commit), remote, default)
        for commit in (None, "HEAD", revision)
    )
    if here and here != head:
        raise CrivoError(
            f"The DVC remote {remote} is in {CONFIG}, but not in a commit, so a colleague's clone "
            f"would not know it; `git commit {CONFIG}` first."
        )
    if _relative(str(here.get("url", "/"))):
        raise CrivoError(
            f"The DVC remote {remote} has the relative address {here['url']}, which `dvc exp pull` "
            "takes for another place; give it a full one with "
            f"`dvc remote modify {remote} url ADDRESS`, and commit {CONFIG}."
        )
    return Configured(committed=bool(here), by_experiment=bool(here) and here == own)


def _read(repository: Repository, commit: str | None) -> dict[str, Any]:
    """Return the project's own configuration in a commit, or on the disk; empty without one."""
    from dvc.config import Config, ConfigError
    from dvc.fs import GitFileSystem, LocalFileSystem

    try:
        if commit is None:
            return Config.load_file(str(repository.project / CONFIG), fs=LocalFileSystem())
        files = GitFileSystem(str(repository.top), rev=commit)
        return Config.load_file(f"/{repository.prefix}{CONFIG}", fs=files)
    except (FileNotFoundError, ConfigError):
        return {}


def _relative(url: str) -> bool:
    """Whether DVC takes an address for a path relative to the configuration's place.

    In a commit that place is `/.dvc`, wherever the clone is.
    """
    return not re.match(r"\w+://", url) and not Path(url).expanduser().is_absolute()


def _definition(config: dict[str, Any], remote: str, default: bool) -> dict[str, Any]:
    """Return all that a configuration says of a remote; empty when it doesn't name it."""
    section = config.get("remote", {}).get(remote)
    if section is None:
        return {}
    return {**section, "default": default and config.get("core", {}).get("remote") == remote}
