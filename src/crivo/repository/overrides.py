"""Settings changed as `dvc exp run -S` changes them, by DVC's own functions on a copy."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.params import read_yaml
from crivo.repository.unreadable import Unreadable


def with_changes(path: Path, changes: Sequence[str]) -> dict[str, Any]:
    """Return the settings of a file with changes applied by DVC's own rules."""
    from dvc.exceptions import DvcException
    from dvc.utils.hydra import apply_overrides, to_hydra_overrides
    from hydra.errors import HydraException

    try:
        if any(one.is_sweep_override() for one in to_hydra_overrides(list(changes))):
            raise CrivoError(
                f"{' '.join(changes)!r} names several values; a trial has one for each setting. "
                "Run `crivo try` for each, or `dvc exp run --queue`."
            )
        with TemporaryDirectory() as folder:
            copy = Path(shutil.copy(path, folder))
            apply_overrides(copy, list(changes))
            return dict(read_yaml(copy))
    except (DvcException, HydraException) as error:
        raise _refused(changes, error) from None


def apply_changes(path: Path, changes: Sequence[str]) -> None:
    """Change settings in their file, as `dvc exp run -S` does; CrivoError for what DVC refuses."""
    from dvc.exceptions import DvcException
    from dvc.utils.hydra import apply_overrides
    from hydra.errors import HydraException

    if not changes:
        return
    try:
        apply_overrides(path, list(changes))
    except (DvcException, HydraException) as error:
        raise _refused(changes, error) from None


def _refused(changes: Sequence[str], error: Exception) -> CrivoError:
    why = str(error).splitlines()[0].rstrip(".")
    return CrivoError(
        f"{' '.join(changes)!r} can't be applied to params.yaml: {why}. Expected key=value "
        "with a key that params.yaml has."
    )


def as_rewritten(path: Path) -> str:
    """Return the file's text as DVC writes it, by DVC's own function on a copy."""
    from dvc.utils.hydra import apply_overrides

    with TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(path.read_bytes())
        try:
            apply_overrides(copy, [])
        except Exception as error:  # DVC passes on whatever its YAML and OmegaConf raise
            text = " ".join(str(error).split())
            raise Unreadable("params.yaml", f"DVC can't rewrite it: {text}.") from None
        return copy.read_bytes().decode()
