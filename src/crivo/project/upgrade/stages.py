"""`crivo upgrade`: compares what stages run with before and after, and finds stale results."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crivo.core.params import read_yaml
from crivo.core.parsing import parse_yaml
from crivo.project.params_file import setting_at
from crivo.repository.lock import covers
from crivo.repository.pipeline import Stage, read_pipeline
from crivo.repository.running import dvc
from crivo.runtime.environment import locked_packages

LOCK = "requirements.txt"
LIBRARY = "src/crivo"
# What stands for itself below: a stage's settings, its definition, its packages.
ASKED_OTHERWISE = ("dvc.yaml", "params.yaml", LOCK)


@dataclass(frozen=True)
class Side:
    """A project before or after its upgrade: its folder, and the package of its library."""

    root: Path
    library: Path

    @property
    def stages(self) -> dict[str, Stage]:
        return read_pipeline(self.root, ()).stages

    def parts(self, stage: Stage) -> dict[str, Any]:
        """Return what a stage runs with beside the project's files, by the words for each.

        The pipeline of crivo's own repository, which comes with the library, says which of its
        folders a stage runs; a stage of a team's own may run all of it.
        """
        outs = sorted((out.path, out.cached) for out in stage.outs)
        settings = read_yaml(self.root / "params.yaml")
        own = self.library / "project/files/dvc.yaml"
        stages = parse_yaml(own.read_bytes())["stages"] if own.is_file() else {}
        folders = stages.get(stage.name, {}).get("deps", [LIBRARY])
        code = {
            f"{LIBRARY}/{path.relative_to(self.library).as_posix()}": path
            for path in self.library.rglob("*")
            if path.is_file() and path.suffix != ".pyc"
        }
        # Of crivo, files are compared. Of a version that an index has, hashes say no more.
        pins = [pin for pin in locked_packages(self.root / LOCK) if pin.name != "crivo"]
        return {
            "dvc.yaml": (stage.command, sorted(stage.deps), sorted(stage.params), outs),
            **{
                path: file.read_bytes()
                for path, file in code.items()
                if any(covers(one, path) for one in folders)
            },
            **{f"the settings {key}": setting_at(settings, key) for key in stage.params},
            **{f"{pin.name}=={pin.version}": pin for pin in pins},
        }


def differences(before: Side, after: Side, changed: set[str]) -> dict[str, list[str]]:
    """Return for each stage what is other for it after an upgrade: nothing, and it is the same.

    `changed`: the files of the project that the upgrade changes. The stages are in their order.
    """
    stages = before.stages
    found = {}
    for name, stage in after.stages.items():
        if name not in stages:
            found[name] = ["new"]
            continue
        old, new = before.parts(stages[name]), after.parts(stage)
        files = [
            path
            for path in sorted(changed - {*ASKED_OTHERWISE})
            if any(covers(dep, path) or path == f"{dep}.dvc" for dep in stage.deps)
        ]
        others = [one for one in dict.fromkeys([*old, *new]) if old.get(one) != new.get(one)]
        found[name] = files + others
    return found


def stale_stages(project: Path, stages: list[str]) -> set[str]:
    """Return the stages whose results DVC doesn't take for those of the files here."""
    if not stages:
        return set()
    stale = json.loads(dvc(project, "status", "--json", *stages))
    return {stage for stage in stages if stage in stale}
