"""The configuration of DVC remotes: in git, in the experiment, or on this machine only.

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
    place = repository.project / CONFIG
    keys = [("HEAD", CONFIG), (revision, CONFIG)]
    committed = repository.blobs(keys)
    texts = [committed[key].content if key in committed else b"" for key in keys]
    head, own = (_definition(text, remote, default) for text in texts)
    here = _definition(place.read_bytes() if place.exists() else b"", remote, default)
    if here and here != head:
        raise CrivoError(
            f"The DVC remote {remote} is in {CONFIG}, but not in a commit, so a colleague's clone "
            f"would not know it; `git commit {CONFIG}` first."
        )
    # DVC takes it for a path relative to the configuration's place: in a commit, that is `/.dvc`.
    url = str(here.get("url", "/"))
    if not re.match(r"\w+://", url) and not Path(url).expanduser().is_absolute():
        raise CrivoError(
            f"The DVC remote {remote} has the relative address {url}, which `dvc exp pull` takes "
            "for another place; give it a full one with "
            f"`dvc remote modify {remote} url ADDRESS`, and commit {CONFIG}."
        )
    return Configured(committed=bool(here), by_experiment=bool(here) and here == own)


def _definition(text: bytes, remote: str, default: bool) -> dict[str, Any]:
    """Return all that a configuration says of a remote; empty when it doesn't name it."""
    from configobj import ConfigObj

    config = ConfigObj(text.decode(errors="replace").splitlines())
    section = config.get(f'remote "{remote}"')
    if section is None:
        return {}
    return {**section, "default": default and config.get("core", {}).get("remote") == remote}
