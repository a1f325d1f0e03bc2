"""The same commit gives the same wheel, and an installation gives the file that it came from."""

import io
import json
import zipfile
from pathlib import Path

import pytest
from tests.crivo.project.wheels import packed

from crivo.core.errors import CrivoError
from crivo.core.git import git
from crivo.project import wheel as wheels
from crivo.project.wheel import built, installed, project_files, shipped

ROOT = Path(__file__).parents[3]
FILES = {
    "crivo/b.py": b"2\n",
    "crivo/a.py": b"1\n",
    "crivo-1.2.dist-info/METADATA": b"Name: crivo\nVersion: 1.2\n",
    "crivo-1.2.dist-info/WHEEL": b"Wheel-Version: 1.0\n",
}


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the file of a wheel that was installed, as pip notes it."""
    made = packed(FILES)
    place, info = tmp_path / made.name, tmp_path / "site/crivo-1.2.dist-info"
    place.write_bytes(made.content)
    info.mkdir(parents=True)
    (info / "METADATA").write_bytes(FILES["crivo-1.2.dist-info/METADATA"])
    noted = {"url": place.as_uri(), "archive_info": {"hashes": {"sha256": made.sha256}}}
    (info / "direct_url.json").write_text(json.dumps(noted))
    monkeypatch.setattr(wheels, "SITE", tmp_path / "site")
    return place


def test_an_installation_gives_the_file_that_was_installed(wheel: Path) -> None:
    assert installed() == packed(FILES)
    wheel.write_bytes(b"another")
    with pytest.raises(CrivoError, match="is not the file from which crivo was installed"):
        installed()
    noted = wheel.parent / "site/crivo-1.2.dist-info/direct_url.json"
    noted.write_text(json.dumps({"url": wheel.as_uri()}))  # an installer may note no hash
    assert installed().content == b"another"
    for place in (wheel.parent, wheel.with_name("gone.whl")):
        noted.write_text(json.dumps({"url": place.as_uri()}))
        with pytest.raises(CrivoError, match="no longer exists"):
            installed()


def test_without_an_installed_wheel_a_sentence_says_where_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheels, "SITE", tmp_path)
    with pytest.raises(CrivoError, match="install the one that `make wheel` makes"):
        installed()
    with pytest.raises(CrivoError, match="installed without a project's files and pages"):
        shipped()
    git(tmp_path, "init", "--quiet")
    (tmp_path / "pyproject.toml").write_text("[project")
    git(tmp_path, "add", "pyproject.toml")
    with pytest.raises(CrivoError, match="^The wheel of crivo could not be built: .*Error: "):
        built(tmp_path)


def test_it_is_written_into_dist_and_its_hash_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = packed(FILES)
    monkeypatch.setattr(wheels, "running_wheel", lambda: made)
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        wheels.main()
    line = f"dist/{made.name}  {len(made.content):,} bytes  sha256 {made.sha256}\n"
    assert capsys.readouterr().out == 2 * line
    assert Path("dist", made.name).read_bytes() == made.content
    assert made.version == "1.2"


def test_the_wheel_of_this_repository_has_the_library_and_the_project() -> None:
    first = built(ROOT)
    assert first == wheels.running_wheel()
    with zipfile.ZipFile(io.BytesIO(first.content)) as file:
        names = set(file.namelist())
        assert {one.date_time for one in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    library = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src/crivo").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    project = {
        f"crivo/project/files/{path}" for path in project_files(ROOT, wheels.PROJECT + wheels.PAGES)
    }
    assert all(project_files(ROOT, [pattern]) for pattern in wheels.PROJECT + wheels.PAGES)
    assert names == library | project | {name for name in names if ".dist-info/" in name}
