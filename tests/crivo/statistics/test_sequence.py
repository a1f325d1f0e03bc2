"""Trials one after the other: what each may spend, and the level at which it is tested."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from crivo.statistics.max_t import critical_at
from crivo.statistics.sequence import ALPHA, Spending, Step, levels

OPEN, PLAN = Spending(), Spending(20)


def steps(columns: np.ndarray) -> list[Step]:
    return [Step(columns[:, [number]]) for number in range(columns.shape[1])]


def differences(clusters: int, trials: int, alike: float = 0.0, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    common = random.standard_normal((clusters, 1))
    own = random.standard_normal((clusters, trials))
    return sqrt(alike) * common + sqrt(1 - alike) * own


def test_an_open_sequence_spends_less_and_less_and_never_all() -> None:
    """1 - 1/√(1 + j) of 5 %: 0.2929, 0.4226, 0.5 for one, two and three trials."""
    spent = [OPEN.spent(j) / ALPHA for j in (1, 2, 3)]
    assert spent == pytest.approx([0.2929, 0.4226, 0.5], abs=5e-5)
    assert OPEN.level(3) == pytest.approx(OPEN.spent(3) - OPEN.spent(2))
    assert 0 < OPEN.left(10_000) < ALPHA / 90


def test_a_plan_is_spent_in_equal_parts_and_keeps_a_tenth_for_what_comes_beyond() -> None:
    assert [PLAN.level(j) for j in (1, 20)] == pytest.approx([0.00225, 0.00225])
    assert PLAN.left(20) == pytest.approx(0.005)
    assert PLAN.level(21) == pytest.approx(0.005 * (1 - 1 / sqrt(2)))
    assert PLAN.spent(10**9) <= ALPHA


@pytest.mark.parametrize("rule", [OPEN, PLAN])
def test_the_first_trial_is_a_single_test_at_what_it_may_spend(rule: Spending) -> None:
    (found,) = levels(steps(differences(12, 1)), rule)
    assert found == pytest.approx(rule.level(1), rel=0.01)
    assert critical_at(found, 11) == pytest.approx(stats.t.isf(found / 2, 11))


@pytest.mark.parametrize(("rule", "clusters"), [(OPEN, 8), (PLAN, 40)])
def test_what_a_trial_is_tested_at_depends_on_no_later_one(rule: Spending, clusters: int) -> None:
    every = steps(differences(clusters, 10, 0.5))
    found = levels(every, rule)
    for count in (1, 4, 9):
        assert levels(every[:count], rule) == found[:count]


def test_a_trial_like_the_first_is_tested_at_nearly_all_that_was_spent() -> None:
    """Two equal |T| exceed what the two may spend together as often as one does."""
    one = differences(30, 1)
    almost = one + 1e-4 * differences(30, 1, seed=1)
    first, second = levels(steps(np.column_stack([one, almost])), OPEN)
    assert second == pytest.approx(OPEN.spent(2), rel=0.05)
    assert first == pytest.approx(OPEN.level(1), rel=0.01)


def test_unlike_trials_are_tested_a_little_above_what_each_may_spend() -> None:
    """Šidák: of those in which none before was too great, level / (1 - spent) are."""
    found = levels(steps(differences(200, 6)), PLAN)
    bounds = [PLAN.level(j) / (1 - PLAN.spent(j - 1)) for j in range(1, 7)]
    assert found == pytest.approx(bounds, rel=0.1)


@pytest.mark.parametrize(("rule", "alike"), [(OPEN, 0.5), (Spending(6), 0.0)])
def test_equals_are_called_different_as_often_as_may_be_spent(rule: Spending, alike: float) -> None:
    """Of 10,000 sequences of six, tested at the levels of another draw of the same kind."""
    clusters, trials, worlds = 25, 6, 10_000
    shape = np.full((trials, trials), alike) + (1 - alike) * np.eye(trials)
    exact = np.linalg.cholesky(shape) @ np.linalg.qr(differences(clusters, trials + 1))[0][:, 1:].T
    exact = exact - exact.mean(axis=1, keepdims=True)
    found = levels(steps(exact.T), rule)
    random = np.random.default_rng(3)
    root = np.linalg.cholesky(np.corrcoef(exact))
    drawn = random.standard_normal((worlds, clusters, trials)) @ root.T
    values = np.abs(drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / sqrt(clusters)))
    reached = [critical_at(level, clusters - 1) for level in found]
    # Three Monte-Carlo errors are 0.0065.
    assert (values > reached).any(axis=1).mean() == pytest.approx(rule.spent(trials), abs=0.0065)


def test_a_step_with_several_differences_shares_what_it_may_spend() -> None:
    several = Step(differences(40, 4))
    (found,) = levels([several], OPEN)
    assert OPEN.level(1) / 4 <= found < 1.1 * (1 - (1 - OPEN.level(1)) ** (1 / 4))


def test_a_step_of_very_many_differences_is_tested_by_equal_parts() -> None:
    """Nothing is drawn for it, and later steps are what they are without it."""
    many, one = differences(12, 129), Step(differences(12, 1, seed=1))
    found = levels([Step(many, unknown=3), one], OPEN)
    assert found[0] == pytest.approx(OPEN.level(1) / 132)
    assert levels([Step(many[:, 1:])], OPEN)[0] > OPEN.level(1) / 128 * 1.001
    assert found[1] == levels([Step(None), one], OPEN)[1]


def test_a_step_that_is_not_known_spends_and_nothing_is_gained_from_it() -> None:
    known = Step(differences(40, 1))
    found = levels([Step(None), known], OPEN)
    assert found == pytest.approx([OPEN.level(1), OPEN.level(2)], rel=0.01)
    (part,) = levels([Step(differences(40, 1), unknown=3)], OPEN)
    assert part == pytest.approx(OPEN.level(1) / 4, rel=0.01)


def test_a_difference_without_any_and_one_with_a_gap_are_not_known() -> None:
    nothing, gap = np.zeros((12, 1)), np.full((12, 1), np.nan)
    assert levels([Step(nothing), Step(gap)], OPEN) == [OPEN.level(1), OPEN.level(2)]


def test_a_hundred_trials_with_few_clusters_have_levels() -> None:
    found = np.array(levels(steps(differences(8, 100)), OPEN))
    spent = np.array([OPEN.level(j) for j in range(1, 101)])
    assert (found >= spent).all()
    assert (found <= ALPHA).all()
