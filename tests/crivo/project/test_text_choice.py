"""A table that is mostly text gets a model that weighs words and keeps up with scikit-learn."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crivo.core.params import read_yaml
from crivo.project.choices import Request
from crivo.project.start import Plan, make_plan

PARAMS = read_yaml(Path(__file__).parents[3] / "params.yaml")
GOOD = "lovely warm clever honest funny moving bright tender crisp wise bold fresh"
BAD = "dull cold clumsy false tedious flat grim shallow stale loud slow messy"
PLAIN = [f"{a}{b}" for a in ("ba", "do", "fi", "gu", "ke", "lo", "mi", "no") for b in "aeiou"] + [
    f"{a}{b}n" for a in ("pa", "re", "si", "to", "vu", "za") for b in ("la", "me", "ri", "so", "tu")
]


def reviews(count: int) -> pd.DataFrame:
    """Return reviews of thirty words in which praise and complaint decide, more or less."""
    rng = np.random.default_rng(0)
    mood = rng.normal(size=count)
    texts = []
    for each in mood:
        kinds = rng.random(30) < 0.3
        praise = rng.random(30) < 1 / (1 + np.exp(-each))
        words = np.where(praise, rng.choice(GOOD.split(), 30), rng.choice(BAD.split(), 30))
        texts.append(" ".join(np.where(kinds, words, rng.choice(PLAIN, 30))))
    liked = np.where(mood + rng.normal(size=count) > 0, "yes", "no")
    return pd.DataFrame({"review": texts, "year": rng.integers(2010, 2020, count), "liked": liked})


def plan_for(folder: Path, table: pd.DataFrame) -> Plan:
    table.to_csv(folder / "rows.csv", index=False)
    return make_plan(folder, Request("liked"), PARAMS)


@pytest.mark.usefixtures("no_comparison")
def test_reviews_are_weighed_by_their_words(tmp_path: Path) -> None:
    plan = plan_for(tmp_path, reviews(100))
    chosen = {key: plan.settings[key] for key in ("model", "featurizer")}
    assert chosen == {"model": "linear", "featurizer": "tabular"}
    assert plan.settings["featurizers.tabular.keep_text"] is True
    assert plan.settings["models.linear.text"] == "words"
    (line,) = [line for line in plan.changes if "keep_text" in line]
    assert line.endswith(
        "(review: 30 words per row and 1 other feature: weighting each word works best)"
    )


@pytest.mark.usefixtures("no_comparison")
@pytest.mark.parametrize(("length", "pieces"), [(14, "words"), (16, "characters")])
def test_a_script_without_spaces_is_weighed_by_pieces(
    tmp_path: Path, length: int, pieces: str
) -> None:
    rng = np.random.default_rng(0)
    signs = [chr(0x4E00 + i) for i in range(300)]
    texts = [" ".join("".join(rng.choice(signs, length)) for _ in range(6)) for _ in range(100)]
    plan = plan_for(tmp_path, reviews(100).assign(review=texts))
    assert (plan.settings["model"], plan.settings["models.linear.text"]) == ("linear", pieces)


@pytest.mark.usefixtures("no_comparison")
def test_text_beside_many_features_stays_numbers_and_the_other_way_is_told(tmp_path: Path) -> None:
    numbers = {f"n{i}": np.random.default_rng(i).normal(size=100) for i in range(8)}
    plan = plan_for(tmp_path, reviews(100).assign(**numbers))
    assert plan.settings["featurizers.tabular.keep_text"] is False
    (line,) = [line for line in plan.found if line.startswith("words")]
    assert "`crivo try model=linear featurizers.tabular.keep_text=true`" in line
