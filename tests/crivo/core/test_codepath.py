"""Which code runs: a project's own `src` comes before what is installed."""

import subprocess
import sys
from pathlib import Path

import pytest

SAY = "import crivo, blocks; print(crivo.__file__); print(blocks.__file__)\n"
BLOCKS = "from crivo.core.registry import block_names; print(block_names('model'))\n"
OWN_CLI = "def main():\n    print('the own library')\n"
INSTALLED = Path(__file__).parents[3] / "src"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Give a team's project, with one model and without the library."""
    folder = tmp_path / "project"
    for name in ("src/blocks/__init__.py", "src/blocks/models/__init__.py"):
        write(folder / name)
    write(folder / "src/blocks/models/own.py", "from crivo.core.blocks import Model\n")
    write(folder / "src/stage.py", SAY)
    write(folder / "dvc.yaml")
    write(folder / "params.yaml")
    write(folder / "notebooks/one.ipynb")
    return folder


def write(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def add_library(folder: Path) -> None:
    """Put a library of its own beside the stages."""
    write(folder / "src/crivo/__init__.py")
    write(folder / "src/crivo/cli.py", OWN_CLI)


def run(folder: Path, *command: str, fails: bool = False) -> str:
    """Run Python in a folder, with the library installed and the project's `src` not on the path.

    -S leaves out the editable installation of this repository, which brings its blocks.
    """
    site = folder.parent / "site-packages"
    if not site.exists():
        site.mkdir()
        (site / "crivo").symlink_to(INSTALLED / "crivo")
    packages = [path for path in sys.path if path.endswith("site-packages")]
    env = {"PYTHONPATH": ":".join([str(site), *packages])}
    done = subprocess.run(
        [sys.executable, "-S", *command], cwd=folder, env=env, capture_output=True, text=True
    )
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_stage_takes_the_library_that_stands_beside_it(project: Path) -> None:
    add_library(project)
    library, blocks = run(project, "src/stage.py").splitlines()
    assert Path(library) == project / "src/crivo/__init__.py"
    assert Path(blocks) == project / "src/blocks/__init__.py"


def test_outside_of_a_project_there_are_no_blocks(project: Path) -> None:
    said = run(project.parent, "-c", BLOCKS, fails=True)
    assert "There is no src/blocks here" in said
    assert "run this in the project's folder" in said
