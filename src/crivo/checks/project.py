"""`Project`: the project as checks see it, read when first asked for; and `CHECKS`, their list.

`crivo.core.findings` says how to write a check.
"""

from __future__ import annotations

from crivo.runtime.stage import noted_reads

import os
import random
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from crivo.core import artifacts
from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.findings import Checks, Found, NotApplicable
from crivo.core.params import PARAMS_FILE, read_params
from crivo.core.parsing import read_yaml
from crivo.core.problems import Problems
from crivo.core.registry import BLOCKS, block_names, find_block
from crivo.preparation.rawdata import content_hash
from crivo.repository.git import Repository
from crivo.repository.lock import LOCK, Lock, LockedStage, flat, read_lock
from crivo.repository.pipeline import Pipeline, Unreadable, read_pipeline
from crivo.runtime.read_guard import stage_entry

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")


class Project:
    """A project folder: its pipeline, settings, source code and what git says of them.

    Each part raises Unreadable when it can't be read; P001 reports that, once.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def part(self, reader: Callable[[Path], T], path: Path) -> T | None:
        """Return what a file that a stage or a person wrote holds; None where there is none."""
        if not (self.root / path).exists():
            return None
        try:
            return reader(self.root / path)
        except CrivoError as error:
            raise Unreadable(path.as_posix(), str(error)) from None

    @property
    def row_findings(self) -> pd.DataFrame:
        """What `featurize` found in the rows as they are; NotApplicable where that isn't known."""
        if self._stale_findings:
            raise NotApplicable(self._stale_findings)
        return artifacts.read_csv(self.root / artifacts.ROW_FINDINGS, as_text=True)

    @cached_property
    def _stale_findings(self) -> str:
        """Why what `featurize` found doesn't hold now; nothing when it does."""
        findings = artifacts.ROW_FINDINGS.as_posix()
        stage = self.lock.maker(findings)
        if stage is None:
            return "`featurize` hasn't run yet; run `dvc repro`"
        for file in (*stage.deps.values(), stage.outs[findings]):
            if not (self.root / file.path).exists():
                return f"{file.path} isn't here; run `dvc pull` or `dvc repro`"
            if content_hash(self.root / file.path) != file.md5:
                return f"{file.path} has changed since `featurize` ran; run `dvc repro`"
        return self._changed_source(self.lock.up_to(stage.name))

    def _changed_source(self, lock: Lock) -> str:
        """Say which file that stages read and none makes has changed since; nothing for none."""
        for path, file in lock.sources.items():
            if (content_hash(self.root / path) or file.md5) != file.md5:
                stage = next(one.name for one in lock.stages.values() if path in one.deps)
                return f"{path} has changed since `{stage}` ran; run `dvc repro`"
        return ""

    @cached_property
    def lock(self) -> Lock:
        """What `dvc.lock` says; no stages where there is none."""
        return self.part(lambda path: read_lock(path.read_bytes()), Path(LOCK)) or Lock({})

    @property
    def locked(self) -> Mapping[str, LockedStage]:
        """The stages in `dvc.lock`, as they last ran."""
        return self.lock.stages

    def as_evaluated(self, *sections: str) -> None:
        """Raise NotApplicable if a setting (in these sections) isn't the one of the results.

        Without sections, also if the data or the code aren't.
        """
        now = flat(self.settings)
        for stage in self.locked.values():
            for key, value in stage.settings.items():
                # A section that params.yaml doesn't have may be in another file of settings.
                inside = key.partition(".")[0] in (sections or self.settings)
                if inside and now.get(key) != value:
                    raise NotApplicable(f"{key} has changed since the last run; run `dvc repro`")
        if not sections and (changed := self._changed_source(self.lock)):
            raise NotApplicable(changed)

    @cached_property
    def evaluation(self) -> Mapping[str, Any]:
        """What `evaluate` says of the result; NotApplicable before it has run."""
        about = self.part(artifacts.read_json, artifacts.EVALUATION / "evaluation.json")
        if about is None:
            raise NotApplicable("nothing is evaluated yet; run `dvc repro`")
        if not isinstance(about, Mapping):
            raise Unreadable("metrics/evaluation/evaluation.json", "expected an object.")
        return about

    @property
    def repository(self) -> Repository:
        return Repository(self.root)

    @cached_property
    def tracked(self) -> frozenset[str]:
        """The files that git tracks, those added and not yet committed too."""
        return frozenset(self.repository.files())

    @cached_property
    def pipeline(self) -> Pipeline:
        _ = self.settings  # DVC reads them too; ours is the clearer error
        return read_pipeline(self.root, self.repository.not_ignored("*.dvc"))

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """The values in `params.yaml`, unchecked, as DVC reads them."""
        values = self.part(read_yaml, PARAMS_FILE)
        if values is None and not (self.root / PARAMS_FILE).exists():
            raise Unreadable("params.yaml", "there is none here; run this in the project's folder.")
        if not isinstance(values, Mapping):
            raise Unreadable("params.yaml", "expected settings, lines of `key: value`.")
        return values

    @property
    def broken_blocks(self) -> tuple[Found, ...]:
        """What is wrong with files of blocks."""
        return tuple(Found(path, wrong) for path, (wrong, _) in self.imports.items() if wrong)

    @cached_property
    def imports(self) -> dict[str, tuple[str, str]]:
        """What is wrong with each block's file, and what its import changes; or empty texts."""
        found: dict[str, tuple[str, str]] = {}
        for kind, (folder, _) in KINDS.items():
            for name in block_names(kind):
                path, wrong, before = f"{BLOCKS}/{folder}/{name}.py", "", _state()
                try:
                    find_block(kind, name)
                except CrivoError as error:
                    wrong = str(error).removeprefix(f"{path} ")
                except (Exception, SystemExit) as error:  # whatever the file does on import
                    wrong = f"can't be imported ({type(error).__name__}: {error}); fix it."
                changed = [what for what, after in _state().items() if after != before[what]]
                found.setdefault(path, (wrong, " and ".join(changed)))
        return found

    @cached_property
    def wrong_settings(self) -> tuple[Found, ...]:
        """What is wrong with settings; nothing while a block that may be asked for is broken."""
        if self.broken_blocks:
            return ()
        try:
            read_params(self.root / PARAMS_FILE)
        except Problems as error:
            return tuple(Found(key, wrong) for key, wrong in error.by_key.items())
        except CrivoError as error:
            return (Found("params.yaml", str(error)),)
        return ()

    def made_use_of(self, what: str) -> set[str] | None:
        """Return which settings (`read`) or dependencies (`code`) the stages have made use of.

        None before each stage has run with what `dvc.yaml` declares now.
        """
        scripts = [(one.script, one.name) for one in self.pipeline.stages.values() if one.script]
        notes = [noted_reads(self.root, stage_entry(self.root, *one)) for one in scripts]
        used = {name for note in notes if note is not None for name in note[what]}
        return None if None in notes else used


# All checks of a project, by their codes.
CHECKS: Checks[Project] = Checks()


def _state() -> dict[str, Any]:
    """Return what the import of a file may not change, by the words for it."""
    import numpy as np
    import pandas as pd

    return {
        "the state of Python's random numbers": random.getstate(),
        "the state of NumPy's random numbers": repr(np.random.get_state()),  # noqa: NPY002
        "how NumPy handles errors": np.geterr(),
        "pandas' options": repr(pd.options.d),
        # What scikit-learn sets for OpenMP when it is imported isn't the file's doing.
        "environment variables": {k: v for k, v in os.environ.items() if not k.startswith("KMP_")},
        "the working directory": Path.cwd(),
    }
