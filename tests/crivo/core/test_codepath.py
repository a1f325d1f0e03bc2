"""Which code runs: a project's own `src` comes before what is installed."""

import subprocess
import sys
from pathlib import Path

import pytest

SAY = "import crivo, blocks; print(crivo.__file__); print(blocks.__file__)\n"
INSTALLED = Path(__file__).parents[3] / "src"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Give a stage with blocks and a library of its own beside it."""
    folder = tmp_path / "project"
    for name in ("blocks", "crivo"):
        (folder / "src" / name).mkdir(parents=True)
        (folder / "src" / name / "__init__.py").touch()
    (folder / "src/stage.py").write_text(SAY)
    return folder


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
    command = (sys.executable, "-S", *command)
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_stage_takes_the_library_that_stands_beside_it(project: Path) -> None:
    library, blocks = run(project, "src/stage.py").splitlines()
    assert Path(library) == project / "src/crivo/__init__.py"
    assert Path(blocks) == project / "src/blocks/__init__.py"


def test_a_notebook_has_the_blocks_of_the_project_around_it(project: Path) -> None:
    (project / "src/blocks/models").mkdir()
    for name in ("dvc.yaml", "params.yaml", "src/blocks/models/own.py"):
        (project / name).touch()
    names = "from crivo.core.registry import block_names; print(block_names('model'))"
    assert run(project / "src/blocks", "-c", names) == "['own']\n"


def test_outside_of_a_project_there_are_no_blocks(project: Path) -> None:
    names = "from crivo.core.registry import block_names; block_names('model')"
    said = run(project.parent, "-c", names, fails=True)
    assert "There is no src/blocks here" in said
    assert "run this in the project's folder" in said
    none = "from crivo.core.registry import own_modules; print(own_modules('metrics'))"
    assert run(project.parent, "-c", none) == "{}\n"
