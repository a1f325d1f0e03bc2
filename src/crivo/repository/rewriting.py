"""Changes the text of settings as DVC does, byte by byte, but again and again.

DVC reads the file with its comments, lets Hydra change it and writes all of it anew. Of the trials
that change the same settings of one file, only the lines of these settings differ. So DVC writes
the text once with a mark for each value, and plain values are put into their places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from crivo.repository.definitions import PLAIN_KEY
from crivo.repository.yaml_text import TEXT, scalar_line

MARK = "crivo-mark-{}-here"
# So many files, each with other settings to change, are remembered.
REMEMBERED = 16


class _Form(NamedTuple):
    """A text, and of each setting the number of its line and how that begins."""

    lines: list[str]
    places: Mapping[str, tuple[int, str]]


# By the text and the settings to change; None for what only DVC can write.
_forms: dict[tuple[str, tuple[str, ...]], _Form | None] = {}


def changed_text(text: str, changes: Sequence[str]) -> str:
    """Return a text of settings after changes, `key=value`, as DVC writes it.

    DVC's and Hydra's own errors pass.
    """
    values = _plain_values(changes)
    if values is None:
        return _by_dvc(text, changes)
    known = (text, tuple(values))
    if known in _forms:
        form = _forms[known]
        return _filled(form, values) or _by_dvc(text, changes)
    result = _by_dvc(text, changes)
    form = _form(text, values)
    if len(_forms) >= REMEMBERED:
        _forms.clear()
    _forms[known] = form if _filled(form, values) == result else None
    return result


def _plain_values(changes: Sequence[str]) -> dict[str, Any] | None:
    """Return the new value of each setting; None where something isn't plain."""
    from dvc.utils.hydra import to_hydra_overrides
    from hydra.core.override_parser.types import OverrideType

    values: dict[str, Any] = {}
    for change, one in zip(changes, to_hydra_overrides(list(changes)), strict=True):
        key, _, _ = change.partition("=")
        plain = one.type is OverrideType.CHANGE and not one.is_sweep_override()
        if not plain or key != one.key_or_group or not PLAIN_KEY.fullmatch(key) or key in values:
            return None
        value = one.value()
        # Other texts may be references, or miss on purpose.
        if type(value) not in (bool, int, float) and not _is_word(value):
            return None
        values[key] = value
    return values or None


def _is_word(value: Any) -> bool:
    return type(value) is str and TEXT.fullmatch(value) is not None


def _form(text: str, values: Mapping[str, Any]) -> _Form | None:
    """Return where DVC writes the values of settings, if each stands alone in a line of its own."""
    if "${" in text:  # a value may be made of another one's
        return None
    marks = {key: MARK.format(number) for number, key in enumerate(values)}
    try:
        lines = _by_dvc(text, [f"{key}={mark}" for key, mark in marks.items()]).split("\n")
    except Exception:  # the values themselves were taken
        return None
    places = {}
    for key, mark in marks.items():
        numbers = [number for number, line in enumerate(lines) if mark in line]
        start = lines[numbers[0]].removesuffix(f" {mark}") if numbers else ""
        if len(numbers) != 1 or start.lstrip(" ") != f"{key.rpartition('.')[2]}:":
            return None
        places[key] = numbers[0], start
    return _Form(lines, places)


def _filled(form: _Form | None, values: Mapping[str, Any]) -> str | None:
    if form is None:
        return None
    lines = [*form.lines]
    for key, value in values.items():
        number, start = form.places[key]
        if (line := scalar_line(start, value)) is None:
            return None
        lines[number] = line
    return "\n".join(lines)


def _by_dvc(text: str, changes: Sequence[str]) -> str:
    from dvc.utils.hydra import apply_overrides

    with TemporaryDirectory() as folder:
        place = Path(folder) / "params.yaml"
        place.write_text(text, encoding="utf-8", newline="")
        apply_overrides(place, list(changes))
        with place.open(encoding="utf-8", newline="") as file:
            return file.read()
