"""Reading git through its plumbing."""

import os
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.repository.git import open_repository
from tests.crivo.experiments.repository import Project


def test_a_folder_outside_git_is_one_clear_sentence(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match="is in no git repository; experiments live in git"):
        open_repository(tmp_path)


def test_a_repository_without_commits_is_one_clear_sentence(project: Project) -> None:
    with pytest.raises(CrivoError, match="has no commit yet, so there is nothing to compare"):
        open_repository(project.folder)


def test_a_machine_without_git_is_one_clear_sentence(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CrivoError, match="git is not installed"):
        open_repository(project.folder)


def test_files_of_many_commits_are_read_at_once(project: Project) -> None:
    first = project.commit({"a": "one", "b": "with\nlines\n"})
    second = project.commit({"a": "two"}, parent=first)
    found = open_repository(project.folder).blobs([(first, "a"), (first, "b"), (second, "b")])
    assert {key: blob.content for key, blob in found.items()} == {
        (first, "a"): b"one",
        (first, "b"): b"with\nlines\n",
    }


def test_a_project_may_lie_below_the_repository_s_top(project: Project) -> None:
    commit = project.commit({"below/a": "one"})
    (project.folder / "below").mkdir()
    repository = open_repository(project.folder / "below")
    assert repository.blobs([(commit, "a")])[commit, "a"].content == b"one"


def test_what_git_complains_about_is_passed_on(project: Project) -> None:
    project.commit({"a": "one"})
    with pytest.raises(CrivoError, match=r"`git log nothing` failed: .*nothing"):
        open_repository(project.folder).git("log", "nothing")


def test_a_name_that_looks_like_an_option_is_no_commit(project: Project) -> None:
    project.commit({"a": "one"})
    assert open_repository(project.folder).commit("--all") is None


def test_reading_does_not_write_the_index(project: Project) -> None:
    """A stop would leave its lock behind. Git notes the times of files whose bytes it compared."""
    project.commit({"a": "one"})
    project.git("reset", "--quiet", "--hard")
    path, index = project.folder / "a", project.folder / ".git/index"
    os.utime(path, (1, 1))
    before = index.read_bytes()
    repository = open_repository(project.folder)
    assert repository.files_changed_since("HEAD", ["a"]) == []
    assert repository.git("status", "--porcelain") == ""
    assert index.read_bytes() == before
