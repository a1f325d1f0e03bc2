"""The project as the checks see it, read once, when first asked for; and the list of checks.

`crivo.core.findings` says how to write a check.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from crivo.runtime.stage import noted_reads

from crivo.core import artifacts
from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.findings import Check, Checks, Found, NotApplicable, Severity
from crivo.core.params import read_params, read_yaml
from crivo.core.problems import Problems
from crivo.core.registry import BLOCKS, block_names, find_block
from crivo.repository.lock import LOCK, covers, read_lock
from crivo.repository.outputs import content_hash
from crivo.repository.pipeline import Pipeline, read_pipeline
from crivo.repository.worktree import Unreadable, WorkTree
from crivo.runtime.stage_inputs import stage_entry

if TYPE_CHECKING:
    import pandas as pd

LIBRARY = "src/crivo"

T = TypeVar("T")
Sentence = tuple[str, str]  # subject, message


class Project:
    """A project folder: its pipeline, settings, source code and what git says of them.

    Each part raises Unreadable when it can't be read; P001 reports that, once.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def read(self) -> None:
        """Read all that other checks need; Unreadable says what is missing or broken."""
        _ = self.settings, self.pipeline
        for path in self.code_in_use:
            if not covers(LIBRARY, path):
                self.tree(path)

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
        lock = self.part(lambda path: read_lock(path.read_bytes()), Path(LOCK))
        stages = lock.stages.values() if lock else ()
        stage = next((stage for stage in stages if findings in stage.outs), None)
        if stage is None:
            return "`featurize` hasn't run yet; run `dvc repro`"
        for file in (*stage.deps.values(), stage.outs[findings]):
            if content_hash(self.root / file.path) != file.md5:
                return f"{file.path} has changed since `featurize` ran; run `dvc repro`"
        return ""

    @cached_property
    def repository(self) -> WorkTree:
        return WorkTree(self.root)

    @cached_property
    def pipeline(self) -> Pipeline:
        _ = self.settings  # DVC reads them too; ours is the clearer error
        return read_pipeline(self.root, self.repository.candidates("*.dvc"))

    def tree(self, path: str) -> ast.Module:
        """Return the syntax tree of a Python file."""
        try:
            return ast.parse((self.root / path).read_bytes(), filename=path)
        except (SyntaxError, ValueError, OSError) as error:
            raise Unreadable(path, f"it can't be read as Python: {error}.") from None

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """The values in `params.yaml`, unchecked, as DVC reads them."""
        try:
            values = read_yaml(self.root / "params.yaml")
        except CrivoError as error:
            raise Unreadable("params.yaml", str(error)) from None
        if not isinstance(values, Mapping):
            raise Unreadable("params.yaml", "expected settings, lines of `key: value`.")
        return values

    @cached_property
    def broken_blocks(self) -> tuple[Sentence, ...]:
        """What is wrong with files of blocks."""
        found = {}
        for kind, (folder, _) in KINDS.items():
            for name in block_names(kind):
                path = f"{BLOCKS}/{folder}/{name}.py"
                try:
                    find_block(kind, name)
                except CrivoError as error:
                    found[path] = str(error).removeprefix(f"{path} ")
                except (Exception, SystemExit) as error:  # whatever the file does on import
                    found[path] = f"can't be imported ({type(error).__name__}: {error}); fix it."
        return tuple(found.items())

    @cached_property
    def wrong_settings(self) -> tuple[Sentence, ...]:
        """What is wrong with settings; nothing while a block that may be asked for is broken."""
        if self.broken_blocks:
            return ()
        try:
            read_params(self.root / "params.yaml")
        except Problems as error:
            return tuple((problem.key, problem.message) for problem in error.problems)
        except CrivoError as error:
            return (("params.yaml", str(error)),)
        return ()

    def made_use_of(self, what: str) -> set[str] | None:
        """Return which settings (`read`) or dependencies (`code`) the stages have made use of.

        None before each stage has run with what `dvc.yaml` declares now.
        """
        scripts = [(one.script, one.name) for one in self.pipeline.stages.values() if one.script]
        notes = [noted_reads(self.root, stage_entry(self.root, *one)) for one in scripts]
        used = {name for note in notes if note is not None for name in note[what]}
        return None if None in notes else used

    def notebooks(self) -> Iterator[tuple[str, list[Any] | None]]:
        """Yield each notebook with its cells; None where it can't be read."""
        for path in self.repository.candidates("*.ipynb"):
            try:
                yield path, json.loads((self.root / path).read_text(encoding="utf-8"))["cells"]
            except (ValueError, KeyError, TypeError):
                yield path, None

    @cached_property
    def code_in_use(self) -> frozenset[str]:
        """The project's code that the stages declare: they can't import any other."""
        deps = {dep for stage in self.pipeline.stages.values() for dep in stage.deps}
        files = (file for dep in deps for file in self.pipeline.files.get(dep, ()))
        return frozenset(file for file in files if file.endswith(".py"))


# All checks of a project, by their codes.
CHECKS: Checks[Project] = Checks()
Finds = tuple[str, Mapping[str, Any]]
Findings = Iterator[Finds]


def check(
    code: str, title: str, *, severity: Severity, sentence: str, example: Finds
) -> Callable[[Callable[[Project], Findings]], Callable[[Project], Findings]]:
    """Enter a check whose findings say one sentence: it yields subjects, and values for braces.

    `example`: what it may yield, for the page about the checks.
    """

    def enter(search: Callable[[Project], Findings]) -> Callable[[Project], Findings]:
        @wraps(search)
        def found(project: Project) -> Iterator[Found]:
            for subject, values in search(project):
                yield Found(subject, sentence.format_map(values))

        shown = f"{example[0]}: {sentence.format_map(example[1])}"
        CHECKS.enter(Check(code, title, severity, shown, found))
        return search

    return enter
