"""Broken evaluators and predictors: each breaks a promise, and the contract suite says which."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from tests.crivo.testing.broken.classes import of, require_found

from crivo import testing
from crivo.core.blocks import Evaluator, block
from crivo.core.errors import CrivoError
from crivo.evaluation.metrics import metrics_of

# --- evaluators -------------------------------------------------------------------------------

SOUND = testing.FakeEvaluator()


def evaluator(evaluate):
    def own_evaluate(self, predictions, context):
        return evaluate(predictions, context)

    return block(of(Evaluator, evaluate=own_evaluate))()


def giving(**changes):
    """Return an evaluator that changes parts of its result, each by a function of the part."""

    def evaluate(predictions, context):
        result = SOUND.evaluate(predictions, context)
        return replace(result, **{part: to(getattr(result, part)) for part, to in changes.items()})

    return evaluator(evaluate)


def reweighting(predictions, context):
    result = SOUND.evaluate(predictions, context)
    predictions["weight"] = 2.0
    return result


def first_half(predictions, context):
    baseline = context.baseline
    context = replace(context, baseline=None if baseline is None else baseline.head(100))
    return SOUND.evaluate(predictions.head(100), context)


def needing_scores(predictions, context):
    assert predictions["score"].notna().all()
    return SOUND.evaluate(predictions, context)


def noise(table):
    return table.assign(value=table["value"] + np.random.default_rng().normal() / 1e6)


@pytest.mark.parametrize(
    ("broken", "check", "sentence"),
    [
        (evaluator(lambda *given: {"a": 0.5}), "gives_every_table", "it returned a dict"),
        (
            giving(metrics=lambda table: table[["value"]]),
            "gives_every_table",
            "its table metrics lacks se, low, high",
        ),
        (giving(definition=lambda _: ""), "gives_every_table", "its definition is empty"),
        (
            giving(primary=lambda _: "profit"),
            "names_its_primary_metric",
            "'profit' is primary and not among the metrics",
        ),
        (
            giving(metrics=lambda table: table.assign(low=2.0, high=3.0)),
            "intervals_hold_their_values",
            "the interval of accuracy doesn't contain its value",
        ),
        (
            giving(against_baseline=lambda table: table.assign(verdict="great")),
            "intervals_hold_their_values",
            "it gives the verdict {'great'}",
        ),
        (
            giving(metrics=lambda table: table.assign(se=table["se"] / 2)),
            "jackknife_explains_the_errors",
            "the standard error of accuracy is",
        ),
        (giving(metrics=noise), "same_input_same_result", "`metrics` differs the second time"),
        (evaluator(reweighting), "leaves_its_inputs_alone", "evaluate changed the table"),
        (
            evaluator(first_half),
            "metrics_depend_on_the_predictions_alone",
            "rows in the opposite order gave other metrics",
        ),
        (evaluator(needing_scores), "takes_labels_alone", "KeyError: 'score'"),
        (
            giving(against_baseline=lambda table: table.replace({"better": "worse"})),
            "the_truth_is_not_worse",
            "is the direction of accuracy right?",
        ),
    ],
)
def test_the_suite_says_what_a_broken_evaluator_does_wrong(
    broken: Evaluator, check: str, sentence: str
) -> None:
    require_found(lambda: testing.check_evaluator(broken, tasks=["binary"]), check, sentence)


# --- metrics ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("compute", "check", "sentence"),
    [
        (lambda rows: rows.mean(rows.target) + 1, "lies_in_its_bounds", "its bounds are 0 and 1"),
        (lambda rows: rows.target.mean(), "honours_weights", "with rows of weight 0"),
        (lambda rows: rows.mean(rows.target), None, None),
    ],
)
def test_the_suite_says_what_a_broken_metric_does_wrong(monkeypatch, compute, check, sentence):
    made = replace(metrics_of("binary")["accuracy"], compute=compute)
    monkeypatch.setattr(testing.results, "metrics_of", {"binary": {"own": made}}.get)
    monkeypatch.setattr(testing.results, "TASKS", ("binary",))
    if check is None:
        testing.check_metric("own")
        return
    require_found(lambda: testing.check_metric("own"), check, sentence)
    with pytest.raises(CrivoError, match="There is no metric 'owl'"):
        testing.check_metric("owl")


# --- predictors -------------------------------------------------------------------------------


def predicting(change=lambda answer: answer, given=lambda rows: None):
    """Return a predictor that changes its answers, and tables of rows before it answers them."""

    def predict(self, rows):
        changed = given(rows) if isinstance(rows, pd.DataFrame) else None
        return change(testing.FakePredictor.predict(self, rows if changed is None else changed))

    return of(testing.FakePredictor, predict=predict)


def tidying(self, rows):
    answer = testing.FakePredictor.predict(self, rows)
    if isinstance(rows, pd.DataFrame):
        rows["amount"] = 0.0
    return answer


def ranking(self, rows):
    prediction, scores = testing.FakePredictor.estimate(self, rows)
    rank = pd.Series(scores[:, 1]).rank(pct=True).to_numpy()
    return prediction, np.column_stack([1 - rank, rank])


def numbers(rows):
    rows = rows.reindex(columns=testing.FakePredictor().columns)
    return rows.assign(amount=pd.to_numeric(rows["amount"], errors="coerce"))


lenient = predicting(given=numbers)


def overwriting(found):
    found.predictions["score"] = 0.5
    return [("a subject", "A sentence.")]


@pytest.mark.parametrize(
    ("search", "check", "sentence"),
    [
        (lambda found: [("a subject", " ")], "finds_pairs_of_texts", "give a subject and a sent"),
        (lambda found: ["a sentence"], "finds_pairs_of_texts", "it gave 'a sentence'"),
        (overwriting, "changes_nothing", "searching changed the table it was given (score"),
    ],
)
def test_the_suite_says_what_a_broken_check_of_results_does_wrong(
    monkeypatch: pytest.MonkeyPatch, search: object, check: str, sentence: str
) -> None:
    made = SimpleNamespace(search=search)
    monkeypatch.setattr(testing.results, "own_checks", lambda names: [made])
    require_found(lambda: testing.check_check("mine"), check, sentence)
    made.search = lambda found: [("a subject", "A sentence.")] if found.rows is not None else []
    testing.check_check("mine")


@pytest.mark.parametrize(
    ("broken", "check", "sentence"),
    [
        (
            predicting(lambda answer: answer.reset_index(drop=True)),
            "answers_in_the_rows_index",
            "the index changed",
        ),
        (
            of(testing.FakePredictor, estimate=ranking),
            "one_row_or_many_are_equal",
            "row 1 alone got a different answer",
        ),
        (
            predicting(lambda one: one.assign(score=np.random.default_rng().random(len(one)))),
            "same_rows_same_answers",
            "the answers differ the second time",
        ),
        (
            predicting(lambda answer: answer.assign(score=100 * answer["score"])),
            "answers_are_valid",
            "a score is not between 0 and 1",
        ),
        (predicting(lambda one: one.assign(prediction="yes")), "answers_are_valid", "{'yes'}"),
        (of(testing.FakePredictor, predict=tidying), "leaves_its_rows_alone", "predict changed"),
        (lenient, "names_a_missing_column", "rows without the column amount got an answer"),
    ],
)
def test_the_suite_says_what_a_broken_predictor_does_wrong(
    broken: type, check: str, sentence: str
) -> None:
    require_found(lambda: testing.check_predictor(broken(threshold=0.3)), check, sentence)
