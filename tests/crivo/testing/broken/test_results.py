"""Broken evaluators and predictors: each breaks a promise, and the contract suite says which."""

from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from tests.crivo.testing.broken.classes import of, require_said

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


def unknown_without_scores(predictions, context):
    result = SOUND.evaluate(predictions, context)
    if "score" in predictions:
        return result
    return replace(result, metrics=result.metrics.assign(value=np.nan))


def noise(table):
    return table.assign(value=table["value"] + np.random.default_rng().uniform(1e-13, 1e-12))


NUMBERS = count()
EVALUATORS = {
    "no evaluation": evaluator(lambda *given: {"a": 0.5}),
    "no interval": giving(metrics=lambda table: table[["value"]]),
    "no verdict": giving(against_baseline=lambda table: table.drop(columns="verdict")),
    "a metric twice": giving(baseline=lambda table: pd.concat([table, table])),
    "no definition": giving(definition=lambda _: ""),
    "a primary metric that isn't there": giving(primary=lambda _: "profit"),
    "no standard error": giving(metrics=lambda table: table.assign(se=np.nan)),
    "no difference": giving(against_baseline=lambda table: table[:0]),
    "an interval above": giving(metrics=lambda table: table.assign(low=2.0, high=3.0)),
    "an interval below": giving(baseline=lambda table: table.assign(low=-3.0, high=-2.0)),
    "a verdict of its own": giving(against_baseline=lambda table: table.assign(verdict="great")),
    "half the standard error": giving(metrics=lambda table: table.assign(se=table["se"] / 2)),
    "no jackknife": giving(jackknife=lambda table: table[[]]),
    "noise": giving(metrics=noise),
    "a definition that changes": giving(definition=lambda _: f"{next(NUMBERS)}"),
    "weights changed": evaluator(reweighting),
    "the first half": evaluator(first_half),
    "scores needed": evaluator(needing_scores),
    "no value without scores": evaluator(unknown_without_scores),
    "another direction": giving(against_baseline=lambda table: table.replace({"better": "worse"})),
}


@pytest.mark.parametrize("what", EVALUATORS)
def test_the_suite_says_what_a_broken_evaluator_does_wrong(what: str) -> None:
    require_said(what, lambda: testing.check_evaluator(EVALUATORS[what], tasks=["binary"]))


# --- metrics ----------------------------------------------------------------------------------

METRICS = {
    "beyond its bounds": lambda rows: rows.mean(rows.target) + 1,
    "the first place": lambda rows: rows.places[0] / 1000,
    "no weights": lambda rows: rows.target.mean(),
    "in order": lambda rows: rows.mean(rows.target),
    "always zero": lambda rows: 0.0,
}


@pytest.mark.parametrize("what", METRICS)
def test_the_suite_says_what_a_broken_metric_does_wrong(monkeypatch, what):
    made = replace(metrics_of("binary")["accuracy"], compute=METRICS[what])
    monkeypatch.setattr(testing.results, "metrics_of", {"binary": {"own": made}}.get)
    monkeypatch.setattr(testing.results, "TASKS", ("binary",))
    if what in ("in order", "always zero"):
        testing.check_metric("own")
    else:
        require_said(what, lambda: testing.check_metric("own"))
    require_said("no such metric", lambda: testing.check_metric("owl"))


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


def overwriting(found):
    found.predictions["score"] = 0.5
    return [("a subject", "A sentence.")]


CHECKS = {
    "an empty sentence": lambda found: [("a subject", " ")],
    "a sentence alone": lambda found: ["a sentence"],
    "scores changed": overwriting,
}


@pytest.mark.parametrize("what", CHECKS)
def test_the_suite_says_what_a_broken_check_of_results_does_wrong(
    monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    made = SimpleNamespace(search=CHECKS[what])
    monkeypatch.setattr(testing.results, "own_checks", lambda names: [made])
    require_said(what, lambda: testing.check_check("mine"))
    made.search = lambda found: [("a subject", "A sentence.")] if found.rows is not None else []
    testing.check_check("mine")


def third(self, rows):  # the first without an amount
    answer = testing.FakePredictor.predict(self, rows)
    alone = isinstance(rows, dict) and pd.isna(rows["amount"])
    return answer.assign(score=0.5) if alone else answer


def refusing(rows):
    if "amount" not in rows:
        raise CrivoError("A column is missing.")


PREDICTORS = {
    "another index": predicting(lambda answer: answer.reset_index(drop=True)),
    "ranks": of(testing.FakePredictor, estimate=ranking),
    "the third row": of(testing.FakePredictor, predict=third),
    "noise": predicting(lambda one: one.assign(score=np.random.default_rng().random(len(one)))),
    "scores below zero": predicting(lambda one: one.assign(score=2 * one["score"] - 1)),
    "scores above one": predicting(lambda one: one.assign(score=2 * one["score"])),
    "another class": predicting(lambda one: one.assign(prediction="yes")),
    "rows tidied": of(testing.FakePredictor, predict=tidying),
    "a column that isn't missed": predicting(given=numbers),
    "a column that isn't named": predicting(given=refusing),
}


@pytest.mark.parametrize("what", PREDICTORS)
def test_the_suite_says_what_a_broken_predictor_does_wrong(what: str) -> None:
    broken = PREDICTORS[what](threshold=0.3)
    require_said(f"predictor: {what}", lambda: testing.check_predictor(broken))


def test_a_number_that_is_predicted_is_finite() -> None:
    schema = testing.example_schema("regression")
    broken = predicting(lambda one: one.assign(prediction=np.inf))(schema=schema)
    require_said("predictor: no finite number", lambda: testing.check_predictor(broken))


def test_a_predictor_may_be_sure() -> None:
    testing.check_predictor(predicting(lambda one: one.assign(score=one["score"].round()))())
