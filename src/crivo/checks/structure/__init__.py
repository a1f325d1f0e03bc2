"""Is the project put together so that every change is noticed? One file, one subject."""

from crivo.checks.structure import (  # each enters its checks in the list
    block_files,
    dependencies,
    environment,
    notebooks,
    params_file,
    pipeline,
    settings_declared,
    settings_use,
    versioning,
)

# The first letter of a code, and what the checks that have it are about.
LETTERS = {
    "P": "The pipeline",
    "S": "Settings",
    "D": "Dependencies",
    "B": "Blocks",
    "G": "What git and DVC keep",
    "N": "Notebooks",
    "E": "The environment",
}

__all__ = [
    "LETTERS",
    "block_files",
    "dependencies",
    "environment",
    "notebooks",
    "params_file",
    "pipeline",
    "settings_declared",
    "settings_use",
    "versioning",
]
