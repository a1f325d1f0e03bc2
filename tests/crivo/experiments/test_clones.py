"""A clone of the workspace has what git knows of it, and leaves the workspace as it was."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.experiments import sandbox
from crivo.experiments.sandbox import workspace_sandbox
from crivo.repository.clone_data import share_cache
from crivo.repository.clones import clone_of_workspace
from crivo.repository.git import Repository, open_repository
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.untouched import state_of

FILES = {"code.py": "one\n", "other.py": "other\n", "params.yaml": "a: 1\n", "raw/x": "1\n"}
HASH = "b026324c6904b2a9cb4b88d6d61c81d1"  # md5 of "1\n"
RAW = f"outs:\n- md5: {HASH}\n  size: 2\n  hash: md5\n  path: raw/x\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a DVC project without a pipeline; don't change it."""
    return make(Project(tmp_path_factory.mktemp("made")))


def make(project: Project, below: str = "") -> Project:
    for name, text in {**FILES, "raw.dvc": RAW, ".gitignore": "/raw\n*.tmp\n",
                       ".dvc/.gitignore": "/config.local\n/tmp\n/cache\n"}.items():  # fmt: skip
        write(project.folder / below / name, text)
    write(project.folder / below / ".dvc/config", "")
    project.identify()
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", "Start")
    return project


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def mine(made: Project, tmp_path: Path) -> Project:
    """Give a copy of the project."""
    shutil.copytree(made.folder, tmp_path / "mine", symlinks=True)
    return Project(tmp_path / "mine")


def cloned(folder: Path, place: Path) -> Repository:
    """Return the clone of a workspace, after which this is as it was before."""
    home = open_repository(folder)
    before = state_of(home.top)
    clone = clone_of_workspace(home, place / "clone", home.commit("HEAD") or "")
    assert state_of(home.top) == before
    assert clone.commit("HEAD") == home.commit("HEAD")
    return clone


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


def test_a_change_of_the_same_size_and_moment_as_the_index_is_seen(
    mine: Project, tmp_path: Path
) -> None:
    """Git looks into a file whose time is not before the index's: its copy must keep that."""
    write(mine.folder / "code.py", "uno\n")
    mine.git("add", "code.py")
    write(mine.folder / "code.py", "due\n")
    assert (cloned(mine.folder, tmp_path).project / "code.py").read_text() == "due\n"


def test_settings_that_git_does_not_know_come_along(mine: Project, tmp_path: Path) -> None:
    """DVC adds them to git's index for that; here the index stays."""
    mine.git("rm", "--quiet", "--cached", "params.yaml")
    mine.git("commit", "--quiet", "--message", "Forget the settings")
    clone = cloned(mine.folder, tmp_path)
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


def test_a_shallow_clone_has_its_changes(mine: Project, tmp_path: Path) -> None:
    mine.git("commit", "--quiet", "--allow-empty", "--message", "Second")
    address = f"file://{mine.folder}"
    mine.git("clone", "--quiet", "--depth", "1", address, str(tmp_path / "shallow"))
    shallow = Project(tmp_path / "shallow")
    write(shallow.folder / "new.py", "new\n")
    shallow.git("add", "new.py")
    clone = cloned(shallow.folder, tmp_path)
    assert (clone.project / "new.py").read_text() == "new\n"
    assert clone.shallow
    clone.git("fsck")


def test_conflicts_of_a_merge_are_one_clear_sentence(mine: Project, tmp_path: Path) -> None:
    mine.git("checkout", "--quiet", "-b", "side")
    for branch in ("side", "main"):
        mine.git("checkout", "--quiet", branch)
        write(mine.folder / "code.py", branch)
        mine.git("commit", "--quiet", "--all", "--message", branch)
    home = open_repository(mine.folder)
    assert not home.succeeds("merge", "side")
    with pytest.raises(CrivoError, match=r"merge has conflicts .*resolve them"):
        clone_of_workspace(home, tmp_path / "clone", home.commit("HEAD") or "")


def test_a_folder_that_is_no_dvc_project_is_one_clear_sentence(
    project: Project, tmp_path: Path
) -> None:
    project.commit({"a": "1"})
    home = open_repository(project.folder)
    with pytest.raises(CrivoError, match="is no DVC project; run this in"):
        clone_of_workspace(home, tmp_path / "clone", home.commit("HEAD") or "")


# --- what DVC keeps ---------------------------------------------------------------------------


def shared(folder: Path, place: Path, *, changed_data: bool = True) -> Path:
    clone = cloned(folder, place)
    before = state_of(folder)
    share_cache(open_repository(folder), clone, changed_data=changed_data)
    assert state_of(folder) == before
    return clone.project


def cached(project: Project) -> None:
    """Put the raw data into the cache."""
    write(project.folder / ".dvc/cache/files/md5" / HASH[:2] / HASH[2:], "1\n")


