"""Importances with their errors: what the clusters say, and which ranks are left open."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from sklearn.linear_model import LinearRegression

from crivo.evaluation.inspection import importance_table, leading, permutation_importance


def groups(*codes: int) -> pd.Categorical:
    return pd.Categorical.from_codes(codes, [str(n) for n in range(max(codes) + 1)])


def table(growth: np.ndarray, of: pd.Categorical, repeats: int = 1) -> pd.DataFrame:
    """Return the importances of features whose rows' losses grow from 1 by so much."""
    names = pd.Index([f"x{n}" for n in range(len(growth))])
    copies = np.vstack([np.ones(growth.shape[1]), *(1 + growth for growth in growth)])
    copies = np.vstack([copies[:1], np.repeat(copies[1:], repeats, axis=0)])
    return importance_table(names, copies, of, np.asarray).set_index("feature")


def test_the_error_is_the_jackknife_s_over_clusters() -> None:
    """Clusters' means 1, 2, 3 of two rows each: without one 2.5, 2 and 1.5; se² = 2/3 · 0.5."""
    growth = np.array([[1.0, 1, 1, 3, 3, 3]])
    found = table(growth, groups(0, 0, 1, 1, 2, 2)).loc["x0"]
    se = sqrt(2 / 3 * 0.5)
    assert found["loss_increase"] == 2
    assert found["se"] == pytest.approx(se)
    reach = t.ppf(0.975, 2) * se
    ends = found[["loss_increase_low", "loss_increase_high"]].tolist()
    assert ends == pytest.approx([2 - reach, 2 + reach])


def test_the_error_of_a_root_is_that_of_the_root() -> None:
    """Squared errors of 1 that become 4: the root grows by 1 whichever row is left out."""
    losses = np.array([[1.0] * 6, [4.0] * 6])
    found = importance_table(pd.Index(["x"]), losses, groups(0, 1, 2, 3, 4, 5), np.sqrt)
    assert found[["loss_increase", "se"]].iloc[0].tolist() == [1, 0]


def test_what_cannot_be_told_apart_shares_its_ranks() -> None:
    """Two like features far above a third: they may be first or second, it is the third."""
    random = np.random.default_rng(0)
    noise = random.normal(size=(3, 40)) * 0.1
    growth = np.array([[5.0], [5.001], [1.0]]) + noise
    found = table(growth, groups(*range(40)))
    assert found.loc["x2", ["rank_low", "rank_high"]].tolist() == [3, 3]
    for name in ("x0", "x1"):
        assert found.loc[name, ["rank_low", "rank_high"]].tolist() == [1, 2]
    words = leading(found.reset_index())
    assert words == (
        f"The most important feature is one of {found.index[0]}, {found.index[1]}; these rows "
        "can't tell which."
    )


def test_pairs_that_move_together_are_told_apart_by_their_difference() -> None:
    """Each alone is unsure, their difference isn't: what counts is the pair's own error."""
    random = np.random.default_rng(1)
    common, own = random.normal(size=40) * 10, random.normal(size=40) * 0.1
    found = table(np.array([common + 1, common + own]), groups(*range(40)))
    assert found["loss_increase_low"].max() < 0
    assert found[["rank_low", "rank_high"]].to_numpy().tolist() == [[1, 1], [2, 2]]


def test_the_one_that_leads_is_named_alone() -> None:
    noise = np.random.default_rng(2).normal(size=(2, 40)) * 0.01
    found = table(np.array([[2.0], [1.0]]) + noise, groups(*range(40)))
    assert leading(found.reset_index()) == "The most important feature is x0."


def test_clusters_widen_the_errors_of_a_model_s_importances() -> None:
    """A day whose rows are all alike counts as one row."""
    random = np.random.default_rng(3)
    day = np.repeat(np.arange(20), 30)
    signal = random.normal(size=20)[day]
    rows = pd.DataFrame({"signal": signal, "noise": random.normal(size=600)})
    target = pd.Series(signal + random.normal(size=600))
    model = LinearRegression().fit(rows, target)
    by_day, alone = (
        permutation_importance(model, rows, target, 1, each).set_index("feature")["se"]
        for each in (groups(*day), None)
    )
    assert by_day["signal"] > 1.5 * alone["signal"]
