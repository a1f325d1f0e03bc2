"""One function evaluates any predictions, with what is known beside them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from blocks.evaluators.standard import Standard
from crivo.core.blocks import Context, Evaluation
from crivo.core.params import EvaluateSettings
from crivo.evaluation.evaluate import Result
from crivo.evaluation.incumbent import Incumbent
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.thresholds import OperatingPoint
from crivo.testing.fakes import example_context, example_predictions, example_rows, example_schema
from tests.crivo.evaluation.test_incumbent import ABOUT, made

PREDICTIONS, STANDARD = example_predictions(), Standard()


def evaluated(
    evaluator: Standard = STANDARD, predictions: pd.DataFrame = PREDICTIONS, **known: object
) -> Result:
    """Return the evaluation of made-up predictions of which so much is known."""
    context = example_context()
    usual = {"dataset": "orders", "model": "made up", "predicting": Predicting(example_schema())}
    measured, point = evaluator.evaluate(predictions, context), OperatingPoint()
    return Result(predictions, context, measured, point, vars(evaluator), **usual | known)


def incumbent_of(evaluation: Evaluation, rows: str) -> Incumbent:
    """Return an incumbent that is just as good as an evaluation, on the rows of a fingerprint."""
    about = ABOUT.model_copy(update={"rows": rows, "definition": evaluation.definition})
    return made(evaluation.metrics, evaluation.jackknife, about=about)


def test_the_verdict_is_against_the_incumbent_or_else_the_baseline() -> None:
    alone = evaluated()
    kept = incumbent_of(alone.evaluation, alone.about["rows"])
    for known, name in (({}, "prior"), ({"incumbent": kept}, "main")):
        assert evaluated(baseline="prior", **known).headline["verdict_against"] == name
    other = evaluated(incumbent=incumbent_of(alone.evaluation, "other rows"))
    assert other.warnings[-1].endswith("it was evaluated on other rows.")


def test_the_evaluation_carries_the_margin_of_its_evaluator() -> None:
    alone = evaluated()
    kept = alone.evaluation
    worse = replace(kept, metrics=kept.metrics - 0.2, jackknife=kept.jackknife - 0.2)
    known = {"incumbent": incumbent_of(worse, alone.about["rows"])}
    for margin, verdict in ((0.0, "better"), (0.5, "equivalent")):
        assert evaluated(Standard(margin=margin), **known).headline["verdict"] == verdict


class HalfEvaluator(Standard):
    """Measures every second row."""

    def evaluate(self, predictions: pd.DataFrame, context: Context) -> Evaluation:
        """Return the evaluation of some of the predictions."""
        return super().evaluate(predictions[::2], replace(context, baseline=None))


def test_what_explains_a_result_is_about_all_rows_whatever_an_evaluator_measures() -> None:
    result = evaluated(HalfEvaluator())
    assert result.about["n_rows"] == len(PREDICTIONS)


@pytest.mark.parametrize("block", [1, 2])
def test_blocks_that_are_too_short_for_the_single_days_are_warned_of(block: int) -> None:
    """Losses that are high in the first half of the days and low in the second."""
    rows = example_rows()
    count = len(rows)
    day = np.arange(count) * 40 // count
    predictions = PREDICTIONS.sort_values("id", ignore_index=True)
    right = np.where(predictions["target"] == True, 0.9, 0.1)  # noqa: E712
    score = np.where(day < 20, 0.5 + np.sin(day) / 50, right)
    predictions = predictions.assign(score=score, cluster=day // 2)
    hours = 24 * day + np.arange(count) % 24
    rows = rows.assign(when=pd.Timestamp("2024-01-01") + pd.to_timedelta(hours, unit="h"))
    ids = rows[example_schema().id].astype("str")
    rows["when"] = rows["when"].to_numpy()[ids.rank().astype(int).to_numpy() - 1]
    settings = EvaluateSettings(cluster="when", period="day", block=block)
    known = Predicting(example_schema(), settings)
    result = evaluated(predictions=predictions, predicting=known, rows=rows)
    (found,) = [text for text in result.warnings if text.startswith(f"Blocks of {block} are too")]
    assert found.endswith(f"The data suggest evaluate.block: {result.about['advised_block']}.")
    assert found in result.about["warnings"]
    assert result.about["advised_block"] == 10  # at least four blocks of 40 days must remain
