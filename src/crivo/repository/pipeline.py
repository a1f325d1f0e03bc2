"""The stages of `dvc.yaml` as DVC resolves them, for `crivo check` and `crivo upgrade`.

With them are the raw data that `.dvc` files name, and the files that stages depend on.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE
from crivo.preparation.rawdata import parse_dvc_file
from crivo.repository.dvc_project import explained
from crivo.repository.git import Repository
from crivo.repository.lock import covers

TEMPLATE = re.compile(r"\$\{\s*([^}\s]+)")


class Unreadable(CrivoError):
    """Some part of the project can't be read: which, and why."""

    def __init__(self, subject: str, message: str) -> None:
        super().__init__(f"{subject}: {message}")
        self.subject = subject
        self.message = message


@dataclass(frozen=True)
class Output:
    """A file or folder that a stage writes, or that a `.dvc` file names (`stage` is that file).

    What is not `cached` by DVC must be tracked by git. `md5`: the hash that a `.dvc` file records.
    """

    path: str
    stage: str
    cached: bool = True
    md5: str = ""


@dataclass(frozen=True)
class Stage:
    """A stage: its command, and what it reads and writes. Paths are relative to the project.

    `params` are the keys of `params.yaml` that it declares.
    """

    name: str
    command: str
    deps: tuple[str, ...]
    params: tuple[str, ...]
    outs: tuple[Output, ...]

    @property
    def script(self) -> str | None:
        """The script of a command `python src/<stage>.py`; None for any other command."""
        try:
            words = [*shlex.split(self.command), "", ""]
        except ValueError:
            return None
        script = PurePosixPath(words[1])
        fits = words[0].startswith("python") and script.suffix == ".py"
        return script.as_posix() if fits and script.parent.as_posix() == "src" else None


@dataclass(frozen=True)
class Pipeline:
    """The stages, the raw data that `.dvc` files name, and the files behind the code deps.

    `templated` has the keys of `params.yaml` that `dvc.yaml` uses in `${…}`; `files` has, for
    each dependency that isn't an output, the files it consists of, less those that `.dvcignore`
    leaves out.
    """

    stages: dict[str, Stage]
    raw: tuple[Output, ...]
    templated: frozenset[str]
    files: dict[str, tuple[str, ...]]

    @property
    def outs(self) -> tuple[Output, ...]:
        """Everything that DVC can produce: outputs of stages, and raw data."""
        return *(out for stage in self.stages.values() for out in stage.outs), *self.raw

    def produces(self, path: str) -> bool:
        """Return whether a path is, lies in, or holds something that DVC produces."""
        return any(covers(out.path, path) or covers(path, out.path) for out in self.outs)


def read_pipeline(root: Path, dvc_files: Iterable[str]) -> Pipeline:
    """Return the stages of a project and its raw data; Unreadable when DVC can't read them."""
    if not (root / "dvc.yaml").exists():
        raise Unreadable("dvc.yaml", "there is none here; run this in the project's folder.")
    from dvc.dvcfile import load_file
    from dvc.repo import Repo

    with explained(partial(Unreadable, "dvc.yaml")), Repo(str(root)) as repo:
        file = load_file(repo, str(root / "dvc.yaml"))
        stages = {stage.name: _stage(stage, root) for stage in file.stages.values()}
        raw = tuple(out for path in dvc_files for out in _raw(root, path))
        templated = frozenset(TEMPLATE.findall(json.dumps(file.contents)))
        pipeline = Pipeline(stages, raw, templated, {})
        for dep in sorted({dep for stage in stages.values() for dep in stage.deps}):
            if not pipeline.produces(dep):
                pipeline.files[dep] = tuple(_files(repo, root, dep))
        return pipeline


def recorded_raw(repository: Repository) -> list[Output]:
    """Return what the `.dvc` files in git record; nothing of one that can't be read."""
    files = repository.files("--", "*.dvc")
    return [one for file in files for one in raw_of(repository.project, file)]


def raw_of(project: Path, file: str) -> list[Output]:
    """Return each file or folder that a `.dvc` file names; none for a broken one."""
    folder, hashes = posixpath.dirname(file), parse_dvc_file((project / file).read_bytes())
    return [
        Output(posixpath.normpath(posixpath.join(folder, path)), file, md5=md5)
        for path, md5 in hashes.items()
    ]


def _raw(root: Path, dvc_file: str) -> list[Output]:
    found = raw_of(root, dvc_file)
    if not found:
        raise Unreadable(dvc_file, f"it names no file; restore it with `git checkout {dvc_file}`.")
    return found


def _stage(stage: Any, root: Path) -> Stage:
    from dvc.dependency import ParamsDependency

    params = [dep for dep in stage.deps if isinstance(dep, ParamsDependency)]
    files = [dep for dep in stage.deps if not isinstance(dep, ParamsDependency)]
    return Stage(
        name=stage.name,
        command=stage.cmd if isinstance(stage.cmd, str) else "\n".join(stage.cmd or []),
        deps=tuple(_relative(dep.fs_path, root) for dep in files),
        params=tuple(
            str(key) for dep in params for key in dep.params if dep.def_path == PARAMS_FILE.name
        ),
        outs=tuple(
            Output(_relative(out.fs_path, root), stage.name, bool(out.use_cache))
            for out in stage.outs
        ),
    )


def _relative(path: str, root: Path) -> str:
    return Path(os.path.relpath(path, root)).as_posix()


def _files(repo: Any, root: Path, dep: str) -> Iterator[str]:
    path = root / dep
    if path.is_file():
        yield dep
    elif path.is_dir():
        for file in repo.dvcignore.find(repo.fs, str(path)):
            yield _relative(file, root)
