"""`crivo upgrade`: compares what stages run with before and after, and finds stale results."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from crivo.core.params import read_yaml
from crivo.core.parsing import parse_yaml
from crivo.project.params_file import setting_at
from crivo.repository.lock import covers
from crivo.repository.pipeline import read_pipeline
from crivo.repository.running import dvc
from crivo.runtime.environment import locked_packages

LOCK = "requirements.txt"
LIBRARY = "src/crivo"
# What stands for itself below: a stage's settings, its definition, its packages.
ASKED_OTHERWISE = {"dvc.yaml", "params.yaml", LOCK}


def facts(root: Path, library: Path, changed: Iterable[str] = ()) -> dict[str, dict[str, Any]]:
    """Return what each stage of a project runs with, in the order of the stages.

    `library`: the folder of the library's package. The pipeline of crivo's own repository, which
    comes with it, says which of its folders a stage runs; a stage of a team's own may run all of
    it. `changed`: the files of the project that an upgrade changed.
    """
    settings, own = read_yaml(root / "params.yaml"), library / "project/files/dvc.yaml"
    known = parse_yaml(own.read_bytes())["stages"] if own.is_file() else {}
    code = {
        f"{LIBRARY}/{path.relative_to(library).as_posix()}": path.read_bytes()
        for path in library.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    # Of crivo, files are compared. Of a version that an index has, hashes say no more.
    pins = [pin for pin in locked_packages(root / LOCK) if pin.name != "crivo"]
    found = {}
    for name, stage in read_pipeline(root, ()).stages.items():
        outs = sorted((out.path, out.cached) for out in stage.outs)
        folders = known.get(name, {}).get("deps", [LIBRARY])
        found[name] = {
            **{
                path: "changed"
                for path in sorted({*changed} - ASKED_OTHERWISE)
                if any(covers(dep, path) or path == f"{dep}.dvc" for dep in stage.deps)
            },
            "dvc.yaml": (stage.command, sorted(stage.deps), sorted(stage.params), outs),
            **{path: text for path, text in code.items() if any(covers(f, path) for f in folders)},
            **{f"the settings {key}": setting_at(settings, key) for key in stage.params},
            **{f"{pin.name}=={pin.version}": pin for pin in pins},
        }
    return found


def differences(
    before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]
) -> dict[str, list[str]]:
    """Return for each stage what is other for it after an upgrade: nothing, and it is the same."""
    found = {}
    for name, new in after.items():
        old = before.get(name)
        found[name] = ["new"]
        if old is not None:
            found[name] = [one for one in new | old if old.get(one) != new.get(one)]
    return found


def stale_stages(project: Path, stages: list[str]) -> set[str]:
    """Return the stages whose results DVC doesn't take for those of the files here."""
    if not stages:
        return set()
    stale = json.loads(dvc(project, "status", "--json", *stages))
    return {stage for stage in stages if stage in stale}
