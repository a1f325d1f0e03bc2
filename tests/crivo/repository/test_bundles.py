"""Commits as one file: several may be written from one repository at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crivo.repository.bundles import read_bundle, write_bundle
from crivo.repository.git import Repository
from tests.crivo.experiments.repository import Project


def test_what_is_written_meanwhile_is_no_part_of_a_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, receiver = Project(tmp_path / "here"), Project(tmp_path / "there")
    commits = {name: project.commit({"file": name}) for name in ("first", "second")}
    home, there = Repository(project.folder), Repository(receiver.folder)
    plain, begun = Repository.git, []

    def git(self: Repository, *arguments: str, **named: Any) -> str:
        if arguments[:2] == ("bundle", "create") and not begun:
            begun.append(True)
            write_bundle(home, tmp_path / "second", commits["second"])
        return plain(self, *arguments, **named)

    monkeypatch.setattr(Repository, "git", git)
    write_bundle(home, tmp_path / "first", commits["first"])
    for name, commit in commits.items():
        read_bundle(there, tmp_path / name, f"refs/exps/{name}")
        assert there.commit(f"refs/exps/{name}") == commit
    assert home.lines("for-each-ref", "refs/crivo") == []
