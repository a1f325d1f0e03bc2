"""Chooses a model for a table by cross-validation on its training rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.layout import counted
from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.core.threads import limited_threads
from crivo.evaluation.report.numbers import number
from crivo.preparation.tables.ids import without_copy
from crivo.project.choices import FEW_TREES, Choice
from crivo.project.text_choice import KEEP
from crivo.repository.progress import one_line

FOLDS = 5
# With fewer training rows the folds are chance.
MIN_ROWS = 50
# Folds are fewer the more rows they have, down to one, and that one has no more than so many.
# A row of text that is weighed by its words takes as long as so many others.
FITTED_ROWS, MOST_ROWS, TEXT_ROWS = 50_000, 100_000, 10
# A step of boosting has a tree for each class: of so many classes, two folds must do.
MANY_CLASSES = 8
# Trees of all classes together, and how many more of them a fit on all rows can bear than one on
# four fifths.
MOST_TREES, MORE_TREES = 2000, 1.1
# A fold's boosting stops where so much learning gains less than this share of the trivial loss.
PATIENCE, SHARE_GAINED = 3.0, 1e-5
# Trees that gain less than this share of the loss together aren't worth their time in each trial.
NOTHING = 0.001
ITERATIONS = 1000

# The walk begins with the first value of each setting. It is quick with fast learning, and tries
# last whether the same learning in smaller steps is better.
BOOSTING: Mapping[str, Sequence[float]] = {
    "max_features": (0.5, 0.25, 0.1, 0.05, 1.0),
    "max_leaf_nodes": (8, 4, 16, 31),
    "min_samples_leaf": (20, 5, 60),
    "l2_regularization": (0.0, 1.0, 10.0),
    "learning_rate": (0.1, 0.05, 0.025),
}
# With steps of ten the best penalty of a few hundred rows lies too far from the next one.
LINEAR = {"C": (0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 1.0, 3.0, 10.0, 30.0, 100.0)}


class Found(NamedTuple):
    """A model's settings, and their loss on held-out rows."""

    loss: float
    model: str
    settings: Mapping[str, Any]


def model_choice(
    rows: pd.DataFrame,
    splits: pd.Series,
    schema: Schema,
    *,
    copies_together: bool = True,
    text: Mapping[str, Any] | None = None,
) -> Choice:
    """Return the model with the least loss on held-out folds of the training rows.

    The loss is log loss or RMSE. Folds keep copies of a row together if the split does.
    Validation and test rows aren't looked at. `text`: the settings for text that stays text; then
    only the penalty of the linear model is chosen. Where nothing can be compared, boosting gets few
    trees: with too few rows or groups, or features that don't vary.
    """
    train = rows[splits == "train"]
    text = text or {}
    started = time.monotonic()
    try:
        with limited_threads():
            compared = [
                _Fold(*fold, schema, text) for fold in _folds(train, schema, copies_together, text)
            ]
            found = list(_found(compared, schema)) if compared else []
    except CrivoError:  # the table has no features that vary in a fold
        found = []
    if not found:
        few = {"model": "boosting", "models.boosting.max_iter": FEW_TREES}
        why = f"{len(train):,} training rows are too few for a comparison; few trees are safe"
        return Choice({} if text else few, why)
    best = min(found)
    metric = "log loss" if task_of(schema).has_classes else "RMSE"
    said = ", ".join(f"{number(one.loss)} for {one.model}" for one in found)
    values = {
        f"models.{one.model}.{name}": value for one in found for name, value in one.settings.items()
    }
    return Choice(
        {"model": best.model} | values,
        f"held-out {metric} in {counted(len(compared), 'fold')} of {len(train):,} training rows: "
        f"{said}; the comparison took {time.monotonic() - started:.0f} s",
    )


def _found(folds: list[_Fold], schema: Schema) -> Iterator[Found]:
    """Give each model with the settings that do best."""
    if not folds[0].texts:
        boosting = partial(_boosting_loss, folds, schema)
        settings, loss, trees = _walk("boosting", BOOSTING, boosting)
        more = {"max_iter": round(MORE_TREES * trees), "early_stopping": 0}
        yield Found(loss, "boosting", settings | more)
    settings, loss, steps = _walk("linear", LINEAR, partial(_linear_loss, folds, schema))
    yield Found(loss, "linear", settings | {"max_iter": steps})


def _walk(
    model: str,
    ranges: Mapping[str, Sequence[float]],
    loss_of: Callable[[Mapping[str, Any]], tuple[float, int]],
) -> tuple[dict[str, Any], float, int]:
    """Return the settings where a walk ends, their loss, and the steps of the fit.

    One setting after the other goes down from its first value, or else up, for as long as the loss
    falls.
    """
    best = {name: values[0] for name, values in ranges.items()}
    with one_line() as show:
        lowest, steps = loss_of(best)
        for name, (start, *others) in ranges.items():
            below = [value for value in others if value < start]
            for way in (below, others[len(below) :]):
                for value in way if best[name] == start else ():
                    tried = best | {name: value}
                    show(f"Comparing models: {model} {tried}")
                    other, taken = loss_of(tried)
                    if other >= lowest:
                        break
                    best, lowest, steps = tried, other, taken
    return best, lowest, steps


