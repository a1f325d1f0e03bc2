"""Settings changed as `dvc exp run -S` changes them, by DVC's own functions on a copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE, read_yaml
from crivo.core.parsing import parse_yaml
from crivo.core.problems import did_you_mean, shown
from crivo.repository.lock import flat
from crivo.repository.unreadable import Unreadable


def with_changes(path: Path, changes: Sequence[str]) -> dict[str, Any]:
    """Return the settings of a file with changes applied by DVC's own rules."""
    from dvc.exceptions import DvcException
    from dvc.utils.hydra import to_hydra_overrides
    from hydra.errors import HydraException

    try:
        given = to_hydra_overrides(list(changes))
        if any(one.is_sweep_override() for one in given):
            raise CrivoError(
                f"{' '.join(changes)!r} names several values; a trial has one for each setting. "
                "Run `crivo try` for each, or all of them with `crivo search`."
            )
        keys = [one.key_or_group for one in given]
        if twice := sorted({key for key in keys if keys.count(key) > 1}):
            raise CrivoError(f"{twice[0]} is given twice; a trial has one value for each setting.")
        return dict(parse_yaml(changed_text(_text(path), changes).encode()))
    except (DvcException, HydraException) as error:
        raise _refused(path, changes, error) from None


def apply_changes(path: Path, changes: Sequence[str]) -> None:
    """Change settings in their file, as `dvc exp run -S` does; CrivoError for what DVC refuses."""
    from dvc.exceptions import DvcException
    from hydra.errors import HydraException

    if not changes:
        return
    try:
        text = changed_text(_text(path), changes)
    except (DvcException, HydraException) as error:
        raise _refused(path, changes, error) from None
    path.write_text(text, encoding="utf-8", newline="")


def changed_text(text: str, changes: Sequence[str]) -> str:
    """Return a text of settings after changes, `key=value`; DVC's and Hydra's errors pass."""
    from dvc.utils.hydra import apply_overrides

    with TemporaryDirectory() as folder:
        place = Path(folder) / PARAMS_FILE
        place.write_text(text, encoding="utf-8", newline="")
        apply_overrides(place, list(changes))
        return place.read_bytes().decode()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        read_yaml(path)  # says what is wrong
        raise


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


def as_rewritten(path: Path) -> str:
    """Return the file's text as DVC writes it."""
    try:
        return changed_text(path.read_bytes().decode(), [])
    except Exception as error:  # DVC passes on whatever its YAML and OmegaConf raise
        text = " ".join(str(error).split())
        raise Unreadable("params.yaml", f"DVC can't rewrite it: {text}.") from None
