"""Results that deserve no belief are found."""

from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, root_mean_squared_error

from crivo.core.blocks import Context
from crivo.core.errors import CrivoError
from crivo.core.findings import Finding
from crivo.evaluation import result_checks
from crivo.evaluation.result_checks import RESULT_CHECKS, Results, check

# Of 400 rows in two halves, one of 200 stands above a fifth of the others: 1 - 40/40000.
SEPARATED = pd.DataFrame({"target": np.arange(400) >= 200})
SEPARATED["score"] = SEPARATED["target"].astype(float)
SEPARATED.loc[0, "score"] = 0.5
SEPARATED.loc[200:239, "score"] = 0.25


def evaluated(task: str, extreme: float) -> dict[str, Any]:
    """Return predictions that say so many times too much, and their metrics."""
    rng = np.random.default_rng(0)
    known, chance = rng.normal(size=2_000), rng.random(2_000)
    if task == "regression":
        target = known + rng.normal(size=2_000)
        table = pd.DataFrame({"target": target, "prediction": extreme * known})
        loss = root_mean_squared_error(target, table["prediction"])
        return {"predictions": table, "metrics": {"rmse": loss, "baseline_rmse": target.std()}}
    is_true = chance < 1 / (1 + np.exp(-known))
    score = 1 / (1 + np.exp(-extreme * known))
    frequent = is_true.mean()
    metrics = {
        "log_loss": log_loss(is_true, score),
        "baseline_log_loss": log_loss(is_true, np.full(2_000, frequent)),
    }
    if task == "binary":
        table = pd.DataFrame({"target": is_true, "prediction": score > 0.5, "score": score})
    else:
        target = np.where(is_true, "z", "a")
        scores = {"score_z": score, "score_b": 0.0, "score_a": 1 - score}
        table = pd.DataFrame({"target": target, "prediction": target, **scores})
    return {"predictions": table, "metrics": metrics}


def memorised(
    target: Any, said: Any, loss: float, learnt: float = 0.0, baseline: float = 1.0, **more: Any
) -> dict[str, Any]:
    """Return predicted numbers, their loss, that on training rows, and the baseline's of both."""
    return {
        "predictions": pd.DataFrame({"target": target, "prediction": said} | more),
        "metrics": {"rmse": loss, "baseline_rmse": baseline},
        "training": {"train_loss": learnt, "baseline_train_loss": baseline},
    }


# Half of what is said has errors of ±0.81, all of it of ±0.7735 more: √(0.81² + 0.7735²) = 1.12.
SIDE, OTHER = np.array([1, 1, -1, -1]), np.array([1, -1, 1, -1])
EXAMPLE = memorised(9 + 0.7735 * SIDE + 0.81 * OTHER, 9 + 1.547 * SIDE, 1.12, 0.07)


SHOWN = ["metric", "of", "verdict"]


def given(**results: Any) -> Results:
    """Return results of which only some matter."""
    rows = pd.DataFrame({"target": [1.0, 2.0], "prediction": [1.0, 2.0]})
    intervals = pd.DataFrame(columns=SHOWN)
    results = {"predictions": rows, "intervals": intervals, **results}
    names = [name for name in results["predictions"] if name.startswith("score")]
    context = Context("regression")
    if names == ["score"]:
        context = Context("binary", (False, True), True)
    elif names:
        context = Context("multiclass", tuple(name.removeprefix("score_") for name in names))
    elif results["predictions"]["prediction"].dtype == "str":
        context = Context("multiclass", ("a", "b"))
    return Results(context=context, **results)


def found(code: str, **results: Any) -> list[str]:
    """Return the subjects that a check finds in results."""
    reviewed = RESULT_CHECKS[code].review(given(**results))
    return [one.subject for one in reviewed if isinstance(one, Finding)]


def test_a_check_that_lacks_what_it_looks_at_says_so() -> None:
    rows = pd.DataFrame({"target": [1.0] * 60, "prediction": [1.0] * 60})
    none = pd.DataFrame({"metric": ["rmse"], "of": ["model"], "verdict": ["better"]})
    reviewed = RESULT_CHECKS.review(given(predictions=rows.head(1), intervals=none))
    reviewed += RESULT_CHECKS.review(given(predictions=rows, metrics={"rmse": 0.0}))
    reviewed += RESULT_CHECKS.review(given(is_baseline=True))
    labels = pd.DataFrame({"target": ["a"] * 60, "prediction": ["a"] * 60})
    reviewed += RESULT_CHECKS.review(given(predictions=labels))
    reasons = [(one.code, one.message) for one in reviewed if one.severity == "not applicable"]
    assert ("R001", "only one row was evaluated") in reasons
    assert ("R001", "the model is the baseline") in reasons
    assert ("R002", "there is no baseline for these predictions") in reasons
    assert ("R003", "a loss on training rows or evaluated rows isn't known") in reasons
    assert ("R005", "the target is the same on all evaluated rows") in reasons
    assert ("R005", "the predictions are labels without probabilities") in reasons


@pytest.mark.parametrize(
    ("code", "results"),
    [
        ("R001", {"predictions": pd.DataFrame({"prediction": [1, 1]})}),
        ("R002", {"intervals": pd.DataFrame([["log_loss", "difference", "worse"]], columns=SHOWN)}),
        ("R003", EXAMPLE),
        ("R005", {"predictions": SEPARATED}),
    ],
)
def test_what_is_said_is_what_the_page_of_checks_shows(code: str, results: dict[str, Any]) -> None:
    check = RESULT_CHECKS[code]
    (finding,) = check.findings(given(**results))
    assert f"{finding.subject}: {finding.message}" == check.example


