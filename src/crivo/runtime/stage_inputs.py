"""The files and settings that a stage's entry in `dvc.yaml` declares, read without DVC.

The read guard and `run_stage` refuse any others. DVC's own reading is in `repository.pipeline`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_yaml

PIPELINE, PARAMS = "dvc.yaml", "params.yaml"
PATHS = ("deps", "outs", "metrics", "plots")
TEMPLATE = re.compile(r"\$\{\s*([^}]*?)\s*\}")


@dataclass(frozen=True)
class StageEntry:
    """A stage's name in `dvc.yaml`, and what it declares.

    `files`: files and folders, as patterns; `settings`: dotted keys of `params.yaml`.
    """

    name: str
    files: tuple[str, ...]
    settings: tuple[str, ...] = ()

    def covers(self, path: str) -> bool:
        """Return whether a path from the project's folder is declared, or lies in what is.

        >>> StageEntry("train", ("data/a", "b*.csv")).covers("data/a/rows.csv")
        True
        """
        return lies_in(path, self.files)

    def declares(self, key: str) -> bool:
        """Return whether a setting, or a section that it is in, is declared.

        >>> StageEntry("train", (), ("models.forest",)).declares("models.forest.trees")
        True
        """
        return any(key == name or key.startswith(f"{name}.") for name in self.settings)


def lies_in(path: str, names: Iterable[str]) -> bool:
    """Return whether a path, or a folder above it, has one of the names, which may be patterns."""
    parts = path.split("/")
    places = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    return any(place == name or fnmatchcase(place, name) for name in names for place in places)


def stage_entry(root: Path, script: str, name: str | None = None) -> StageEntry:
    """Return the entry of the stage that runs a script, such as `src/train.py`.

    `name`: as DVC calls the stage, in case several run the script. Dependencies, outputs and
    files of settings count. CrivoError: no entry runs the script, or a file can't be read.
    """
    stages = _section(_read(root / PIPELINE).get("stages"))
    entries = {key: _section(_section(one).get("do", one)) for key, one in stages.items()}
    running = [key for key, entry in entries.items() if script in str(entry.get("cmd"))]
    if not running:
        raise CrivoError(
            f"{PIPELINE} has no stage that runs {script}, so it isn't known what the script may "
            f"read; add one with `cmd: python {script}`."
        )
    # Of a stage with `foreach` or `matrix` DVC adds the item: `train@a`.
    called = (name or "").rpartition(":")[2].partition("@")[0]
    key = called if called in running else running[0]
    entry, values = entries[key], _read(root / PARAMS) if (root / PARAMS).is_file() else {}
    params = [*_items(entry.get("params"))]
    files = [name for kind in PATHS for name, _ in _items(entry.get(kind))]
    files += [name for name, keys in params if keys is not None]
    settings = [name for name, keys in params if keys is None]
    settings += [str(key) for name, keys in params if name == PARAMS for key in keys or ()]
    filled = [posixpath.normpath(_filled(file, values)) for file in files]
    return StageEntry(
        key, (PIPELINE, PARAMS, *filled), tuple(_filled(setting, values) for setting in settings)
    )


def _items(listed: Any) -> Iterator[tuple[str, Any]]:
    """Give each path or key that an entry lists, and what stands below it; None for a name alone.

    Of a file of settings without keys below it, DVC takes all of them.
    """
    for item in listed if isinstance(listed, list) else [listed] if listed else []:
        if not isinstance(item, Mapping):
            yield str(item), None
            continue
        for name, inside in item.items():
            yield str(name), inside or ()


def _filled(text: str, values: Mapping[str, Any]) -> str:
    """Return a text with each `${a.b}` replaced by its setting; by `*` when there is none.

    >>> _filled("data/${a.b}/${item}", {"a": {"b": 1}})
    'data/1/*'
    """

    def value(found: re.Match[str]) -> str:
        place: Any = values
        for part in found[1].split("."):
            place = place.get(part, "*") if isinstance(place, Mapping) else "*"
        return str(place)

    return TEMPLATE.sub(value, text)


def _read(path: Path) -> Mapping[str, Any]:
    try:
        content = parse_yaml(path.read_bytes())
    except (OSError, ParseError) as error:
        raise CrivoError(f"{path.name} can't be read ({error}); correct that file.") from None
    return _section(content)


def _section(content: Any) -> Mapping[str, Any]:
    return content if isinstance(content, Mapping) else {}
