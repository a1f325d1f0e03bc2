"""Completion of what a user types: experiments, settings, pages."""

from __future__ import annotations

from pathlib import Path

from crivo.core.errors import CrivoError


def complete_revision(incomplete: str) -> list[str]:
    """Return the experiments and branches whose names start so; none outside of a project."""
    from crivo.repository.commits import known_names
    from crivo.repository.git import open_repository

    try:
        names = known_names(open_repository())
    except CrivoError:
        return []
    return [name for name in names if name.startswith(incomplete)]


def complete_page(incomplete: str) -> list[str]:
    """Return the pages of the documentation whose names start so."""
    from crivo.project.pages import pages

    return [name for name in pages() if name.startswith(incomplete)]


def complete_setting(incomplete: str) -> list[str]:
    """Return the settings of `params.yaml` that start so, as they are now; none without one."""
    from crivo.core.params import PARAMS_FILE, read_yaml
    from crivo.records.settings import plain
    from crivo.repository.lock import flat

    try:
        settings = flat(read_yaml(Path(PARAMS_FILE)))
    except (CrivoError, OSError):
        return []
    known = (f"{key}={plain(value)}" for key, value in settings.items())
    return [one for one in known if one.startswith(incomplete)]
