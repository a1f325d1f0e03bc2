"""Counting the looks at the test rows."""

from crivo.records.history import read_history
from crivo.records.looks import looks_in, looks_sentence
from tests.crivo.experiments.repository import Project, evaluation_files, settings, spread

TEST = settings(evaluate__split="test")


def look(value: float) -> dict[str, str]:
    return evaluation_files({"roc_auc": spread(value)}, settings=TEST, split="test", rows="t")


VALID = evaluation_files({"roc_auc": spread(0.7)})


def test_each_experiment_on_test_rows_is_a_look(project: Project) -> None:
    project.commit(VALID)
    project.trial("one", look(0.7), author="Ana")
    project.trial("two", look(0.8), author="Rui")
    project.trial("valid", VALID)
    found = looks_in(read_history(project.folder))
    assert [(one.name, one.author) for one in found] == [("one", "Ana"), ("two", "Rui")]
    assert looks_sentence(found) == (
        "The test rows have been opened at least twice (by Ana 1, Rui 1)."
    )


def test_identical_predictions_are_one_look_in_words_and_a_lost_evaluation_counts(
    project: Project,
) -> None:
    project.commit(VALID)
    for name in ("one", "again"):
        project.trial(name, look(0.7), author="Ana")
    found = looks_in(read_history(project.folder))
    assert looks_sentence(found) == "The test rows have been opened at least once (by Ana)."
    project.trial("lost", {"params.yaml": look(0.7)["params.yaml"]})
    assert [one.name for one in looks_in(read_history(project.folder))] == ["one", "again", "lost"]


def test_a_commit_that_keeps_an_experiment_s_result_is_the_same_look(project: Project) -> None:
    first = project.commit(VALID)
    project.trial("one", look(0.7))
    project.commit({**look(0.7), "README": "x"}, parent=first)
    assert len(looks_in(read_history(project.folder))) == 1


def test_a_commit_s_own_look_counts_even_when_it_is_gone_from_the_tip(project: Project) -> None:
    first = project.commit(look(0.7), author="Eva")
    project.commit(VALID, parent=first)
    found = looks_in(read_history(project.folder))
    assert looks_sentence(found) == "The test rows have been opened at least once (by Eva)."
