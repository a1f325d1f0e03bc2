"""Settings changed as `dvc exp run -S` changes them, by DVC's own functions."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE, read_yaml
from crivo.core.problems import did_you_mean, shown
from crivo.repository.lock import flat


def with_changes(path: Path, changes: Sequence[str]) -> dict[str, Any]:
    """Return the settings of a file with changes, `key=value`, applied by DVC's own rules."""
    from dvc.utils.hydra import to_hydra_overrides

    with _explained(path, changes):
        given = to_hydra_overrides(list(changes))
    if any(one.is_sweep_override() for one in given):
        raise CrivoError(
            f"{' '.join(changes)!r} names several values; a trial has one for each setting. "
            "Run `crivo try` for each, or all of them with `crivo search`."
        )
    keys = [one.key_or_group for one in given]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise CrivoError(f"{twice[0]} is given twice; a trial has one value for each setting.")
    with TemporaryDirectory() as folder:
        copy = Path(folder) / PARAMS_FILE
        shutil.copyfile(path, copy)
        with _explained(path, changes):
            _apply(copy, changes)
        return dict(read_yaml(copy))


def apply_changes(path: Path, changes: Sequence[str]) -> None:
    """Change settings in their file, as `dvc exp run -S` does; CrivoError for what DVC refuses."""
    if changes:
        with _explained(path, changes):
            _apply(path, changes)


def _apply(path: Path, changes: Sequence[str]) -> None:
    from dvc.utils.hydra import apply_overrides

    apply_overrides(path, list(changes))


@contextmanager
def _explained(path: Path, changes: Sequence[str]) -> Iterator[None]:
    """Say what is wrong with changes that DVC refuses."""
    from dvc.exceptions import DvcException
    from hydra.errors import HydraException

    try:
        yield
    except (DvcException, HydraException) as error:
        raise _refused(path, changes, error) from None


def _refused(path: Path, changes: Sequence[str], error: Exception) -> CrivoError:
    settings = read_yaml(path)
    unknown = filter(None, (_unknown_key(change, settings) for change in changes))
    return CrivoError(next(unknown, None) or _unreadable(changes, error))


def _unknown_key(change: str, settings: Any) -> str | None:
    """Return a sentence when a change names a setting that isn't there, with the nearest one."""
    key, given, _ = change.partition("=")
    if not (given or key.startswith("~")) or key.startswith("+"):
        return None
    key = key.lstrip("~")
    *sections, name = key.split(".")
    place = ""
    for section in sections:
        if not isinstance(settings, Mapping) or section not in settings:
            name = section
            break
        place, settings = f"{place}{section}.", settings[section]
    if not isinstance(settings, Mapping):
        return f"{key}: {place[:-1]} is {shown(settings)} in params.yaml, no section of settings."
    if name in settings:
        return None
    known = [str(other) for other in settings]
    hint = did_you_mean(name, known) or _elsewhere(key.removeprefix(place), settings, place)
    add = "" if hint else f" To add a setting that a block knows: +{change}."
    return (
        f"{place}{name}: params.yaml has no such setting{hint} (settings here: "
        f"{', '.join(known) or 'none'}).{add}"
    )


def _elsewhere(end: str, settings: Mapping[str, Any], place: str) -> str:
    """Return "; did you mean …?" for settings further down whose names end as the one given."""
    found = [f"`{place}{key}`" for key in flat(settings) if key.endswith(f".{end}")]
    return f"; did you mean {' or '.join(found[:3])}?" if found else ""


def _unreadable(changes: Sequence[str], error: Exception) -> str:
    lines = str(error.__cause__ or error).splitlines()
    why = " ".join(" ".join(line for line in lines if "hydra.cc" not in line).split()).rstrip(".")
    return (
        f"{' '.join(changes)!r} can't be applied to params.yaml: {why}. Expected key=value; a "
        "value with brackets, commas or spaces needs quotes of its own: key='\"a, b\"'."
    )
