"""Notes and stars: git keeps them, two people's meet, and prune and the board can read them."""

from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.records.exchange import send_ledger
from crivo.records.history import read_history
from crivo.records.ledger import REMARK, Entry, add, entry
from crivo.records.noted import noted, remark, said_of
from crivo.repository.git import open_repository
from crivo.repository.git_remote import GitRemote
from tests.crivo.experiments.repository import Project


def test_a_note_of_nobody_is_refused(tried: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    tried.git("config", "--remove-section", "user")
    tried.git("config", "user.useConfigOnly", "true")
    with pytest.raises(CrivoError, match="git doesn't know who you are"):
        remark("slow", "note", "helps", tried.folder)


@pytest.mark.parametrize("text", ["", "  ", "x" * 2001])
def test_an_empty_or_endless_note_is_refused(tried: Project, text: str) -> None:
    with pytest.raises(CrivoError, match=r"expected 1 to 2,000"):
        remark("slow", "note", text, tried.folder)
    assert said_of("slow", tried.folder).notes == ()


def test_notes_of_two_clones_meet_without_a_conflict(tried: Project, tmp_path: Path) -> None:
    clone = Project(tmp_path / "clone")
    every = "refs/*:refs/*"
    tried.git("remote", "add", "origin", str(clone.folder))
    clone.git("fetch", "--quiet", "--update-head-ok", str(tried.folder), every)
    clone.git("config", "user.name", "Rui")
    clone.git("config", "user.email", "rui@example.org")
    remark("slow", "note", "hers", tried.folder)
    remark("slow", "note", "his", clone.folder)
    send_ledger(GitRemote(open_repository(tried.folder), "origin"))
    said = said_of("slow", clone.folder).notes
    assert {note.rpartition(",")[0] for note in said} == {"hers (Ana", "his (Rui"}
    remark("slow", "forget", "", folder=clone.folder)
    assert said_of("slow", clone.folder).notes == ()


def test_what_is_no_note_is_passed_over_and_a_moment_that_is_none_is_the_last(
    tried: Project,
) -> None:
    revision = tried.git("rev-parse", "HEAD")
    home = open_repository(tried.folder)
    for text in ("no JSON", "[", "[]", "{}", '{"kind": "shout"}', "[" * 100_000):
        add(home, Entry(1.0, REMARK, revision, text))
    said = {"kind": "note", "author": "Ana", "text": "from the future"}
    add(home, entry(REMARK, revision, said, 9e99))
    assert said_of("main", tried.folder).notes == ("from the future (Ana, 9999-12-31)",)


def test_a_star_outlives_the_experiment(tried: Project) -> None:
    remark("slow", "star", "", folder=tried.folder)
    ref = tried.git("for-each-ref", "--format=%(refname)", "refs/exps")
    revision = tried.git("rev-parse", ref)
    tried.git("update-ref", "-d", ref)
    tried.git("gc", "--quiet", "--prune=now")
    said = noted(read_history(tried.folder))
    assert {key for key, one in said.items() if one.starred} == {revision}
