"""A clone of the workspace has what git and DVC know of it, and leaves the workspace as it was."""

import shutil
import stat
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.repository.clones import clone_at, clone_of_workspace, share_cache
from crivo.repository.git import Repository, open_repository
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.untouched import state_of

RAW_FILE = "raw/some/x"
FILES = {"code.py": "one\n", "other.py": "other\n", "params.yaml": "a: 1\n", RAW_FILE: "1\n"}
HASH = "b026324c6904b2a9cb4b88d6d61c81d1"  # md5 of "1\n"
RAW = f"outs:\n- md5: {HASH}\n  size: 2\n  hash: md5\n  path: {RAW_FILE}\n"


def make(project: Project, below: str = "") -> Project:
    for name, text in {**FILES, "raw.dvc": RAW, ".gitignore": "/raw\n*.tmp\n",
                       ".dvc/.gitignore": "/config.local\n/tmp\n/cache\n"}.items():  # fmt: skip
        write(project.folder / below / name, text)
    write(project.folder / below / ".dvc/config", "")
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", "Start")
    return project


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def cloned(folder: Path, place: Path) -> Repository:
    """Return the clone of a workspace, after which this is as it was before."""
    home = open_repository(folder)
    before = state_of(home.top)
    clone = clone_of_workspace(home, place / "clone", home.commit("HEAD") or "")
    assert state_of(home.top) == before
    assert clone.commit("HEAD") == home.commit("HEAD")
    assert "user.name=Ana\nuser.email=ana@example.org\n" in clone.git("config", "--list")
    return clone


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a DVC project without a pipeline; don't change it."""
    return make(Project(tmp_path_factory.mktemp("made")))


@pytest.fixture
def mine(made: Project, tmp_path: Path) -> Project:
    """Give a copy of the project."""
    shutil.copytree(made.folder, tmp_path / "mine", symlinks=True)
    return Project(tmp_path / "mine")


def test_a_clone_has_what_git_knows_of_the_workspace(mine: Project, tmp_path: Path) -> None:
    """`dvc exp run --temp` recorded the same trees, where it didn't fail."""
    known = ["changed", "deleted", "undone", "forgotten", "renamed", "program", "link"]
    for name in known:
        write(mine.folder / name, "old\n")
    mine.git("add", *known)
    mine.git("commit", "--quiet", "--message", "Files to change")

    write(mine.folder / "params.yaml", "a: 9\n")
    write(mine.folder / "changed", "new\n")
    (mine.folder / "deleted").unlink()
    mine.git("rm", "--quiet", "--cached", "forgotten")
    mine.git("mv", "renamed", "renamed-to")
    write(mine.folder / "renamed-to", "new\n")
    (mine.folder / "program").chmod(0o755)
    (mine.folder / "link").unlink()
    (mine.folder / "link").symlink_to("changed")
    for name in ("staged", "staged-changed", "staged-gone", "undone"):
        write(mine.folder / name, "staged\n")
        mine.git("add", name)
    write(mine.folder / "staged-changed", "new\n")
    (mine.folder / "staged-gone").unlink()
    write(mine.folder / "undone", "old\n")
    for name in ("intended", "untracked", "ignored.tmp"):
        write(mine.folder / name, "new\n")
    mine.git("add", "--intent-to-add", "intended")

    clone = cloned(mine.folder, tmp_path)
    found = {path.name: path for path in clone.project.iterdir() if not path.is_dir()}
    assert set(found) == {
        "code.py", "other.py", "params.yaml", "raw.dvc", ".gitignore", "changed", "undone",
        "renamed-to", "program", "link", "staged", "staged-changed", "intended",
    }  # fmt: skip
    texts = {name: path.read_text() for name, path in found.items()}
    assert texts["params.yaml"] == "a: 9\n"
    assert {texts[name] for name in ("program", "undone")} == {"old\n"}
    assert texts["staged"] == "staged\n"
    changed = ("changed", "renamed-to", "staged-changed", "intended", "link")
    assert {texts[name] for name in changed} == {"new\n"}
    assert found["program"].stat().st_mode & stat.S_IXUSR
    assert found["link"].is_symlink()
    assert "??" not in clone.git("status", "--porcelain")


def test_a_change_of_the_same_moment_as_the_index_and_settings_that_git_does_not_know_come_along(
    mine: Project, tmp_path: Path
) -> None:
    """Git looks into a file whose time is not before the index's: its copy must keep that.

    DVC adds settings to git's index for that; here the index stays.
    """
    mine.git("rm", "--quiet", "--cached", "params.yaml")
    mine.git("commit", "--quiet", "--message", "Forget the settings")
    write(mine.folder / "code.py", "uno\n")
    mine.git("add", "code.py")
    write(mine.folder / "code.py", "due\n")
    clone = cloned(mine.folder, tmp_path)
    assert (clone.project / "code.py").read_text() == "due\n"
    assert (clone.project / "params.yaml").read_text() == FILES["params.yaml"]