# --- memorised training rows ------------------------------------------------------------------


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
@pytest.mark.parametrize(
    ("train_loss", "extreme", "doubtful"),
    [
        (0.1, 8.0, True),  # all known by heart, and far too much said of other rows
        (0.1, 1.0, False),  # a forest of deep trees: a gap that does no harm
        (9.0, 8.0, False),  # too much said of training rows as well: class weights, not memory
    ],
)
def test_training_far_better_is_a_warning_where_it_does_harm(
    task: str, train_loss: float, extreme: float, doubtful: bool
) -> None:
    training = {"train_loss": 100 * train_loss, "baseline_train_loss": 100.0}
    results = evaluated(task, extreme)
    assert found("R003", training=training, **results) == ["train_loss"] * doubtful


# Of w·30 the errors are 7 - 30 w and -5 + 30 w: the smallest are 1 at w = 0.2, the largest 23 and
# 25, √((23² + 25²) / 2) = 24.02. Of w·3 they are smallest at w = 1.
@pytest.mark.parametrize(("said", "doubtful"), [(3.0, False), (30.0, True)])
def test_numbers_are_drawn_in_by_the_best_amount(said: float, doubtful: bool) -> None:
    target, given_numbers = [7.0, -5.0], [said, -said]
    loss = root_mean_squared_error(target, given_numbers)
    results = memorised(target, given_numbers, loss, 0.2, baseline=6.0)
    words = "400 % on the evaluated rows, where it would be 17 % if"
    findings = RESULT_CHECKS["R003"].findings(given(**results))
    assert [words in one.message for one in findings] == [True] * doubtful


def test_rows_count_by_their_weights() -> None:
    """The row that was foretold counts nothing: by the others the model says too much."""
    results = memorised([9.0, 1, -1], [9.0, 9, -9], 8.0, weight=[1e-9, 1, 1])
    (finding,) = RESULT_CHECKS["R003"].findings(given(**results))
    # By steps of a twentieth.
    assert "800 % on the evaluated rows, where it would be 10 % if" in finding.message


def test_labels_without_scores_are_left_out() -> None:
    table = pd.DataFrame({"target": ["a", "b"], "prediction": ["a", "b"]})
    training = {"train_loss": 0.05, "baseline_train_loss": 0.5}
    metrics = {"accuracy": 0.55, "baseline_accuracy": 0.5}
    assert found("R003", predictions=table, training=training, metrics=metrics) == []


# --- almost perfect ---------------------------------------------------------------------------


def separated(wrong: int, rows: int = 400) -> pd.DataFrame:
    """Return scores that rank so many of the first half's rows above all of the second half's."""
    target = np.arange(rows) >= rows // 2
    score = np.where(target, 0.6, 0.4)
    score[:wrong] = 0.9
    return pd.DataFrame({"target": target, "prediction": score > 0.5, "score": score})


# Each row that stands above all others takes 1/200 of the area.
@pytest.mark.parametrize(("wrong", "doubtful"), [(0, True), (1, False), (40, False)])
def test_an_area_above_0995_is_a_warning(wrong: int, doubtful: bool) -> None:
    assert found("R005", predictions=separated(wrong)) == ["predictions"] * doubtful


def test_chance_on_few_rows_or_in_a_rare_class_is_no_warning() -> None:
    for rows, rare, doubtful in (
        (49, 24, False),
        (50, 25, True),
        (400, 19, False),
        (400, 20, True),
    ):
        table = separated(0, rows).iloc[rows // 2 - rare :]
        assert found("R005", predictions=table) == ["predictions"] * doubtful
    assert found("R005", predictions=separated(0), is_baseline=True) == []


@pytest.mark.parametrize(("wrong", "doubtful"), [(2, True), (12, False)])
def test_several_classes_count_by_their_sizes(wrong: int, doubtful: bool) -> None:
    target = np.repeat([*"abc"], [400, 20, 20])
    said = np.where(np.arange(440) < 440 - wrong, target, "b")
    scores = {f"score_{name}": np.where(said == name, 0.8, 0.1) for name in "abc"}
    table = pd.DataFrame({"target": target, "prediction": said, **scores})
    assert found("R005", predictions=table) == ["predictions"] * doubtful


# The variance of ±1 is 1: errors of ±0.031 leave R² at 0.99904, of ±0.032 at 0.99898.
@pytest.mark.parametrize(("error", "doubtful"), [(0.031, True), (0.032, False)])
def test_an_r2_above_0999_is_a_warning(error: float, doubtful: bool) -> None:
    target = np.tile([1.0, -1.0], 50)
    table = pd.DataFrame({"target": target, "prediction": target + error * np.sort(target)})
    results: dict[str, Any] = {"predictions": table, "metrics": {"rmse": error}}
    assert found("R005", **results) == ["predictions"] * doubtful


# --- a team's own checks ------------------------------------------------------------------------


def own_check() -> ModuleType:
    """Return a file of a team's with one check, which finds nothing."""
    made = ModuleType("blocks.checks.made")
    made.few = check("X001", "Few rows")(lambda results: iter(()))
    return made


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["fuond"], "names 'fuond', which isn't a check; did you mean"),
        (["found", "again"], "one @check of its own code"),
        (["empty"], "one @check of its own code"),
    ],
)
def test_names_without_a_check_of_their_own_are_refused(
    names: list[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"found": own_check(), "again": own_check(), "empty": ModuleType("empty")}
    monkeypatch.setattr(result_checks, "own_modules", lambda folder: known)
    with pytest.raises(CrivoError, match=words):
        result_checks.own_checks(names)
    assert [one.severity for one in result_checks.own_checks(["found"])] == ["warning"]


def test_a_code_of_another_form_is_refused() -> None:
    with pytest.raises(CrivoError, match="expected X and three digits"):
        check("R001", "Mine")
