"""What became known later changes no verdict that was given; all clones say the same of a trial."""

from __future__ import annotations

from pathlib import Path

import pytest

from crivo.comparison.compare import compare
from crivo.comparison.result import Comparison
from crivo.records.history import keep_trials, read_history
from crivo.records.ledger import FILE, Ledger, Line, copy_of_own, read_ledger
from crivo.repository.git import open_repository
from crivo.repository.git_remote import SHARED, GitRemote
from tests.crivo.experiments.repository import (
    ONE_WAY,
    OTHER_WAY,
    Project,
    evaluation_files,
    settings,
    spread,
)

OPEN = settings(compare={})
REFS = "refs/exps/*:refs/exps/*"


def files(value: float, step: float, pattern: tuple[int, ...] = ONE_WAY) -> dict[str, str]:
    return evaluation_files({"roc_auc": spread(value, step, pattern)}, settings=OPEN)


def said(found: Comparison, name: str) -> tuple[object, ...]:
    row = found.table.loc[name]
    return tuple(row[["trial", "spent", "difference_low", "difference_high", "verdict"]])


@pytest.fixture
def pair(project: Project, tmp_path: Path) -> tuple[Project, Project]:
    """Give Ana's and Bob's clones of one project, in which both tried something."""
    project.commit(evaluation_files({"roc_auc": spread(0.70)}, settings=OPEN))
    project.git("init", "--quiet", "--bare", "--initial-branch=main", str(tmp_path / "hub.git"))
    project.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    project.git("push", "--quiet", "origin", "main:refs/heads/main")
    project.git("clone", "--quiet", str(tmp_path / "hub.git"), str(tmp_path / "bob"))
    bob = Project(tmp_path / "bob")
    bob.clock = project.clock + 5  # in turn
    for number in range(3):
        for one, step, pattern in ((project, 0.002, ONE_WAY), (bob, 0.003, OTHER_WAY)):
            name = f"{'ana' if one is project else 'bob'}-{number}"
            one.trial(name, files(0.71 + number / 1000, step + number / 1e4, pattern))
            keep_trials(read_history(one.folder))
    return project, bob


def share(one: Project, name: str) -> None:
    git = GitRemote(open_repository(one.folder), "origin")
    one.git("push", "--quiet", "origin", "refs/exps/*:refs/exps/*")
    git.send_trials()
    ref, blob = copy_of_own(git.repository)
    assert git.takes(f"+{blob}:{ref}"), name


def test_what_became_known_at_one_moment_keeps_its_order_in_other_clones() -> None:
    names = ["the commit's own", "first trial", "second trial"]
    lines = tuple(Line(5.0, revision, name) for revision, name in zip("cab", names, strict=True))
    for ledger in (Ledger(own=lines), Ledger(others={"ana": lines})):
        assert [ledger.place(name) for name in names] == [0, 1, 2]
    assert ledger.known_before(names[2]) == (names[0], names[1])


def test_what_is_fetched_changes_no_verdict_and_is_said_as_it_was(
    pair: tuple[Project, Project],
) -> None:
    before = {name: said(compare([name], folder=one.folder), name)
              for one, who in zip(pair, ("ana", "bob"), strict=True)
              for name in (f"{who}-{number}" for number in range(3))}  # fmt: skip
    assert [before[f"bob-{number}"][0] for number in range(3)] == [1, 2, 3]
    for one, name in zip(pair, ("ana", "bob"), strict=True):
        share(one, name)
    for one in pair:
        one.git("fetch", "--quiet", "origin", REFS, SHARED)
    for one in pair:
        found = compare(folder=one.folder)
        assert {name: said(found, name) for name in before} == before
        assert found.trials == 6
    _, bob = pair
    bob.trial("next", files(0.72, 0.001))
    keep_trials(read_history(bob.folder))
    assert said(compare(["next"], folder=bob.folder), "next")[0] == 7


def test_without_the_other_s_ledger_fetched_trials_come_last(pair: tuple[Project, Project]) -> None:
    ana, bob = pair
    before = said(compare(["ana-2"], folder=ana.folder), "ana-2")
    ana.git("fetch", "--quiet", str(bob.folder), REFS)
    found = compare(folder=ana.folder)
    assert said(found, "ana-2") == before
    assert sorted(said(found, f"bob-{number}")[0] for number in range(3)) == [4, 5, 6]


@pytest.mark.parametrize(
    "text", ["", "\n", "ledger x\nhalf a li", "ledger x\n1 2 3 4\nx y z\n\x00"]
)
def test_a_damaged_ledger_is_begun_anew(project: Project, text: str) -> None:
    project.commit(evaluation_files({"roc_auc": spread(0.70)}, settings=OPEN))
    project.trial("one", files(0.71, 0.002))
    (project.folder / ".git" / FILE).write_text(text)
    assert said(compare(["one"], folder=project.folder), "one")[0] == 1
    assert len(read_ledger(open_repository(project.folder)).own) == 2
