"""The notebooks run from top to bottom, and are stored without output."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.crivo.pipeline.project import ROOT, Project

NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def compared(reproduced: Project) -> Project:
    """Give the reproduced project with a trial to compare."""
    trials = reproduced.dvc("exp", "list", "--name-only")
    if "linear" not in trials:
        reproduced.dvc("exp", "run", "--temp", "--name", "linear", "-S", "model=linear")
    return reproduced


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_leaves_git_clean(
    compared: Project, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    book = nbformat.read(compared.folder / "notebooks" / name, as_version=4)
    place = {"metadata": {"path": str(compared.folder / "notebooks")}}
    NotebookClient(book, timeout=120, kernel_name="python3", resources=place).execute()
    assert compared.status() == ""


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_stored_without_output(name: str) -> None:
    book = nbformat.read(Path(ROOT / "notebooks" / name), as_version=4)
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in cells)
