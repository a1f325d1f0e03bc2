"""What may be spent on trials on the same rows, and what they have used."""

import pytest

from crivo.core.errors import CrivoError
from crivo.records.history import keep_trials, read_history
from crivo.repository.kept import keep_seconds, kept_seconds
from crivo.trials.budget import Budget, keep_cost, parse_budget, used_so_far, usual_seconds
from tests.crivo.experiments.repository import Project, about
from tests.crivo.experiments.tried import MAIN, OTHER


@pytest.mark.parametrize(
    ("texts", "budget"),
    [
        ([], Budget()),
        (["20"], Budget(trials=20)),
        (["90min"], Budget(minutes=90)),
        (["20", "1.5h"], Budget(20, 90)),
    ],
)
def test_a_number_is_of_trials_and_a_unit_makes_it_a_time(texts: list[str], budget: Budget) -> None:
    assert parse_budget(texts) == budget


@pytest.mark.parametrize("text", ["", "many", "1.5", "-3", "0", "3d", "nan"])
def test_another_budget_is_one_clear_sentence(text: str) -> None:
    with pytest.raises(CrivoError, match=r"--budget is .*; expected a number of trials such as"):
        parse_budget([text])


def test_the_trials_on_the_same_rows_are_counted(tried: Project) -> None:
    tried.trial("other", OTHER)
    tried.trial("elsewhere", {**OTHER, **about(OTHER, rows="r6", sample=["x"])})
    assert used_so_far(read_history(tried.folder)).trials == 2


def test_a_removed_trial_has_used_its_part(tried: Project) -> None:
    keep_trials(read_history(tried.folder))
    tried.git("update-ref", "-d", tried.git("for-each-ref", "--format=%(refname)", "refs/exps"))
    assert used_so_far(read_history(tried.folder)).trials == 1


def test_minutes_are_those_of_the_trials_on_the_same_rows(tried: Project) -> None:
    tried.trial("elsewhere", {**OTHER, **about(OTHER, rows="r6")})
    history = read_history(tried.folder)
    keep_cost(history, "slow", 90)
    keep_cost(history, "elsewhere", 600)
    keep_cost(history, "never recorded", 600)
    assert used_so_far(read_history(tried.folder)).minutes == pytest.approx(1.5)


def test_before_the_first_trial_nothing_is_used(project: Project) -> None:
    project.commit(MAIN)
    assert used_so_far(read_history(project.folder)) == (0, 0)


def test_the_next_trial_takes_as_long_as_the_last_ones(tried: Project) -> None:
    assert usual_seconds(read_history(tried.folder), "boosting") is None
    for name, seconds in (("a", 10), ("b", 12), ("c", 90)):
        tried.trial(name, OTHER)
        keep_cost(read_history(tried.folder), name, seconds)
    assert usual_seconds(read_history(tried.folder), "boosting") == 12
    assert usual_seconds(read_history(tried.folder), "linear") is None
    assert usual_seconds(read_history(tried.folder), "boosting", last=1) == 90


def test_a_cost_that_is_no_number_is_passed_over(project: Project) -> None:
    project.commit(MAIN)
    repository = read_history(project.folder).repository
    keep_seconds(repository, "a" * 40, 1.5)
    blob = repository.write_blob("soon\n")
    project.git("update-ref", f"refs/crivo/costs/{'b' * 40}", blob)
    tree = project.git("rev-parse", "HEAD^{tree}")
    project.git("update-ref", f"refs/crivo/costs/{'c' * 40}", tree)
    assert kept_seconds(repository) == {"a" * 40: 1.5}
