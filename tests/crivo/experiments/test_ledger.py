"""What became known later changes no verdict that was given; all clones say the same of a trial."""

from __future__ import annotations

import json
import math
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from crivo.comparison.compare import compare
from crivo.comparison.pruning import undo_pruning
from crivo.comparison.result import ComparisonResult
from crivo.comparison.selection import workspace_selection
from crivo.records.exchange import fetch_shared, send_ledger, tell_shared
from crivo.records.history import keep_trials, read_history
from crivo.records.ledger import KNOWN, Ledger, entry, read_ledger
from crivo.records.noted import noted
from crivo.records.searches import searches
from crivo.repository.git import Repository, open_repository
from crivo.repository.git_remote import GitRemote
from tests.crivo.experiments.repository import ONE_WAY, OTHER_WAY, Project, evaluated, settings

OPEN = settings(compare={})


def files(value: float, step: float, pattern: tuple[int, ...] = ONE_WAY) -> dict[str, str]:
    return evaluated(value, step, pattern, settings=OPEN)


def said(found: ComparisonResult, name: str) -> tuple[object, ...]:
    row = found.table.loc[name]
    return tuple(row[["trial", "spent", "difference_low", "difference_high", "verdict"]])


def clone_of(one: Project, name: str) -> Project:
    """Give a clone of what is on the remote; it records in turn with the first."""
    place = one.folder.with_name(name)
    one.git("clone", "--quiet", one.git("remote", "get-url", "origin").strip(), str(place))
    clone = Project(place)
    clone.clock = one.clock + 5
    return clone


@pytest.fixture
def pair(project: Project, tmp_path: Path) -> tuple[Project, Project]:
    """Give Ana's and Bob's clones of one project, in which both tried something."""
    project.commit(evaluated(0.70, settings=OPEN))
    project.git("init", "--quiet", "--bare", "--initial-branch=main", str(tmp_path / "hub.git"))
    project.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    project.git("push", "--quiet", "origin", "main:refs/heads/main")
    bob = clone_of(project, "bob")
    for number in range(3):
        for one, step, pattern in ((project, 0.002, ONE_WAY), (bob, 0.003, OTHER_WAY)):
            name = f"{'ana' if one is project else 'bob'}-{number}"
            one.trial(name, files(0.71 + number / 1000, step + number / 1e4, pattern))
            keep_trials(read_history(one.folder))
    return project, bob


def share(one: Project) -> None:
    git = GitRemote(open_repository(one.folder), "origin")
    one.git("push", "--quiet", "origin", "refs/exps/*:refs/exps/*")
    git.send_trials()
    send_ledger(git)


def test_what_became_known_at_one_moment_keeps_its_order_in_other_clones() -> None:
    names = ["the commit's own", "first trial", "second trial"]
    lines = tuple(entry(KNOWN, one, name, 5) for one, name in zip("cab", names, strict=True))
    for ledger in (Ledger(own=lines), Ledger(others={"ana": lines})):
        assert [ledger.place(name) for name in names] == [0, 1, 2]
    assert ledger.known_before(names[2]) == (names[0], names[1])
    # Both knew it at once: it was known here.
    assert Ledger(own=lines, others={"ana": lines}).known_before(names[2]) is None


def test_what_is_fetched_is_said_once_and_counts(pair: tuple[Project, Project]) -> None:
    for one in pair:
        share(one)
    for one in pair:
        (sentence,) = fetch_shared(open_repository(one.folder))
        assert "3 experiments" in sentence
        assert "the number of trials is 3 higher from now on" in sentence
        assert fetch_shared(open_repository(one.folder)) == []
        assert compare(folder=one.folder).trials == 6
    _, bob = pair
    bob.trial("next", files(0.72, 0.001))
    keep_trials(read_history(bob.folder))
    assert said(compare(["next"], folder=bob.folder), "next")[0] == 7


