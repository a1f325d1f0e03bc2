"""The `dvc.lock` that trials start from, and the one that a trial leaves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crivo.repository.cache_store import write_whole
from crivo.repository.definitions import Unsupported
from crivo.repository.run_cache import Entry
from crivo.repository.yaml_text import yaml_text


class RecordedStages:
    """What a `dvc.lock` says of each stage. Unsupported: DVC 2 wrote it."""

    def __init__(self, place: Path) -> None:
        from dvc.utils.serialize import load_yaml

        self.place = place
        self._values: dict[str, Any] = {"schema": "2.0", "stages": {}}
        self._plain = True
        if place.exists():
            self._values = dict(load_yaml(str(place)))
            self._plain = yaml_text(self._values) == place.read_text(encoding="utf-8")
        self.stages: Mapping[str, Entry] = self._values.get("stages") or {}
        files = [
            one
            for stage in self.stages.values()
            for one in (*(stage.get("deps") or ()), *(stage.get("outs") or ()))
        ]
        if any(one.get("hash") != "md5" for one in files):
            raise Unsupported("what DVC 2 recorded is left to DVC.")

    def unchanged(self, name: str, inputs: Entry) -> Entry | None:
        """Return a stage's entry if it read and was set to the same; None otherwise."""
        entry = self.stages.get(name)
        return entry if entry and same_inputs(inputs, entry) else None

    def write(self, entries: Mapping[str, Entry]) -> None:
        """Write the entries of stages in place of those recorded, as DVC writes them."""
        from dvc.utils.serialize import modify_yaml

        if all(self.stages.get(name) is entry for name, entry in entries.items()):
            return
        if self._plain:
            # What DVC does with the text, without reading all of it again.
            text = yaml_text({**self._values, "stages": {**self.stages, **entries}})
            write_whole(self.place, lambda beside: beside.write_text(text, encoding="utf-8"))
            return
        with modify_yaml(str(self.place)) as values:
            values["stages"] = values.get("stages") or {}
            values["stages"].update(entries)


def same_inputs(inputs: Entry, recorded: Entry) -> bool:
    """Whether a recorded stage read and was set to what is given."""
    deps = {one["path"]: one.get("md5") for one in recorded.get("deps") or ()}
    params = recorded.get("params") or {}
    return (
        inputs["cmd"] == recorded.get("cmd")
        and all(deps.get(one["path"]) == one["md5"] for one in inputs["deps"])
        and all(
            _includes(params.get(file) or {}, values)
            for file, values in inputs.get("params", {}).items()
        )
    )


def _includes(recorded: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    return all(key in recorded and recorded[key] == value for key, value in values.items())
