"""The files and settings that a stage's entry in `dvc.yaml` declares, read without DVC.

The read guard and `run_stage` refuse any others. DVC's own reading is in `repository.pipeline`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_yaml

PIPELINE, PARAMS = "dvc.yaml", "params.yaml"
TEMPLATE = re.compile(r"\$\{([^}]*)\}")


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
        parts = path.split("/")
        places = ["/".join(parts[: n + 1]) for n in range(len(parts))]
        return any(
            place == file or fnmatchcase(place, file) for file in self.files for place in places
        )

    def declares(self, key: str) -> bool:
        """Return whether a setting, or a section that it is in, is declared.

        >>> StageEntry("train", (), ("models.forest",)).declares("models.forest.trees")
        True
        """
        return any(key == name or key.startswith(f"{name}.") for name in self.settings)


def stage_entry(root: Path, script: str, name: str | None = None) -> StageEntry:
    """Return the entry of the stage that runs a script, such as `src/train.py`.

    `name`: as DVC calls the stage, in case several run the script. Dependencies, outputs and
    files of settings count. CrivoError: no entry runs the script, or a file can't be read.
    """
    listed = _section(_section(_read(root / PIPELINE)).get("stages"))
    stages = {str(key): _section(stage) for key, stage in listed.items()}
    running = [key for key, stage in stages.items() if script in str(_command(stage))]
    # Of a stage with `foreach` or `matrix` DVC adds the item: `train@a`.
    called = (name or "").rpartition(":")[2].partition("@")[0]
    if not running:
        raise CrivoError(
            f"{PIPELINE} has no stage that runs {script}, so it isn't known what the script may "
            f"read; add one with `cmd: python {script}`."
        )
    key = called if called in running else running[0]
    stage = _section(stages[key].get("do", stages[key]))
    values = _section(_read(root / PARAMS)) if (root / PARAMS).is_file() else {}
    files = [posixpath.normpath(_filled(file, values)) for file in _files(stage)]
    settings = tuple(_filled(name, values) for name in _settings(stage))
    return StageEntry(key, (PIPELINE, PARAMS, *files), settings)


def _command(stage: Mapping[str, Any]) -> Any:
    return _section(stage.get("do", stage)).get("cmd")


def _files(stage: Mapping[str, Any]) -> Iterable[str]:
    """Give each path that an entry names; options may follow a path."""
    for key in ("deps", "outs", "metrics", "plots"):
        for item in _items(stage.get(key)):
            yield from map(str, item) if isinstance(item, Mapping) else (str(item),)
    for item in _items(stage.get("params")):
        if isinstance(item, Mapping):
            yield from map(str, item)


def _settings(stage: Mapping[str, Any]) -> Iterable[str]:
    """Give each key of `params.yaml` that an entry names."""
    for item in _items(stage.get("params")):
        if isinstance(item, Mapping):
            yield from map(str, _items(item.get(PARAMS)))
        else:
            yield str(item)


def _filled(text: str, values: Mapping[str, Any]) -> str:
    """Return a text with each `${a.b}` replaced by its setting; by `*` when there is none.

    >>> _filled("data/${a.b}/${item}", {"a": {"b": 1}})
    'data/1/*'
    """
    return TEMPLATE.sub(lambda found: _value(found[1].strip(), values), text)


def _value(key: str, values: Any) -> str:
    for part in key.replace("[", ".").replace("]", "").split("."):
        if isinstance(values, list) and part.isdigit() and int(part) < len(values):
            values = values[int(part)]
        elif isinstance(values, Mapping) and part in values:
            values = values[part]
        else:
            return "*"
    return str(values)


def _section(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _read(path: Path) -> Any:
    try:
        return parse_yaml(path.read_bytes())
    except (OSError, ParseError) as error:
        raise CrivoError(f"{path.name} can't be read ({error}); correct that file.") from None
