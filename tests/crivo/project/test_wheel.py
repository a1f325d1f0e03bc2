"""A wheel has one form, so that an installation gives the same bytes again."""

import importlib
import io
import zipfile
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.project import wheel
from crivo.project.wheel import built, installed, packed, project_files

ROOT = Path(__file__).parents[3]
FILES = {
    "crivo/b.py": b"2\n",
    "crivo/a.py": b"1\n",
    "crivo-1.2.dist-info/METADATA": b"Name: crivo\nVersion: 1.2\n",
    "crivo-1.2.dist-info/WHEEL": b"Wheel-Version: 1.0\n",
}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder in which the wheel of FILES was installed, as pip does it."""
    with zipfile.ZipFile(io.BytesIO(packed(FILES).content)) as file:
        file.extractall(tmp_path)
    info = tmp_path / "crivo-1.2.dist-info"
    (info / "INSTALLER").write_text("pip\n")
    (tmp_path / "crivo/a.pyc").touch()
    added = f"{info.name}/INSTALLER,,\ncrivo/a.pyc,,\n../bin/crivo,,\n"
    (info / "RECORD").write_text(added + (info / "RECORD").read_text())
    monkeypatch.setattr(wheel, "SITE", tmp_path)
    return tmp_path


def test_an_installation_gives_the_same_bytes_again(site: Path) -> None:
    assert installed() == packed(FILES)


@pytest.mark.parametrize("reader", ["importlib.metadata", "importlib_metadata"])
@pytest.mark.parametrize(
    "change", [lambda path: path.write_text("3\n"), lambda path: path.unlink()]
)
def test_a_changed_installation_is_refused(
    site: Path, change, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheel, "distributions", importlib.import_module(reader).distributions)
    change(site / "crivo/b.py")
    with pytest.raises(CrivoError, match=r"installed crivo/b\.py is not as it was installed"):
        installed()


def test_without_an_installed_wheel_a_sentence_says_where_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheel, "SITE", tmp_path)
    with pytest.raises(CrivoError, match="was not installed from a wheel"):
        installed()


def test_the_wheel_of_this_repository_has_the_library_and_the_project() -> None:
    first = built(ROOT)
    assert first == built(ROOT)
    with zipfile.ZipFile(io.BytesIO(first.content)) as file:
        names = set(file.namelist())
    library = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src/crivo").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    project = {f"crivo/project/files/{path}" for path in project_files(ROOT)}
    assert names == library | project | {name for name in names if ".dist-info/" in name}
