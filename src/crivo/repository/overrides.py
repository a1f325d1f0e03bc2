"""Applies changes, `key=value`, to params.yaml as `dvc exp run -S` does, by DVC's functions."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE, read_settings
from crivo.core.problems import did_you_mean
from crivo.repository.lock import flat


def with_changes(path: Path, changes: Sequence[str]) -> dict[str, Any]:
    """Return the settings of a file with changes, `key=value`, applied by DVC's own rules."""
    settings = read_settings(path)
    if not changes:
        return settings
    for key, given, value in (one.partition("=") for one in changes):
        if not key or (not given and key[:1] != "~"):
            lacking = f"{key!r} gives no value" if key else f"'={value}' gives no key"
            raise CrivoError(f"{lacking}; expected key=value, such as seed=2.")
        if value in flat(settings) and key not in flat(settings):
            raise CrivoError(f"{key}={value} has key and value swapped; write {value}={key}.")
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
        apply_changes(copy, changes)
        return read_settings(copy)


def apply_changes(path: Path, changes: Sequence[str]) -> None:
    """Change settings in their file, as `dvc exp run -S` does; CrivoError for what DVC refuses."""
    from dvc.utils.hydra import apply_overrides

    if changes:
        with _explained(path, changes):
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
    known = [*flat(read_settings(path))]
    for change in changes:
        key, given, _ = change.partition("=")
        named = key.lstrip("~")
        there = any(f"{one}.".startswith(f"{named}.") for one in known)
        if there or key.startswith("+") or not (given or key.startswith("~")):
            continue
        said = unknown_setting(named, known)
        more = "" if key.startswith("~") else f" To add a setting that a block knows: +{change}."
        return CrivoError(f"{said}{more}")
    lines = str(error.__cause__ or error).splitlines()
    why = " ".join(" ".join(line for line in lines if "hydra.cc" not in line).split()).rstrip(".")
    why = "" if why.startswith("LexerNoViableAlt") else f": {why}"  # names no reason
    return CrivoError(
        f"{' '.join(changes)!r} can't be applied to params.yaml{why}. Expected key=value; a value "
        "with accents, brackets, commas or spaces needs quotes of its own: 'key=\"a, b\"', or "
        '\'key=["café", "size (cm)"]\' for a list.'
    )


def unknown_setting(key: str, known: list[str]) -> str:
    """Say that `params.yaml` has no such setting, and which one may be meant."""
    ends = [one for one in known if one.endswith(f".{key}")]
    hint = f"; did you mean `{ends[0]}`?" if ends else did_you_mean(key, known)
    return f"{key}: params.yaml has no such setting{hint}" + ("" if hint else ".")