def test_local_settings_are_shared_with_full_paths(mine: Project, tmp_path: Path) -> None:
    settings = "[cache]\n    type = copy\n['remote \"mine\"']\n    url = ../../store\n"
    write(mine.folder / ".dvc/config.local", settings)
    text = (shared(mine.folder, tmp_path) / ".dvc/config.local").read_text()
    from dvc.config import Config

    config = Config(str(tmp_path / "clone/.dvc"))
    assert Path(config["remote"]["mine"]["url"]).resolve() == tmp_path / "store", text
    assert Path(config["cache"]["dir"]).resolve() == mine.folder / ".dvc/cache"
    assert config["cache"]["type"] == ["copy"]


def test_remotes_that_git_records_are_the_project_s(mine: Project, tmp_path: Path) -> None:
    write(mine.folder / ".dvc/config", "['remote \"ours\"']\n    url = ../../store\n")
    shared(mine.folder, tmp_path)
    from dvc.config import Config

    url = Config(str(tmp_path / "clone/.dvc"))["remote"]["ours"]["url"]
    assert Path(url).resolve() == tmp_path / "store"


@pytest.mark.parametrize("changed_data", [True, False])
def test_raw_data_that_the_cache_lacks_are_copied(
    mine: Project, tmp_path: Path, changed_data: bool
) -> None:
    project = shared(mine.folder, tmp_path, changed_data=changed_data)
    assert (project / "raw/x").read_text() == "1\n"


def test_raw_data_of_the_cache_are_not_copied(mine: Project, tmp_path: Path) -> None:
    cached(mine)
    assert not (shared(mine.folder, tmp_path) / "raw").exists()


def test_raw_data_that_were_changed_come_along_for_a_new_trial(
    mine: Project, tmp_path: Path
) -> None:
    cached(mine)
    write(mine.folder / "raw/x", "2\n")
    assert (shared(mine.folder, tmp_path) / "raw/x").read_text() == "2\n"


def test_raw_data_that_were_changed_are_nothing_to_a_past_experiment(
    mine: Project, tmp_path: Path
) -> None:
    cached(mine)
    write(mine.folder / "raw/x", "2\n")
    assert not (shared(mine.folder, tmp_path, changed_data=False) / "raw").exists()


# --- bringing an experiment home --------------------------------------------------------------


def commands(monkeypatch: pytest.MonkeyPatch, home: Project, *, during: str = "") -> list[str]:
    """Let DVC record an experiment at once; `during` is recorded in the project meanwhile."""
    seen: list[str] = []

    def run(command: list[str], folder: Path, environment: object) -> object:
        seen.extend(command)
        name = command[command.index("--name") + 1]
        if during:
            home.trial(during, {"a": "theirs"})
        record(folder, name)
        return sandbox.subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(sandbox, "show_dvc", run)
    return seen


def record(folder: Path, name: str) -> None:
    """Record the index of a clone as an experiment."""
    clone = open_repository(folder)
    head = clone.commit("HEAD") or ""
    commit = clone.git("commit-tree", clone.git("write-tree").strip(), "-p", head, "-m", "x")
    clone.git("update-ref", f"refs/exps/{head[:2]}/{head[2:]}/{name}", commit.strip())


def test_a_new_trial_is_recorded_on_the_commit_that_is_checked_out(
    mine: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = commands(monkeypatch, mine)
    write(mine.folder / "code.py", "two\n")
    home, before = open_repository(mine.folder), state_of(mine.folder)
    head = home.commit("HEAD") or ""
    with workspace_sandbox(home, head) as place:
        ref = place.run("slow", ["a=2"], "Slower", live_output=True)
        folder = place.folder
    assert seen == ["exp", "run", "--name", "slow", "--set-param", "a=2", "--message", "Slower"]
    assert mine.git("show", f"{ref}:code.py") == "two"
    assert mine.git("rev-parse", f"{ref}^") == head
    assert state_of(mine.folder) == before
    assert not folder.exists()


def test_a_name_that_was_taken_meanwhile_is_one_clear_sentence(
    mine: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands(monkeypatch, mine, during="slow")
    home = open_repository(mine.folder)
    with (
        workspace_sandbox(home, home.commit("HEAD") or "") as place,
        pytest.raises(CrivoError, match=r"Another experiment was recorded as slow .*--name"),
    ):
        place.run("slow", ["a=2"], live_output=True)
    assert mine.git("show", f"refs/exps/{place.base[:2]}/{place.base[2:]}/slow:a") == "theirs"


def test_a_failed_run_is_one_clear_sentence(mine: Project) -> None:
    home = open_repository(mine.folder)
    with (
        workspace_sandbox(home, home.commit("HEAD") or "") as place,
        pytest.raises(CrivoError, match="The trial slow failed; DVC says why above"),
    ):
        place.run("slow", ["no.such.key=2"], live_output=True)


def test_a_run_that_dvc_did_not_record_is_one_clear_sentence(
    mine: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DVC ends like that when the disk is full as it writes the experiment."""
    done = sandbox.subprocess.CompletedProcess([], 0, "", "")
    monkeypatch.setattr(sandbox, "show_dvc", lambda *_: done)
    home = open_repository(mine.folder)
    with (
        workspace_sandbox(home, home.commit("HEAD") or "") as place,
        pytest.raises(CrivoError, match="slow ran and DVC did not record it"),
    ):
        place.run("slow", ["a=2"], live_output=True)
