"""Is the project put together so that every change is noticed? One file, one subject."""

from crivo.checks.structure import (  # each enters its checks in the list
    blocks,
    dependencies,
    environment,
    notebooks,
    params_file,
    pipeline,
    settings,
    settings_use,
    versioning,
)

__all__ = [
    "blocks",
    "dependencies",
    "environment",
    "notebooks",
    "params_file",
    "pipeline",
    "settings",
    "settings_use",
    "versioning",
]