def _boosting_loss(
    folds: list[_Fold], schema: Schema, settings: Mapping[str, Any]
) -> tuple[float, int]:
    """Return the mean loss of the folds at the fewest trees that are as good as any, and these.

    A fold's last loss stands for those after it: it stopped because nothing was gained. But log
    loss would rise again with ever surer scores, so where half of the folds have stopped, the
    others don't ask for more trees.
    """
    classes = task_of(schema).has_classes
    curves = [fold.boosting_curve(settings) for fold in folds]
    most = int((np.median if classes else np.max)([len(curve) for curve in curves]))
    padded = [np.pad(curve[:most], (0, max(0, most - len(curve))), mode="edge") for curve in curves]
    mean = np.average(padded, axis=0, weights=[len(fold.held_out) for fold in folds])
    best = max(1, int((mean <= (1 + NOTHING) * mean.min()).argmax()))
    # scikit-learn's loss of a number is half its squared error.
    return (mean[best] if classes else np.sqrt(2 * mean[best])), best


def _linear_loss(
    folds: list[_Fold], schema: Schema, settings: Mapping[str, Any]
) -> tuple[float, int]:
    """Return the mean loss of the folds, and the most steps that a fit may take."""
    losses = [fold.linear_loss(settings) for fold in folds]
    mean = np.average(losses, weights=[len(fold.held_out) for fold in folds])
    return float(mean if task_of(schema).has_classes else np.sqrt(mean)), ITERATIONS


def _folds(
    train: pd.DataFrame, schema: Schema, copies_together: bool, text: Mapping[str, Any]
) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """Give rows to fit on and held-out rows; nothing where folds say nothing.

    They are made as the split is: models of earlier rows predict later ones, groups stay
    together. Rows of a class that isn't taught aren't held out.
    """
    if len(train) < MIN_ROWS:
        return
    cost = TEXT_ROWS if text else 1
    count = min(FOLDS, max(1, FITTED_ROWS // (len(train) * cost)))
    if len(schema.classes) >= MANY_CLASSES:
        count = min(count, 2)
    classes = task_of(schema).has_classes
    if classes and train[schema.target].value_counts().min() < FOLDS:
        return
    for a, b in _places(train, schema, copies_together)[-count:]:
        step = -(-len(a) * cost // MOST_ROWS)
        fitted, held_out = train.iloc[a[::step]], train.iloc[b[::step]]
        if classes:
            held_out = held_out[held_out[schema.target].isin(fitted[schema.target])]
        if len(held_out) and (not classes or fitted[schema.target].nunique() > 1):
            yield fitted, held_out


def _places(
    train: pd.DataFrame, schema: Schema, copies_together: bool
) -> list[tuple[np.ndarray, np.ndarray]]:
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, TimeSeriesSplit

    if schema.time is not None:
        order = np.argsort(train[schema.time].to_numpy(), kind="stable")
        parts = TimeSeriesSplit(FOLDS).split(order)
        return [(np.sort(order[a]), np.sort(order[b])) for a, b in parts]
    groups = train[schema.group or schema.id].astype("str")
    if schema.group is None and copies_together:
        groups = groups.map(without_copy)
    count = min(FOLDS, groups.nunique())
    if count < 2:
        return []
    by_class = task_of(schema).has_classes and schema.group is None
    kind = StratifiedGroupKFold if by_class else GroupKFold
    folds = kind(count, shuffle=True, random_state=0)
    return list(folds.split(train, train[schema.target], groups=groups))


class _Fold:
    """The inputs and targets of the rows that a model is fitted on, and of those held out."""

    def __init__(
        self, train: pd.DataFrame, held_out: pd.DataFrame, schema: Schema, text: Mapping[str, Any]
    ) -> None:
        names, self.schema, self.texts = list(schema.features), schema, bool(text)
        self.target, self.held_out = train[schema.target], held_out[schema.target]
        keep = {"keep_text": True} if text.get(KEEP) else {}
        featurizer = make_block("featurizer", "tabular", keep).build(schema, 0)
        featurizer.fit(train[names], self.target)
        inputs, held_out_inputs = (featurizer.transform(part[names]) for part in (train, held_out))
        known = inputs.columns[inputs.notna().any()]  # scikit-learn can't bin gaps only
        self.inputs, self.held_out_inputs = inputs[known], held_out_inputs[known]
        cut = {"text": text["models.linear.text"]} if "models.linear.text" in text else {}
        encode = make_block("model", "linear", cut).build(schema.task, 0)[:-1]
        self.encoded = encode.fit_transform(self.inputs)
        self.held_out_encoded = encode.transform(self.held_out_inputs)

    def boosting_curve(self, settings: Mapping[str, Any]) -> np.ndarray:
        """Return the mean loss of the held-out rows after each tree; the first is that of none."""
        rate, task = settings["learning_rate"], self.schema.task
        shares = self.target.value_counts(normalize=True)
        classes = task_of(self.schema).has_classes
        trees = MOST_TREES // max(1, len(shares) // 3) if classes else MOST_TREES
        trivial = -(shares * np.log(shares)).sum() if classes else self.target.var() / 2
        more = {"max_iter": trees, "early_stopping": round(PATIENCE / rate)}
        model = make_block("model", "boosting", dict(settings) | more).build(task, 0)
        model.set_params(tol=SHARE_GAINED * trivial)
        model.fit(self.inputs, self.target, X_val=self.held_out_inputs, y_val=self.held_out)
        curve: np.ndarray = -model.validation_score_
        return curve

    def linear_loss(self, settings: Mapping[str, Any]) -> float:
        """Return the mean loss of the held-out rows: log loss, or the squared error."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.metrics import log_loss, mean_squared_error

        own = dict(settings) | {"max_iter": ITERATIONS}
        model = make_block("model", "linear", own).build(self.schema.task, 0)[-1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(self.encoded, self.target)
        if not task_of(self.schema).has_classes:
            return float(mean_squared_error(self.held_out, model.predict(self.held_out_encoded)))
        scores = model.predict_proba(self.held_out_encoded)
        return float(log_loss(self.held_out, scores, labels=model.classes_))
