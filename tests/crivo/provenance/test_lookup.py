"""Which commits and experiments hold a file, from git alone."""

import json
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.provenance.trace import exact_record, lookup, recorded_lock, trace
from crivo.records.history import read_history
from tests.crivo.experiments.repository import Project

MODEL, OTHER, RAW = "aaaaaa11", "aaaaaa22", "bbbbbb33"


def files(model: str, **more: str) -> dict[str, str]:
    """Return a commit's files: its lock says that `train` made this model."""
    stage = {
        "deps": [{"path": "data/raw/table", "md5": RAW}],
        "outs": [{"path": "models/model.skops", "md5": model}],
    }
    last = {"deps": [{"path": "src/evaluate.py", "md5": "dddddd44"}], "outs": []}
    return {"dvc.lock": json.dumps({"stages": {"train": stage, "evaluate": last}}), **more}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Give a branch whose third commit has another model, and an experiment with the first."""
    project = Project(tmp_path / "project")
    first = project.commit({"README.md": ""})
    second = project.commit(files(MODEL), parent=first)
    project.trial("again", files(MODEL, note="x"), parent=second)
    third = project.commit(files(MODEL, note="y"), parent=second)
    project.commit(files(OTHER), parent=third)
    project.git("reset", "--quiet", "--hard")
    return project


def names(project: Project, digest: str, path: str | None = None) -> list[str]:
    history = read_history(project.folder)
    return [one.record.name for one in lookup(history, digest, path)]


def test_the_oldest_holder_comes_first_each_once(project: Project) -> None:
    revision = project.git("for-each-ref", "--format=%(objectname)", "refs/exps")
    project.git("branch", "kept", revision)
    second = project.git("rev-parse", "--short=7", "main~2")
    # The third commit left dvc.lock as it was, so it isn't listed.
    assert names(project, MODEL) == names(project, MODEL[:7]) == [second, "again"]
    assert names(project, OTHER) == ["main"]
    assert names(project, "cccccc") == names(project, MODEL, "models/baseline.skops") == []
    found = lookup(read_history(project.folder), RAW)  # it was only read
    assert {(one.made, one.stage) for one in found} == {(False, "train")}
    both = r"aaaaaa11 \(models/model.skops\), aaaaaa22 \(models/model.skops\)"
    with pytest.raises(CrivoError, match=f"2 hashes begin with aaaaaa: {both}; give more digits"):
        names(project, "aaaaaa")
    (project.folder / ".dvc").mkdir()
    again = trace(MODEL, project.folder)
    assert (again.source.name, again.role, again.current) == (second, "made by train", False)
    assert ([one.name for one in again.also], again.code) == (["again"], {})
    assert again.data == {"data/raw/table": RAW}
    assert again.commands[1] == f"git checkout {second} && dvc checkout && dvc repro --force train"
    assert trace("again", project.folder).commands[1] == "dvc exp apply again && dvc repro --force"
    assert trace(RAW[:6], project.folder).role == "read by train"
    with pytest.raises(CrivoError, match="There is no experiment, branch, tag or commit 'bbbbb'"):
        trace(RAW[:5], project.folder)


def test_a_commit_is_not_exchanged_for_an_older_one_and_needs_results(project: Project) -> None:
    history = read_history(project.folder)
    record = exact_record(history, "main~1")
    assert record.origin.revision == project.git("rev-parse", "main~1")
    with pytest.raises(CrivoError, match="main~3 can't be traced: it was recorded without dvc"):
        recorded_lock(exact_record(history, "main~3"))


def test_what_began_without_results_changed_everything(project: Project) -> None:
    """The first commit of a project has a `dvc.lock` without stages."""
    (project.folder / ".dvc").mkdir()
    project.commit(files(OTHER))
    assert trace(OTHER[:7], project.folder).source == trace("main", project.folder).source
    found = trace("main", project.folder)
    assert (found.changed, found.role, found.also, found.current) == ((), "", (), True)
    assert found.code == {"src/evaluate.py": "dddddd44"}
    begun = project.commit({"dvc.lock": "schema: '2.0'\nstages: {}\n"})
    first = project.commit(files(MODEL), parent=begun)
    assert trace("main", project.folder).changed == (f"everything: {begun[:7]} records no results",)
    project.commit(files(OTHER, **{"params.yaml": "{seed: 1}"}), parent=first)
    said = f"unknown: params.yaml of {first[:7]} or main can't be read"
    assert trace("main", project.folder).changed == (said,)
