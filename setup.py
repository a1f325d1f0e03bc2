"""Puts the files of a team's project into the wheel; everything else is in pyproject.toml."""

import runpy
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
manifest = runpy.run_path(str(ROOT / "src/crivo/project/manifest.py"))


class WithProject(build_py):
    """Builds the library and copies the project's files beside the code that starts projects."""

    def run(self) -> None:
        """Copy them, unless the installation is editable: it reads the repository's own."""
        super().run()
        if self.editable_mode:
            return
        for path in manifest["project_files"](ROOT):
            target = Path(self.build_lib, "crivo/project/files", path)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, target)


setup(cmdclass={"build_py": WithProject})
