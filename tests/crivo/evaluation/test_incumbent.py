"""The verdict against the incumbent, as `evaluate` writes it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crivo.core.artifacts import write_json
from crivo.core.blocks import Evaluation
from crivo.core.errors import CrivoError
from crivo.evaluation.incumbent import About, Incumbent, read_incumbent

CLUSTERS = pd.Index([str(number) for number in range(9)], name="cluster")
# Against 0.70 in every cluster: a jackknife standard error of 8/3 * 0.003 = 0.008.
STEPS = [0.003, 0.003, 0.003, 0.003, -0.003, -0.003, -0.003, -0.003, 0.0]
ABOUT = About(rows="r", definition="d", task="binary", split="valid", primary="roc_auc")


def evaluation(value: float = 0.72, definition: str = "d") -> Evaluation:
    deleted = pd.DataFrame({"roc_auc": [value + step for step in STEPS]}, index=CLUSTERS)
    metrics = pd.DataFrame({end: [value] for end in ("value", "low", "high")}, index=["roc_auc"])
    return Evaluation(metrics, metrics, metrics, deleted, "roc_auc", definition)


def incumbent(
    value: float = 0.70, steps: list[float] | None = None, among: tuple[str, ...] = ()
) -> Incumbent:
    deleted = [value + step for step in steps or [0.0] * 9]
    return made(
        pd.DataFrame({"value": [value]}, index=pd.Index(["roc_auc"], name="metric")),
        pd.DataFrame({"roc_auc": deleted}, index=CLUSTERS),
        *among,
    )


def made(
    intervals: pd.DataFrame, jackknife: pd.DataFrame, *among: str, about: About = ABOUT
) -> Incumbent:
    held = {"cluster": [*jackknife.index], "metrics": jackknife.to_dict("list")}
    return Incumbent(
        name="main",
        revision="abc",
        about=about,
        intervals=intervals.to_dict("index"),
        jackknife=held,
        settings={"seed": 1},
        hashes={"model": "f00"},
        chosen_among=[*among] or ["a"],
    )


def test_the_verdict_is_that_of_the_difference_s_interval() -> None:
    found = incumbent().verdict(evaluation(), {"rows": "r"})
    assert found["verdict"] == "better"
    assert found["verdict_against"] == "main"
    assert found["vs_incumbent"] == pytest.approx(0.02)
    # Student's t with 8 degrees of freedom: 2.306004.
    assert found["vs_incumbent_low"] == pytest.approx(0.02 - 2.306004 * 0.008, abs=1e-7)
    assert found["vs_incumbent_high"] == pytest.approx(0.02 + 2.306004 * 0.008, abs=1e-7)
    # As days, the first four lie above the mean and the next four below it: neighbours are alike.
    days = incumbent().verdict(evaluation(), {"rows": "r", "clusters_in_order": True})
    assert days["vs_incumbent_low"] < 0 < 0.05 < days["vs_incumbent_high"]


def test_an_incumbent_that_was_chosen_by_its_result_takes_a_wider_interval() -> None:
    """Among two: (1 + √0.95) / 2 of t with 8 degrees of freedom is 2.74, and this T is 2.5."""
    chosen = incumbent(among=("a", "b"))
    found = chosen.verdict(evaluation(), {"rows": "r"})
    assert found["verdict"] == "undecided"
    assert found["incumbent_chosen_among"] == 2
    assert found["vs_incumbent_high"] - 0.02 == pytest.approx(2.743 * 0.008, abs=1e-5)


def test_how_the_incumbent_was_chosen_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "incumbent.json"
    write_json(path, incumbent(among=("a", "b")).model_dump(exclude_unset=True))
    kept = read_incumbent(path)
    assert kept.how_chosen == "chosen from 2 models on these rows"
    assert incumbent().how_chosen == "named before others were tried"
    assert kept.caution(evaluation(), "r") == ""


def test_the_same_predictions_are_identical_although_the_file_rounds(tmp_path: Path) -> None:
    third = 0.1 / 3 + 0.7
    write_json(tmp_path / "incumbent.json", incumbent(third, STEPS).model_dump(exclude_unset=True))
    kept = read_incumbent(tmp_path / "incumbent.json")
    assert kept.verdict(evaluation(third), {"rows": "r"})["verdict"] == "identical"


@pytest.mark.parametrize(("losses", "word"), [("0.1 0.2", "identical"), ("0.1 0.3", "undecided")])
def test_a_perfect_model_is_identical_to_itself_alone(losses: str, word: str) -> None:
    metrics = pd.DataFrame({"value": [1.0], "low": [0.9], "high": [1.0]}, index=["roc_auc"])
    deleted = pd.DataFrame({"roc_auc": [1.0] * 9}, index=CLUSTERS)
    kept = made(metrics, deleted, about=ABOUT.model_copy(update={"losses": "0.1 0.2"}))
    own = Evaluation(metrics, metrics, metrics, deleted, "roc_auc", "d")
    assert kept.verdict(own, {"rows": "r", "losses": losses})["verdict"] == word


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
    assert incumbent().verdict(shown, {"rows": rows}) == {}
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
        (broken(hashes=["a"]), "hashes: Input should be a valid dictionary"),
    ],
)
def test_a_file_that_holds_something_else_is_one_clear_sentence(
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
