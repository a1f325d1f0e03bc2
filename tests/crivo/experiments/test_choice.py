"""Choosing what is listed, and what it is compared with: a commit, a name or the incumbent."""

import json

import pytest

from crivo.comparison.choice import choose
from crivo.comparison.compare import compare
from crivo.comparison.incumbent import set_incumbent
from crivo.core.errors import CrivoError
from crivo.records.history import read_history
from tests.crivo.experiments.repository import (
    Project,
    evaluated,
    evaluation_files,
    settings,
    spread,
)
from tests.crivo.experiments.tried import MAIN, SLOW


def test_the_commit_that_is_checked_out_is_compared_with_the_one_before(project: Project) -> None:
    before = project.commit(evaluated(0.7))
    project.commit(evaluated(0.73), parent=before, message="Merge")
    choice = choose(read_history(project.folder), ["HEAD"])
    assert choice.reference.estimate("roc_auc").value == pytest.approx(0.7)
    assert choice.note.startswith("The reference is ")


def test_an_incumbent_of_other_rows_gives_way_to_the_first_name(project: Project) -> None:
    project.commit(evaluated(0.7))
    set_incumbent("main", project.folder)
    for name, rows in (("x", "r2"), ("y", "r2"), ("same", "r1")):
        project.trial(name, evaluated(0.7, rows=rows))
    history = read_history(project.folder)
    for names in (["x"], ["x", "same"]):
        assert choose(history, names).reference.name.startswith("main@")
    choice = choose(history, ["x", "y"])
    assert choice.reference.name == "x"
    assert choice.note.startswith("The incumbent, main@")
    assert choice.note.endswith(", was evaluated on other rows; the reference is x.")


def test_results_of_other_datasets_are_listed_only_when_they_are_named(project: Project) -> None:
    project.commit(evaluated(0.7, settings=settings(dataset="flights")))
    project.git("branch", "old")
    project.commit(evaluated(0.8, settings=settings(dataset="table")))
    history = read_history(project.folder)
    assert [one.name for one in choose(history, []).candidates] == ["main"]
    choice = choose(history, ["main", "old"])
    assert {one.name for one in choice.candidates} == {"main", "old"}
    assert choice.among == {one.predictions for one in choice.candidates}


def test_two_of_a_name_are_listed_with_the_commits_that_they_came_from(tried: Project) -> None:
    first = tried.head()
    second = tried.commit(evaluated(0.71), parent=first)
    tried.trial("slow", evaluated(0.73, settings=SLOW))
    tried.git("remote", "add", "origin", "elsewhere")
    found = compare(folder=tried.folder)
    assert [*found.table.index] == [f"slow@{second[:7]}", f"slow@{first[:7]}", "main"]
    said = f"If you fetched slow@{first[:7]}, slow@{second[:7]}, trials on these rows may be miss"
    assert any(note.startswith(said) for note in found.notes)


def test_where_nothing_is_there_to_compare_it_is_said_how_there_can_be(project: Project) -> None:
    first = project.commit(evaluated(0.7, split="test"))
    project.commit(evaluated(0.7, split="test"), parent=first)
    said = "There are no experiments to compare yet; `crivo try key=value` makes one."
    with pytest.raises(CrivoError, match=f"^{said}$"):
        compare(folder=project.folder)
    project.git("clone", "--quiet", "--depth=1", f"file://{project.folder}", "../shallow")
    more = "`crivo fetch` fetches those that were shared. This clone is shallow; `git fetch --unsha"
    with pytest.raises(CrivoError, match=f"^{said} {more}llow` fetches older commits.$"):
        compare(folder=project.folder.with_name("shallow"))


@pytest.mark.parametrize("named", [[], ["slow"]], ids=["all", "one trial"])
def test_a_reference_without_an_evaluation_is_one_clear_sentence(
    project: Project, named: list[str]
) -> None:
    project.commit({"README": "x"})
    project.trial("slow", evaluated(0.7))
    with pytest.raises(CrivoError, match="has no evaluation to compare with; name a reference"):
        choose(read_history(project.folder), named)


KEPT = ("metrics/evaluation/predictions.parquet", "data/prepared/schema.json", "models/model.skops",
        "data/prepared/valid.parquet", "data/prepared/test.parquet")  # fmt: skip


def test_a_clone_without_the_experiment_compares_with_its_file(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The file says all that is needed of it, and all trials known then are kept."""
    project.commit(MAIN)
    numbers = {"roc_auc": (0.72, 0.003), "log_loss": (0.42, 0.003), "baseline.roc_auc": (0.5, 0.0)}
    files = evaluation_files({name: spread(*own) for name, own in numbers.items()}, settings=SLOW)
    outs = [{"path": path, "md5": f"{place}"} for place, path in enumerate([*KEPT, "src/train.py"])]
    files["dvc.lock"] = json.dumps({"stages": {"evaluate": {"outs": outs}}})
    project.trial("slow", files)
    set_incumbent("slow", project.folder)
    assert len(project.git("for-each-ref", "refs/crivo/trials").splitlines()) == 1
    written = (project.folder / "metrics/incumbent.json").read_text()
    found = json.loads(written)
    assert (found["name"], found["hashes"]) == ("slow", dict(zip(KEPT, "01234", strict=True)))
    assert [*found["jackknife"]["metrics"]] == ["log_loss", "roc_auc"]
    assert "model_mb" not in found["about"]  # what isn't known is left out
    project.trial("later", evaluated(0.6))
    assert len(choose(read_history(project.folder), ["main"]).among) == 2
    folder = tmp_path_factory.mktemp("clone")
    project.git("clone", "--quiet", str(project.folder), str(folder))
    (folder / "metrics/incumbent.json").write_text(written)
    here = compare(["main"], folder=folder)
    row = here.table.loc["main"]
    told = here.reference, row["verdict"], row["changed"]
    assert told == ("slow", "worse", "learning_rate=0.1")
    assert row["difference"] == pytest.approx(-0.02)