def test_what_is_fetched_changes_no_gate_that_was_given(pair: tuple[Project, Project]) -> None:
    ana, bob = pair
    ana.commit(files(0.712, 0.0022), parent=ana.head())
    ana.git("reset", "--quiet", "--hard")
    gates = []
    for _ in range(2):
        found = workspace_selection(ana.folder)
        assert found
        gates.append((found.among, found.metric("roc_auc")))
        share(bob)
        fetch_shared(open_repository(ana.folder))
    assert gates[0] == gates[1]
    assert gates[0][0] == 4


FORMER = {
    "notes/{0}/a1": {"seconds": 5.0, "kind": "star", "author": "Ana", "text": ""},
    "notes/{0}/b2": {"seconds": 6.0, "kind": "note", "author": "Ana", "text": "in July"},
    "costs/{0}": 12.5,
    f"costs/{'c' * 40}": -1.0,
    f"costs/{'d' * 40}": math.inf,
    f"times/{'a' * 32}": {"fit": 3.0, "predict": 0.1},
    "searches/night": {
        "name": "night", "sampler": "grid", "seed": 1, "window": 1,
        "space": {"seed": "1,2"}, "against": None, "wanted": 2,
        "trials": [{"number": 0, "values": {}, "state": "done", "revision": "{0}"}],
    },
    "notes/{0}/broken": "half",
}  # fmt: skip


def test_what_earlier_versions_kept_elsewhere_is_moved_once_and_a_kill_loses_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.commit(evaluated(0.70, settings=OPEN))
    one = project.trial("one", files(0.71, 0.002))
    gone = project.trial("gone", files(0.72, 0.002, OTHER_WAY))
    keep_trials(read_history(project.folder))
    for name, value in FORMER.items():
        text = json.dumps(value).replace("{0}", one)
        blob = project.git("hash-object", "-w", "--stdin", given=text)
        project.git("update-ref", f"refs/crivo/{name.format(one)}", blob)
    ref = project.git("for-each-ref", "--format=%(refname)", "refs/exps/**/gone")
    stamp = "20240501T120000000000"
    (project.folder / ".git/crivo-removals").write_text(f"{stamp} {gone} {ref}\nearly\n")
    project.git("update-ref", "-d", ref)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Repository, "update_references", killed)
        with pytest.raises(KeyboardInterrupt):
            read_history(project.folder)
    for _ in range(2):
        history = read_history(project.folder)
        said = noted(history)[one]
        assert said.starred
        assert said.notes == ("in July (Ana, 1970-01-01)",)
        assert history.ledger.seconds == {one: 12.5}
        assert history.ledger.times == {"a" * 32: {"fit": 3.0, "predict": 0.1}}
        (search,) = searches(history.ledger).values()
        assert (search.key, search.trials[0].revision) == ("night", one)
        assert compare(folder=project.folder).trials == 2
    assert len(set(history.ledger.own)) == len(history.ledger.own)
    moments = {"remark": {5, 6}, "cost": {0}, "times": {0}, "search": {0}, "tried": {0}}
    moments["removed"] = {datetime(2024, 5, 1, 12, tzinfo=UTC).timestamp()}
    found: dict[str, set[float]] = {}
    for line in history.ledger.own:
        found.setdefault(line.kind, set()).add(line.seconds)
    assert len(found.pop("known")) == 1
    assert found == moments
    left = project.git("for-each-ref", "--format=%(refname)", "refs/crivo")
    assert {name.split("/")[2] for name in left.split()} == {"trials"}
    assert undo_pruning(folder=project.folder).restored == ("gone",)


def test_a_remote_that_can_not_be_told_of_a_trial_is_named(
    pair: tuple[Project, Project], caplog: pytest.LogCaptureFixture
) -> None:
    repository = open_repository(pair[0].folder)
    tell_shared(repository)  # nothing was shared, so nobody waits for it
    share(pair[0])
    pair[0].folder.with_name("hub.git").rename(pair[0].folder.with_name("gone.git"))
    tell_shared(repository)
    (said,) = caplog.messages
    assert said.startswith("Others don't know of this yet; `crivo share` tells them. ")
    assert "origin" in said