def test_a_project_below_the_top_has_all_changes_of_the_repository(tmp_path: Path) -> None:
    project = make(Project(tmp_path / "all"), "below")
    write(project.folder / "README", "x")
    project.git("add", "README")
    write(project.folder / "below/code.py", "two\n")
    clone = cloned(project.folder / "below", tmp_path)
    assert clone.project == clone.top / "below/"
    assert (clone.project / "code.py").read_text() == "two\n"
    assert (clone.top / "README").read_text() == "x"


def test_a_work_tree_of_git_has_its_own_changes(mine: Project, tmp_path: Path) -> None:
    mine.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    write(mine.folder / "code.py", "main\n")
    write(tmp_path / "side/code.py", "side\n")
    assert (cloned(tmp_path / "side", tmp_path).project / "code.py").read_text() == "side\n"


def test_conflicts_of_a_merge_are_one_clear_sentence(mine: Project, tmp_path: Path) -> None:
    mine.git("checkout", "--quiet", "-b", "side")
    for branch in ("side", "main"):
        mine.git("checkout", "--quiet", branch)
        write(mine.folder / "code.py", branch)
        mine.git("commit", "--quiet", "--all", "--message", branch)
    home = open_repository(mine.folder)
    home.git("merge", "side", check=False)
    with pytest.raises(CrivoError, match=r"merge has conflicts .*resolve them"):
        clone_of_workspace(home, tmp_path / "clone", home.commit("HEAD") or "")


def shared(folder: Path, place: Path, *, changed_data: bool = True) -> Path:
    clone = cloned(folder, place)
    before = state_of(folder)
    share_cache(open_repository(folder), clone, changed_data=changed_data)
    assert state_of(folder) == before
    return clone.project


def test_local_settings_and_remotes_are_shared_by_full_path(mine: Project, tmp_path: Path) -> None:
    settings = "[cache]\n    type = copy\n['remote \"mine\"']\n    url = ../../store\n"
    others = "['machine \"m\"']\n    cloud = aws\n['db \"d\"']\n    url = sqlite:///x\n"
    write(mine.folder / ".dvc/config.local", settings + others)
    write(mine.folder / ".dvc/config", "['remote \"ours\"']\n    url = ../../store\n")
    clone = shared(mine.folder, tmp_path / "deeper")
    from dvc.config import Config

    config = Config(str(clone / ".dvc"))
    for name in ("mine", "ours"):
        assert Path(config["remote"][name]["url"]).resolve() == tmp_path / "store"
    assert Path(config["cache"]["dir"]).resolve() == mine.folder / ".dvc/cache"
    assert config["cache"]["type"] == ["copy"]
    assert Path(config["core"]["site_cache_dir"]).is_relative_to(clone)
    assert (config["machine"]["m"]["cloud"], config["db"]["d"]["url"]) == ("aws", "sqlite:///x")
    share_cache(open_repository(mine.folder), open_repository(clone), link="symlink")
    assert Config(str(clone / ".dvc"))["cache"]["type"] == ["symlink"]


def test_a_clone_of_a_shallow_one_finds_every_object(mine: Project, tmp_path: Path) -> None:
    base = mine.commit({**FILES, "code.py": "two\n"}, parent=mine.head())
    trial = mine.commit({**FILES, "code.py": "three\n"}, ref="refs/exps/x", parent=base)
    mine.git("clone", "--quiet", "--depth=1", mine.folder.as_uri(), str(tmp_path / "shallow"))
    shallow = Project(tmp_path / "shallow")
    shallow.git("fetch", "--quiet", "--depth=1", "origin", "refs/exps/x:refs/exps/x")
    clone = clone_at(open_repository(shallow.folder), tmp_path / "clone", trial, trial)
    assert clone.git("log", "--format=%H") == f"{trial}\n"
    assert (clone.project / "code.py").read_text() == "three\n"


def test_settings_that_are_not_there_do_not_come_along(mine: Project, tmp_path: Path) -> None:
    mine.git("rm", "--quiet", "params.yaml")
    for name in ("core.filemode", "user.name", "user.email"):
        mine.git("config", "--unset", name)
    clone = clone_of_workspace(open_repository(mine.folder), tmp_path / "clone", mine.head())
    assert not (clone.project / "params.yaml").exists()


@pytest.mark.parametrize(
    ("in_cache", "text", "changed_data", "found"),
    [
        (False, "1\n", True, True),
        (False, "1\n", False, True),
        (True, "1\n", True, False),
        (True, "2\n", True, True),
        (True, "2\n", False, False),
    ],
    ids=["lacking", "lacking, past", "in the cache", "changed", "changed, past"],
)
def test_raw_data_are_copied_where_the_cache_lacks_them_or_a_new_trial_has_others(
    mine: Project, tmp_path: Path, in_cache: bool, text: str, changed_data: bool, found: bool
) -> None:
    if in_cache:
        write(mine.folder / ".dvc/cache/files/md5" / HASH[:2] / HASH[2:], "1\n")
    write(mine.folder / RAW_FILE, text)
    copied = shared(mine.folder, tmp_path, changed_data=changed_data) / RAW_FILE
    assert copied.exists() == found
    assert not found or copied.read_text() == text
