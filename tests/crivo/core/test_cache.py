"""Where DVC keeps its cache and what is in it, read without DVC; DVC says what is right."""

import subprocess
from pathlib import Path

import pytest

from crivo.core.cache import Cache, cache_folder
from crivo.core.errors import CrivoError
from crivo.preparation.rawdata import content_hash, raw_files
from crivo.repository.dvc_project import open_dvc
from crivo.repository.lock import read_lock
from crivo.repository.pipeline import raw_of


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give an empty project of git's and DVC's, on a machine without other configuration."""
    for level in ("GLOBAL", "SYSTEM"):
        monkeypatch.setenv(f"DVC_{level}_CONFIG_DIR", str(tmp_path / level))
        (tmp_path / level).mkdir()
    folder = tmp_path / "project"
    (folder / ".dvc").mkdir(parents=True)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


XDG = {"GLOBAL": ("XDG_CONFIG_HOME", "home"), "SYSTEM": ("XDG_CONFIG_DIRS", "etc")}
CONFIGURATIONS = {
    "home": {"project/.dvc/config": "[cache]\ndir = ~/c\n"},
    "quoted": {"project/.dvc/config": '[cache]\n    dir = "/else, where"  # a comment\n'},
    "local first": {
        "project/.dvc/config": "[cache]\n    dir = /one\n",
        "project/.dvc/config.local": "[cache]\n    dir = /other\n",
    },
    "user's first": {
        "GLOBAL/config": "[cache]\n    dir = /users\n",
        "SYSTEM/config": "[cache]\n    dir = /machines\n",
    },
    "user's own folder": {"home/dvc/config": "[cache]\n    dir = /users\n"},
    "machine's folder": {"etc/dvc/config": "[cache]\n    dir = /machines\n"},
}


@pytest.mark.parametrize("files", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_the_cache_is_where_dvc_has_it(
    project: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for level, (variable, place) in XDG.items():
        monkeypatch.setenv(variable, str(project.parent / place))
        if f"{place}/dvc/config" in files:
            monkeypatch.delenv(f"DVC_{level}_CONFIG_DIR")
    for name, text in files.items():
        (project.parent / name).parent.mkdir(parents=True, exist_ok=True)
        (project.parent / name).write_text(text)
    with open_dvc(project) as repo:
        assert Cache(project).place("abcdef") == Path(repo.cache.local.oid_to_path("abcdef"))


def test_a_folder_below_the_project_has_its_cache(project: Path) -> None:
    (project / ".dvc/config").write_text("cache = x\n")  # no section of that name
    assert cache_folder(project / "data") == project / ".dvc/cache"


def test_a_project_without_dvc_is_one_clear_sentence(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match=r"isn't a DVC project, so it has no stored"):
        cache_folder(tmp_path)


def test_a_broken_configuration_is_one_clear_sentence(project: Path) -> None:
    (project / ".dvc/config").write_text("[cache\n")
    with pytest.raises(CrivoError, match=r"\.dvc/config can't be read as a DVC configuration"):
        cache_folder(project)


def test_files_left_out_are_those_that_dvc_ignores(project: Path) -> None:
    """`.dvcignore` at the top and in a folder, a pattern taken back, one bound to its place."""
    data = project / "data"
    for name in ("a.csv", "b.tmp", "keep.tmp", "x/a.csv", "x/only", "x/y/only", "junk/a", "é.tmp"):
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text(name)
    (project / ".dvcignore").write_text("*.tmp\n!keep.tmp\njunk/\n")
    (data / "x/.dvcignore").write_text("/only\n")
    (project / ".gitignore").write_text("/data\n*.csv\n")
    with open_dvc(project) as repo:
        counted = {Path(name) for name in repo.dvcignore.find(repo.fs, str(data))}
    assert set(raw_files(data).values()) == counted
    assert data / "keep.tmp" in counted
    assert data / "x/only" not in counted
    subprocess.run(["git", "add", "--force", "--all"], cwd=project, check=True)
    assert set(raw_files(data).values()) == counted


def test_what_dvc_records_is_read_and_hashed_alike(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its hashes of a file and of a folder, from `dvc.lock` and `.dvc` files of any folder."""
    (project / "sub/raw").mkdir(parents=True)
    for name in ("sub/raw/ö.csv", "sub/raw/b"):
        (project / name).write_text(name)
    (project / "dvc.yaml").write_text("stages: {s: {cmd: echo 1 > out, outs: [out]}}\n")
    monkeypatch.chdir(project)
    with open_dvc(project) as repo:
        repo.add(["sub/raw"])
        repo.reproduce()
    recorded = {one.path: one.md5 for one in raw_of(project, "sub/raw.dvc")} | {
        path: out.md5 for path, out in read_lock((project / "dvc.lock").read_bytes()).outs.items()
    }
    assert set(recorded) == {"out", "sub/raw"}
    for path, md5 in recorded.items():
        assert content_hash(project / path) == md5
        assert Cache(project).has(md5)
    assert recorded["sub/raw"].endswith(".dir")
    assert not Cache(project).has("0" * 32)
    (one, _) = (Cache(project).listing(recorded["sub/raw"]) or {}).values()
    Cache(project).place(one).unlink()
    assert not Cache(project).has(recorded["sub/raw"])


@pytest.mark.parametrize("content", [b"", b"[1]", b"[{}]", b"[" * 200_000, b"\xff"])
def test_a_damaged_listing_is_none(project: Path, content: bytes) -> None:
    place = Cache(project).place(md5 := f"{'a' * 32}.dir")
    place.parent.mkdir(parents=True)
    place.write_bytes(content)
    assert Cache(project).listing(md5) is None
