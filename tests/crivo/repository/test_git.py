"""Reading git through its plumbing."""

import os
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.repository.git import open_repository
from tests.crivo.experiments.repository import Project


def test_what_holds_no_experiments_is_one_clear_sentence(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CrivoError, match="isn't in a git repository, so crivo can't know"):
        open_repository(tmp_path)
    folder = project.folder.rename(tmp_path / "a\u2028b")
    with pytest.raises(CrivoError, match="has no commit yet, so there is nothing to compare"):
        open_repository(folder)
    with pytest.raises(CrivoError, match=r"a\\nb. has a line break"):
        open_repository(folder.rename(tmp_path / "a\nb"))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CrivoError, match="git can't be run"):
        open_repository(tmp_path)


def test_files_of_many_commits_are_read_at_once(project: Project) -> None:
    first = project.commit({"a": "one", "b": "with\nlines\n"})
    second = project.commit({"a": "two", "below/a": "three"}, parent=first)
    found = open_repository(project.folder).blobs([(first, "a"), (first, "b"), (second, "b")])
    assert {key: blob.content for key, blob in found.items()} == {
        (first, "a"): b"one",
        (first, "b"): b"with\nlines\n",
    }
    (project.folder / "below").mkdir()  # a project may lie below the repository's top
    below = open_repository(project.folder / "below").blobs([(second, "a")])
    assert below[second, "a"].content == b"three"


def test_what_git_does_not_know_is_passed_on(project: Project) -> None:
    project.commit({"a": "one"})
    repository = open_repository(project.folder)
    with pytest.raises(CrivoError, match=r"`git log nothing` failed: .*nothing"):
        repository.git("log", "nothing")
    assert repository.commit("--all") is None  # a name that looks like an option
    assert repository.commit("\udcff") is None  # a byte of an argument that isn't UTF-8


def test_reading_does_not_write_the_index(project: Project) -> None:
    """A stop would leave its lock behind. Git notes the times of files whose bytes it compared."""
    project.commit({"a": "one"})
    project.git("reset", "--quiet", "--hard")
    path, index = project.folder / "a", project.folder / ".git/index"
    os.utime(path, (1, 1))
    before = index.read_bytes()
    repository = open_repository(project.folder)
    assert (repository.files_changed_since("HEAD", ["a"]), repository.diff("HEAD")) == ([], "")
    assert repository.git("status", "--porcelain") == ""
    assert index.read_bytes() == before
