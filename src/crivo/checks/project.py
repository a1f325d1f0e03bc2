"""The project as the checks see it: read once, when first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from crivo.checks.imports import BLOCK_FINDER, Sources
from crivo.checks.prepared import prepared_rows
from crivo.checks.recorded import Recorded, recorded_findings
from crivo.checks.settings_read import SettingsRead, read_settings
from crivo.checks.verdict import Verdict, ask_project
from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.params import read_yaml
from crivo.core.parsing import ParseError, parse_yaml
from crivo.core.registry import BLOCKS
from crivo.featurization.row_checks import SplitRows
from crivo.repository.pipeline import Pipeline, read_pipeline
from crivo.repository.unreadable import Unreadable
from crivo.repository.worktree import WorkTree


class Project:
    """A project folder: its pipeline, settings, source code and what git says of them.

    Each part raises Unreadable when it can't be read; P001 reports that, once.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.closure = cache(self._closure)

    def read(self) -> None:
        """Read all that other checks need; Unreadable says what is missing or broken."""
        _ = self.settings, self.pipeline, self.code_in_use

    @cached_property
    def prepared(self) -> SplitRows | None:
        """The rows of each split; None before `prepare` has run."""
        return prepared_rows(self.root)

    @cached_property
    def recorded_findings(self) -> Recorded | None:
        """What `featurize` found in the rows, by code; None if it has to be looked for again."""
        return recorded_findings(self.root)

    @cached_property
    def repository(self) -> WorkTree:
        return WorkTree(self.root)

    @cached_property
    def pipeline(self) -> Pipeline:
        _ = self.settings  # DVC reads them too; ours is the clearer error
        return read_pipeline(self.root, self.repository.candidates("*.dvc"))

    @cached_property
    def sources(self) -> Sources:
        return Sources(self.root)

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
    def committed_settings(self) -> Any:
        """The values of `params.yaml` in the last commit, or None when there are none."""
        text = self.repository.committed("params.yaml")
        try:
            return parse_yaml(text) if text else None
        except ParseError:
            return None

    @cached_property
    def verdict(self) -> Verdict:
        """What the project's own code says about its settings and blocks."""
        return ask_project(self.root)

    def settings_read(self, stage: str) -> SettingsRead:
        """Return the settings that a stage's script reads."""
        script = self.pipeline.stages[stage].script
        if script is None or not (self.root / script).is_file():
            return SettingsRead()
        return read_settings(self.sources.tree(script))

    def chosen(self, kind: str) -> str | None:
        """Return the path of the block of a kind that the settings choose."""
        name = self.settings.get(kind)
        return f"{BLOCKS}/{KINDS[kind][0]}/{name}.py" if isinstance(name, str) else None

    def _closure(self, stage: str) -> frozenset[str]:
        """Return every project file that a stage's script and blocks import, at any depth."""
        script = self.pipeline.stages[stage].script
        blocks = [self.chosen(kind) for kind in self.settings_read(stage).blocks]
        files = self.sources.closure(path for path in [script, *blocks] if path)
        return files | self.block_packages if self._finds_blocks(files) else files

    def _finds_blocks(self, closure: frozenset[str]) -> bool:
        """Whether code that finds blocks by name is among a stage's: an installed library's is."""
        installed = not (self.root / BLOCK_FINDER).is_file()
        return BLOCK_FINDER in closure or installed

    @cached_property
    def block_packages(self) -> frozenset[str]:
        """What importing a block of any kind runs before it, which every stage does.

        To check the settings of all blocks, a stage imports those that aren't in use, too.
        """
        package = Path(BLOCKS).name
        packages = ((package, folder) for folder, _ in KINDS.values())
        return self.sources.closure(path for name in packages for path in self.sources.files(name))

    @cached_property
    def block_files(self) -> frozenset[str]:
        """The files in the folders of blocks: blocks in use and not, and what they share."""
        folders = {folder for folder, _ in KINDS.values()}
        files_by_folder = (self.root.glob(f"{BLOCKS}/{folder}/*.py") for folder in folders)
        return frozenset(
            path.relative_to(self.root).as_posix() for some in files_by_folder for path in some
        )

    @cached_property
    def code_in_use(self) -> frozenset[str]:
        """The project files that any stage imports."""
        return frozenset().union(*(self.closure(stage) for stage in self.pipeline.stages))