def test_a_damaged_ledger_is_begun_anew(project: Project) -> None:
    project.commit(evaluated(0.70, settings=OPEN))
    project.trial("one", files(0.71, 0.002))
    for text in (b"", b"\n", b"ledger x\nhalf a li", b"ledger x\n1 2 3 4\nx y z\n\xff\x00"):
        (project.folder / ".git/crivo-ledger").write_bytes(text)
        assert said(compare(["one"], folder=project.folder), "one")[0] == 1
        assert len(read_ledger(open_repository(project.folder)).own) == 2


def ledgers(pair: tuple[Project, Project]) -> set[str]:
    """Return the ledgers that the remote has."""
    said = pair[0].git("ls-remote", "origin", "refs/crivo/ledger/*")
    return {line.split("/")[-1] for line in said.splitlines()}


def test_a_copied_clone_takes_a_new_name_and_no_line_is_lost(
    pair: tuple[Project, Project], tmp_path: Path
) -> None:
    ana, bob = pair
    share(ana)
    shutil.copytree(ana.folder, tmp_path / "copy")
    copy = Project(tmp_path / "copy")
    for number, one in enumerate((copy, ana)):
        one.trial(f"next-{number}", files(0.72, 0.001 + number / 1e4))
        keep_trials(read_history(one.folder))
        share(one)
        share(one)
    assert len(ledgers(pair)) == 2
    before = {name: said(compare([name], folder=one.folder), name)
              for name, one in (("next-0", copy), ("next-1", ana))}  # fmt: skip
    fetch_shared(open_repository(bob.folder))
    assert {name: said(compare([name], folder=bob.folder), name) for name in before} == before


def test_two_worktrees_have_one_ledger(pair: tuple[Project, Project], tmp_path: Path) -> None:
    ana, _ = pair
    ana.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "beside"))
    beside = Project(tmp_path / "beside")
    for one in (ana, beside):
        share(one)
    assert len(ledgers(pair)) == 1
    for name in ("ana-0", "ana-2"):
        assert said(compare([name], folder=beside.folder), name) == (
            said(compare([name], folder=ana.folder), name)
        )


def test_a_shallow_clone_counts_what_was_shared(
    pair: tuple[Project, Project], tmp_path: Path
) -> None:
    ana, _ = pair
    share(ana)
    hub = ana.git("remote", "get-url", "origin").strip()
    ana.git("clone", "--quiet", "--depth", "1", f"file://{hub}", str(tmp_path / "shallow"))
    shallow = Project(tmp_path / "shallow")
    fetch_shared(open_repository(shallow.folder))
    here = said(compare(["ana-1"], folder=ana.folder), "ana-1")
    assert said(compare(["ana-1"], folder=shallow.folder), "ana-1") == here
    shallow.trial("deep", files(0.72, 0.001))
    keep_trials(read_history(shallow.folder))
    share(shallow)
    fetch_shared(open_repository(ana.folder))
    assert compare(folder=ana.folder).trials == 4


def test_a_remote_out_of_reach_is_a_warning_and_another_of_the_same_name_stays(
    pair: tuple[Project, Project], caplog: pytest.LogCaptureFixture
) -> None:
    ana, bob = pair
    share(ana)
    bob.trial("ana-0", files(0.74, 0.001))
    own = bob.git("for-each-ref", "refs/exps/**/ana-0")
    (sentence,) = fetch_shared(open_repository(bob.folder))
    assert "other experiments with your names (ana-0)" in sentence
    assert bob.git("for-each-ref", "refs/exps/**/ana-0") == own
    bob.git("remote", "set-url", "origin", "../gone.git")
    assert fetch_shared(open_repository(bob.folder)) == []
    assert "gone.git" in caplog.text
