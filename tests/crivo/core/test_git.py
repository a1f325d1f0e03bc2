"""Git that gives no answer is never taken for "that isn't there"."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.core.git import TRIAL_START, committed_text, git, trial_start
from crivo.repository.git import Repository, open_repository
from crivo.repository.running import dvc


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a committed file in a folder of it."""
    (tmp_path / "data/raw").mkdir(parents=True)
    (tmp_path / "data/raw/table.dvc").write_bytes(b"committed \xff\n")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Start"]):
        git(tmp_path, *command)
    return tmp_path


def test_a_committed_file_is_read_from_the_commit(repository: Path) -> None:
    path = repository / "data/raw/table.dvc"
    path.write_text("on the disk\n", encoding="utf-8")
    assert (
        committed_text(path)
        == "committed \ufffd\n"
        == git(repository, "show", ":data/raw/table.dvc")
    )
    path.unlink()
    path.parent.rmdir()
    assert committed_text(path) == "committed \ufffd\n"


def test_a_trial_knows_what_it_started_from_wherever_it_asks(repository: Path) -> None:
    git(repository, "config", TRIAL_START, "a1b2")
    assert trial_start(repository / "data/none/such") == "a1b2"


@pytest.mark.parametrize("name", ["*", ":(top)x", "-x", "none/such"])
def test_a_file_that_is_not_committed_is_none(repository: Path, name: str) -> None:
    assert committed_text(repository / "data/raw" / name) is None


def test_what_a_later_rule_takes_back_is_not_ignored(repository: Path) -> None:
    (repository / ".gitignore").write_text("*.csv\n!kept.csv\n")
    rules = open_repository(repository).ignored(["rows.csv", "kept.csv"])
    assert rules == {"rows.csv": ".gitignore:1"}


def test_a_dvc_command_that_fails_is_told_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match="`dvc status` failed: .*DVC repository"):
        dvc(tmp_path, "status")


def test_before_the_first_commit_nothing_is_committed(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    assert committed_text(tmp_path / "x") is None


@pytest.mark.parametrize("damaged", ["branch", "object"])
def test_what_is_damaged_is_not_taken_for_what_is_not_there(repository: Path, damaged: str) -> None:
    blob = git(repository, "rev-parse", "HEAD:data/raw/table.dvc").strip()
    branch = git(repository, "symbolic-ref", "HEAD").strip()
    file = (
        repository / ".git" / (branch if damaged == "branch" else f"objects/{blob[:2]}/{blob[2:]}")
    )
    file.chmod(0o644)
    file.write_bytes(b"")
    with pytest.raises(CrivoError, match="git can't read the repository of .* [(](?!it says noth)"):
        committed_text(repository / "data/raw/table.dvc")


READERS: dict[str, Callable[[Path], object]] = {
    "a committed file": lambda root: committed_text(root / "data/raw/table.dvc"),
    "a command": lambda root: git(root, "status"),
    "the checks' lists": lambda root: Repository(root).files(),
    "experiments": open_repository,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_repository_of_another_user_or_a_damaged_one_is_refused_with_gits_own_words(
    repository: Path, monkeypatch: pytest.MonkeyPatch, reader: Callable[[Path], object]
) -> None:
    with monkeypatch.context() as patched:
        patched.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        with pytest.raises(CrivoError, match="dubious ownership.*safe.directory"):
            reader(repository)
    (repository / ".git/HEAD").write_bytes(b"")
    with pytest.raises(CrivoError, match="git can't read the repository of .* [(]not a git repo"):
        reader(repository)
