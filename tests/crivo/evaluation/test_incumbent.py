"""The verdict against the incumbent, as `evaluate` writes it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from crivo.core.artifacts import write_json
from crivo.core.blocks import Evaluation
from crivo.core.errors import CrivoError
from crivo.evaluation.incumbent import About, Incumbent, read_incumbent

CLUSTERS = pd.Index([str(number) for number in range(9)], name="cluster")
# Against 0.70 in every cluster: a jackknife standard error of 8/3 * 0.003 = 0.008.
STEPS = [0.003, 0.003, 0.003, 0.003, -0.003, -0.003, -0.003, -0.003, 0.0]
ABOUT = About(rows="r", definition="d", task="binary", split="valid", primary="roc_auc")


# What is read of the evaluation's own `evaluation.json`.
OWN = {"rows": "r", "clusters_in_order": False, "n_rows": 100, "losses": ""}


def evaluation(value: float = 0.72, definition: str = "d", name: str = "roc_auc") -> Evaluation:
    deleted = pd.DataFrame({name: [value + step for step in STEPS]}, index=CLUSTERS)
    metrics = pd.DataFrame({end: [value] for end in ("value", "low", "high")}, index=[name])
    return Evaluation(metrics, metrics, metrics, deleted, name, definition)


def incumbent(*among: str, value: float = 0.70, steps: Sequence[float] = (0,) * 9) -> Incumbent:
    deleted = pd.DataFrame({"roc_auc": [value + step for step in steps]}, CLUSTERS)
    return made(pd.DataFrame({"value": value}, ["roc_auc"]), deleted, *among)


def made(shown: pd.DataFrame, left: pd.DataFrame, *among: str, about: About = ABOUT) -> Incumbent:
    held = {"cluster": [*left.index], "metrics": left.to_dict("list")}
    return Incumbent(
        name="main",
        revision="abc",
        about=about,
        intervals=shown.to_dict("index"),
        jackknife=held,
        settings={"seed": 1},
        hashes={"model": "f00"},
        chosen_among=[*among] or ["a"],
    )


def test_the_verdict_is_that_of_the_difference_s_interval() -> None:
    found = incumbent().verdict(evaluation(), OWN)
    assert found["verdict"] == "better"
    assert found["verdict_against"] == "main"
    assert found["vs_incumbent"] == pytest.approx(0.02)
    # Student's t with 8 degrees of freedom: 2.306004.
    assert found["vs_incumbent_low"] == pytest.approx(0.02 - 2.306004 * 0.008, abs=1e-7)
    assert found["vs_incumbent_high"] == pytest.approx(0.02 + 2.306004 * 0.008, abs=1e-7)
    # As days, the first four lie above the mean and the next four below it: neighbours are alike.
    days = incumbent().verdict(evaluation(), OWN | {"clusters_in_order": True})
    assert days["vs_incumbent_low"] < 0 < 0.05 < days["vs_incumbent_high"]


def test_an_incumbent_that_was_chosen_by_its_result_takes_a_wider_interval() -> None:
    """Among two: (1 + √0.95) / 2 of t with 8 degrees of freedom is 2.74, and this T is 2.5."""
    chosen = incumbent("a", "b")
    found = chosen.verdict(evaluation(), OWN)
    assert found["verdict"] == "undecided"
    assert found["incumbent_chosen_among"] == 2
    assert found["vs_incumbent_high"] - 0.02 == pytest.approx(2.743 * 0.008, abs=1e-5)


def test_how_the_incumbent_was_chosen_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "incumbent.json"
    write_json(path, incumbent("a", "b").model_dump(exclude_unset=True))
    kept = read_incumbent(path)
    assert kept.how_chosen == "chosen from 2 models on these rows"
    assert incumbent().how_chosen == "chosen before other models were tried"
    assert kept.caution(evaluation(), "r") == ""


def test_the_same_predictions_are_identical_although_the_file_rounds(tmp_path: Path) -> None:
    third = 0.1 / 3 + 0.7
    write_json(
        tmp_path / "incumbent.json",
        incumbent(value=third, steps=STEPS).model_dump(exclude_unset=True),
    )
    kept = read_incumbent(tmp_path / "incumbent.json")
    assert kept.verdict(evaluation(third), OWN)["verdict"] == "identical"


ABSOLUTE = ("log_loss", "mae", "median_absolute_error", "absolute_error_p90")


@pytest.mark.parametrize("name", [*ABSOLUTE, "rmse", "r2"])
def test_a_few_rows_that_decide_widen_the_interval_towards_0(name: str) -> None:
    """Up to the limit of a count that is as skewed as their losses or squares (Garwood 1936)."""
    task = "binary" if name == "log_loss" else "regression"
    about = About(**ABOUT.model_dump(exclude_unset=True) | {"task": task, "losses": "0 0 0 0"})
    value = pd.DataFrame({"value": 0.72}, [name])
    kept = made(value, pd.DataFrame({name: 0.72}, CLUSTERS), about=about)
    sign = -1 if name == "r2" else 1
    known = OWN | {"losses": "0 0 1 3", "n_rows": 4}
    found = kept.verdict(evaluation(0.72 - sign * 0.02, name=name), known)
    changes = np.array([0.0, 0, 1, 3]) ** (1 if name in ABSOLUTE else 2)
    count = 4 / stats.skew(changes) ** 2
    reach = (stats.chi2.ppf(0.975, 2 * count + 2) / 2 - count) / np.sqrt(count)
    ends = [-0.02 - 2.306004 * 0.008, -0.02 + reach * 0.008]
    seen = [found["vs_incumbent_low"], found["vs_incumbent_high"]]
    assert seen[::sign] == pytest.approx([sign * end for end in ends], abs=1e-7)


@pytest.mark.parametrize(("losses", "word"), [("0.1 0.2", "identical"), ("0.1 0.3", "undecided")])
def test_a_perfect_model_is_identical_to_itself_alone(losses: str, word: str) -> None:
    metrics = pd.DataFrame({"value": [1.0], "low": [0.9], "high": [1.0]}, index=["roc_auc"])
    deleted = pd.DataFrame({"roc_auc": [1.0] * 9}, index=CLUSTERS)
    kept = made(metrics, deleted, about=ABOUT.model_copy(update={"losses": "0.1 0.2"}))
    own = Evaluation(metrics, metrics, metrics, deleted, "roc_auc", "d")
    assert kept.verdict(own, OWN | {"losses": losses})["verdict"] == word


@pytest.mark.parametrize(
    ("shown", "rows", "why"),
    [
        (evaluation(), "other", "it was evaluated on other rows."),
        (
            evaluation(definition="other"),
            "r",
            "its metrics were defined differently. Run it again and keep the new result with "
            "`crivo incumbent REV`.",
        ),
        (replace(evaluation(), primary="log_loss"), "r", "it has no log_loss."),
    ],
)
def test_without_a_verdict_the_reason_is_said(shown: Evaluation, rows: str, why: str) -> None:
    assert incumbent().verdict(shown, OWN | {"rows": rows}) == {}
    said = incumbent().caution(shown, rows)
    assert said == f"There is no comparison with the incumbent, main: {why}"


def test_what_was_written_is_read_again_also_where_values_are_missing(tmp_path: Path) -> None:
    metrics, nothing = pd.Index(["precision", "roc_auc"], name="metric"), float("nan")
    written = made(
        pd.DataFrame({"low": [nothing, 0.6], "se": nothing, "value": [0.5, 0.7]}, metrics),
        pd.DataFrame({"precision": nothing, "roc_auc": [0.7] * 9}, CLUSTERS),
    )
    write_json(tmp_path / "incumbent.json", written.model_dump(exclude_unset=True))
    read = read_incumbent(tmp_path / "incumbent.json")
    precision = read.intervals["precision"]
    assert np.isnan([precision.low, precision.se]).all()
    assert precision.value == 0.5
    assert np.isnan(read.jackknife.metrics["precision"]).all()
    assert read.jackknife.metrics["roc_auc"] == [0.7] * 9
    assert read.jackknife.cluster == written.jackknife.cluster
    assert (read.name, read.revision, read.about) == ("main", "abc", ABOUT)
    assert (read.settings, read.hashes) == ({"seed": 1}, {"model": "f00"})


def broken(**changed: object) -> dict[str, object]:
    return incumbent().model_dump(exclude_unset=True) | changed


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"name": "main"}, "revision: Field required"),
        ([1], "the whole: Input should be a valid dictionary or instance of Incumbent"),
        (
            broken(intervals={"roc_auc": {"value": 0.7, "low": "abc"}}),
            "intervals.roc_auc.low: Input should be a valid number",
        ),
        (
            broken(jackknife={"cluster": ["a", "b"], "metrics": {"roc_auc": [0.7]}}),
            "jackknife: Value error, each metric needs a number for each cluster",
        ),
        (broken(about={"task": "binary"}), "about.rows: Field required"),
        (
            broken(about=ABOUT.model_dump() | {"losses": "0.1 x"}),
            "about.losses: Value error, could not convert string to float: 'x'",
        ),
        (broken(hashes=["a"]), "hashes: Input should be a valid dictionary"),
    ],
)
def test_a_file_of_something_else_is_one_clear_sentence(
    values: Any, why: str, tmp_path: Path
) -> None:
    path = tmp_path / "incumbent.json"
    write_json(path, values)
    with pytest.raises(CrivoError) as error:
        read_incumbent(path)
    assert str(error.value) == (
        f"{path} is invalid ({why}); write it again with `crivo incumbent REV`, or empty it with "
        "`crivo incumbent --clear`."
    )
