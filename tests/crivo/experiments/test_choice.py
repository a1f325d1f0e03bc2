"""Choosing what is listed, and what it is compared with: a commit, a name or the incumbent."""

import pytest

from crivo.comparison.choice import Filters, choose
from crivo.comparison.compare import compare
from crivo.comparison.incumbent import set_incumbent
from crivo.core.errors import CrivoError
from crivo.records.history import read_history
from tests.crivo.experiments.repository import Project, evaluated, settings


def test_the_commit_that_is_checked_out_is_compared_with_the_one_before(project: Project) -> None:
    before = project.commit(evaluated(0.7))
    project.commit(evaluated(0.73), parent=before, message="Merge")
    choice = choose(read_history(project.folder), ["HEAD"])
    assert choice.reference.estimate("roc_auc").value == pytest.approx(0.7)
    assert choice.note.startswith("The reference is ")


def test_an_incumbent_of_other_rows_gives_way_to_the_first_name(project: Project) -> None:
    project.commit(evaluated(0.7))
    set_incumbent("main", project.folder)
    for name in ("x", "y"):
        project.trial(name, evaluated(0.7, rows="r2"))
    choice = choose(read_history(project.folder), ["x", "y"])
    assert choice.reference.name == "x"
    assert choice.note.startswith("The incumbent, main@")
    assert choice.note.endswith(", was evaluated on other rows; the reference is x.")


def test_results_of_other_datasets_are_listed_only_when_they_are_named(project: Project) -> None:
    project.commit(evaluated(0.7, settings=settings(dataset="flights")))
    project.git("branch", "old")
    project.commit(evaluated(0.8, settings=settings(dataset="table")))
    history = read_history(project.folder)
    assert [one.name for one in choose(history, []).candidates] == ["main"]
    assert {one.name for one in choose(history, ["main", "old"]).candidates} == {"main", "old"}


@pytest.mark.parametrize(
    ("where", "selected"),
    [
        ("author=RU", {"slow"}),
        ("since=2023-11-14T22:15:20+00:00", {"slow"}),
        ("before=2023-11-14T22:14:20+00:00", {"main"}),
        ("since=90min", set()),
        ("learning_rate=0.05", {"slow"}),
    ],
)
def test_experiments_of_a_kind_are_selected(tried: Project, where: str, selected: set[str]) -> None:
    history = read_history(tried.folder)
    found = Filters([where]).select(history, history.records)
    assert {one.name for one in found} == selected


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


def test_what_is_no_whole_experiment_is_not_the_incumbent(tried: Project) -> None:
    part = evaluated(0.80, settings=settings(train__fraction=0.5))
    tried.trial("part", part, kind="part")
    with pytest.raises(CrivoError, match="name an experiment that was fitted on all of them"):
        set_incumbent("part", tried.folder)


def test_a_clone_without_the_experiment_compares_with_its_file(
    tried: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    set_incumbent("slow", tried.folder)
    folder = tmp_path_factory.mktemp("clone")
    tried.git("clone", "--quiet", str(tried.folder), str(folder))
    (folder / "metrics").mkdir(exist_ok=True)
    (folder / "metrics/incumbent.json").write_text(
        (tried.folder / "metrics/incumbent.json").read_text()
    )
    row = compare(["main"], folder=folder).table.loc["main"]
    assert row["verdict"] == "worse"
    assert row["difference"] == pytest.approx(-0.02)
    assert row["changed"] == "learning_rate=0.1"
