"""Broken evaluators: each breaks a promise, and the contract suite says which."""

from dataclasses import replace

import numpy as np
import pytest

from crivo.core.blocks import Evaluator, block
from crivo.testing import ContractError, FakeEvaluator, check_evaluator

SOUND = FakeEvaluator()


@block
class NumbersOnly(Evaluator):
    """Gives a dictionary."""

    def evaluate(self, predictions, context):
        return {"accuracy": 0.5}


@block
class NoIntervals(Evaluator):
    """Leaves the intervals out."""

    def evaluate(self, predictions, context):
        result = SOUND.evaluate(predictions, context)
        return replace(result, metrics=result.metrics[["value"]])


@block
class Unnamed(Evaluator):
    """Has no definition."""

    def evaluate(self, predictions, context):
        return replace(SOUND.evaluate(predictions, context), definition="")


@block
class OtherPrimary(Evaluator):
    """Its primary metric is not measured."""

    def evaluate(self, predictions, context):
        return replace(SOUND.evaluate(predictions, context), primary="profit")


@block
class Misplaced(Evaluator):
    """Its intervals lie above their values."""

    def evaluate(self, predictions, context):
        result = SOUND.evaluate(predictions, context)
        return replace(result, metrics=result.metrics.assign(low=2.0, high=3.0))


@block
class OwnVerdict(Evaluator):
    """Has a verdict of its own."""

    def evaluate(self, predictions, context):
        result = SOUND.evaluate(predictions, context)
        return replace(result, against_baseline=result.against_baseline.assign(verdict="great"))


@block
class TooSure(Evaluator):
    """Halves the standard errors."""

    def evaluate(self, predictions, context):
        result = SOUND.evaluate(predictions, context)
        return replace(result, metrics=result.metrics.assign(se=result.metrics["se"] / 2))


@block
class Restless(Evaluator):
    """Adds noise."""

    def evaluate(self, predictions, context):
        result = SOUND.evaluate(predictions, context)
        noise = np.random.default_rng().normal() / 1e6
        return replace(result, metrics=result.metrics.assign(value=lambda t: t["value"] + noise))


@block
class Reweighting(Evaluator):
    """Changes the weights that it was given."""

    def evaluate(self, predictions, context):
        result = SOUND.evaluate(predictions, context)
        predictions["weight"] = 2.0
        return result


@block
class FirstHalf(Evaluator):
    """Looks at the first rows only."""

    def evaluate(self, predictions, context):
        baseline = context.baseline
        if baseline is not None:
            context = replace(context, baseline=baseline.head(100))
        return SOUND.evaluate(predictions.head(100), context)


@block
class ScoresOnly(Evaluator):
    """Can't do without scores."""

    def evaluate(self, predictions, context):
        assert predictions["score"].notna().all()
        return SOUND.evaluate(predictions, context)


@block
class BaselineOnly(Evaluator):
    """Can't do without a baseline."""

    def evaluate(self, predictions, context):
        if context.baseline is None:
            raise ValueError("no baseline")
        return SOUND.evaluate(predictions, context)


@block
class Sliced(Evaluator):
    """Counts only rows of the first slice."""

    def evaluate(self, predictions, context):
        if "slice_odd" in predictions:
            chosen = predictions["slice_odd"] == 0
            context = replace(context, baseline=context.baseline[chosen])
            predictions = predictions[chosen]
        return SOUND.evaluate(predictions, context)


@block
class NeverEqual(Evaluator):
    """Knows no draw."""

    def evaluate(self, predictions, context):
        result = SOUND.evaluate(predictions, context)
        return replace(result, against_baseline=result.against_baseline.assign(verdict="better"))


@block
class UpsideDown(Evaluator):
    """Takes more for worse."""

    def evaluate(self, predictions, context):
        result = SOUND.evaluate(predictions, context)
        verdicts = result.against_baseline["verdict"].replace({"better": "worse"})
        return replace(result, against_baseline=result.against_baseline.assign(verdict=verdicts))


BROKEN = [
    (NumbersOnly, "gives_every_table", "it returned a dict"),
    (NoIntervals, "gives_every_table", "its table metrics lacks the column se, low, high"),
    (Unnamed, "gives_every_table", "its definition is empty"),
    (OtherPrimary, "names_its_primary_metric", "'profit' is primary and not among the metrics"),
    (Misplaced, "intervals_hold_their_values", "the interval of accuracy leaves its value out"),
    (OwnVerdict, "intervals_hold_their_values", "it gives the verdict {'great'}"),
    (TooSure, "jackknife_explains_the_errors", "the standard error of accuracy is"),
    (Restless, "same_input_same_result", "a second time metrics differs"),
    (Reweighting, "leaves_its_inputs_alone", "evaluate changed the table it was given"),
    (FirstHalf, "rows_may_come_in_any_order", "gave other metrics"),
    (ScoresOnly, "takes_labels_alone", "KeyError: 'score'"),
    (BaselineOnly, "works_without_a_baseline", "no baseline"),
    (Sliced, "slices_change_no_metric", "with a column slice_odd the metrics differ"),
    (NeverEqual, "equals_are_identical", "and is called 'better'"),
    (UpsideDown, "the_truth_is_not_worse", "is the direction of accuracy right?"),
]


@pytest.mark.parametrize(("evaluator", "check", "sentence"), BROKEN)
def test_the_suite_says_what_a_broken_evaluator_does_wrong(
    evaluator: type, check: str, sentence: str
) -> None:
    with pytest.raises(ContractError) as error:
        check_evaluator(evaluator(), tasks=["binary"])
    findings = {breach.check: str(breach) for breach in error.value.breaches}
    assert check in findings, str(error.value)
    assert sentence in findings[check]
