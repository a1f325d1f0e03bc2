"""Chooses a model for a table by cross-validation on its training rows.

Where text dominates the table, it is a linear model that weights each word.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.core.threads import limited_threads
from crivo.core.wording import counted
from crivo.evaluation.report.numbers import number
from crivo.preparation.hash_split import without_copy
from crivo.project.choices import Choice
from crivo.repository.progress import one_line

FOLDS = 5
# With fewer training rows the folds are chance, and only few trees don't learn them by heart.
MIN_ROWS, FEW_TREES = 50, 50
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

# Text dominates from so many words on for each other feature.
WORDS_A_FEATURE = 5
# A script without spaces: more characters than this stand between two of them.
MAX_WORD_LENGTH = 15
# Such a script has a word for every two characters, more or less.
CHARACTERS_A_WORD = 2
SAMPLE = 2_000
KEEP = "featurizers.tabular.keep_text"

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


class Fitting(NamedTuple):
    """The loss on held-out rows, the settings of the model that has it, and each fold's mean loss.

    For numbers, the first is the RMSE, and the last are mean squared errors.
    """

    loss: float
    settings: Mapping[str, Any]
    by_fold: Sequence[float]


class Fold(NamedTuple):
    """The inputs and targets of rows that a model is fitted on, and of those held out."""

    inputs: Any
    target: pd.Series
    held_inputs: Any
    held_target: pd.Series

    def transformed(self, transformer: Any) -> Fold:
        """Return the fold with inputs that a transformer, fitted on the first rows, makes."""
        inputs = transformer.fit_transform(self.inputs, self.target)
        return self._replace(inputs=inputs, held_inputs=transformer.transform(self.held_inputs))


def text_choice(rows: pd.DataFrame, schema: Schema) -> Choice:
    """Return the settings of a linear model that weights each word, if text dominates the table.

    It dominates where a row has at least five of its words for each other feature. Beside more of
    them it is only said what becomes of the text.
    """
    texts = [name for name in schema.features if schema.column(name).type == "text"]
    if not texts:
        return Choice({}, "")
    sizes = [_size(rows[name]) for name in texts]
    words, spaces = round(sum(size for size, _ in sizes)), all(spaces for _, spaces in sizes)
    others = len(schema.features) - len(texts)
    what = f"{', '.join(texts)}: {words} words per row and {counted(others, 'other feature')}"
    if words < WORDS_A_FEATURE * max(1, others):
        hint = f"`crivo try model=linear {KEEP}=true` weights each word"
        return Choice({}, f"words     {what} become numbers; {hint}")
    values = {"model": "linear", KEEP: True}
    if spaces:
        return Choice(values, f"{what}: each word gets a weight")
    values["models.linear.text"] = "characters"
    return Choice(values, f"{what}, without spaces: groups of characters get weights")


def _size(values: pd.Series) -> tuple[float, bool]:
    """Return how many words a text has on average, and whether spaces part them."""
    texts = values.dropna().astype("str").iloc[:: len(values) // SAMPLE or 1]
    characters, words = texts.str.len().mean(), texts.str.count(r"\S+").mean()
    if characters <= MAX_WORD_LENGTH * words:
        return words, True
    return characters / CHARACTERS_A_WORD, False


def model_choice(
    rows: pd.DataFrame,
    splits: pd.Series,
    schema: Schema,
    *,
    copies_together: bool = True,
    text: Mapping[str, Any] | None = None,
) -> Choice:
    """Return a model with the least loss on held-out folds of the training rows, or nearly so.

    The loss is log loss or RMSE. Folds keep copies of a row together if the split does.
    Validation and test rows aren't looked at. `text`: the settings for text that stays text; then
    only the penalty of the linear model is chosen. Where nothing can be compared, boosting gets few
    trees: with too few rows or groups, or features that don't vary.
    """
    train, text = rows[splits == "train"], text or {}
    started = time.monotonic()
    folds: list[Fold] = []
    found: dict[str, Fitting] = {}
    with limited_threads(), suppress(CrivoError):  # no feature of the table varies in a fold
        folds = list(_folds(train, schema, copies_together, text))
        found = dict(_candidates(folds, schema, text)) if folds else {}
    if not found:
        few = {"model": "boosting", "models.boosting.max_iter": FEW_TREES}
        why = f"{len(train):,} training rows are too few to compare models, so a small one is used"
        return Choice({} if text else few, why)
    metric = "log loss" if task_of(schema).has_classes else "RMSE"
    said = ", ".join(f"{number(one.loss)} for {model}" for model, one in found.items())
    best = min(found, key=lambda model: found[model].loss)
    if best != "linear" and not _surely_less(found[best], found["linear"], folds):
        best = "linear"
        said += "; the difference is within one standard error, so the simpler model is chosen"
    values: dict[str, Any] = {"model": best}
    for model, one in found.items():
        values |= {f"models.{model}.{name}": value for name, value in one.settings.items()}
    return Choice(
        values,
        f"held-out {metric} in {counted(len(folds), 'fold')} of {len(train):,} training rows: "
        f"{said}; the comparison took {time.monotonic() - started:.0f} s",
    )


def _surely_less(one: Fitting, other: Fitting, folds: Sequence[Fold]) -> bool:
    """Whether a loss is less than another one by more than one standard error.

    Of models that the folds can't tell apart the simplest is chosen: the one-standard-error rule
    (Breiman, Friedman, Olshen & Stone 1984; Hastie, Tibshirani & Friedman 2009, section 7.10). The
    error is that of the difference between both on the same folds, in which cancels what makes a
    fold hard for either. A model's own error is larger, and would hide gains of many percent. One
    fold has none, and is only used for so many rows that it hardly matters.
    """
    sizes = np.array([len(fold.held_target) for fold in folds])
    gains = np.subtract(other.by_fold, one.by_fold)
    mean, count = np.average(gains, weights=sizes), len(gains)
    squares = (sizes / sizes.sum() * (gains - mean)) ** 2
    return bool(mean > np.sqrt(squares.sum() * count / max(1, count - 1)))


def _candidates(
    folds: list[Fold], schema: Schema, text: Mapping[str, Any]
) -> Iterator[tuple[str, Fitting]]:
    """Give each model with the settings that do best."""
    if not text:
        yield "boosting", _walk("boosting", BOOSTING, partial(_fit_boosting, folds, schema))
    cut = {"text": text["models.linear.text"]} if "models.linear.text" in text else {}
    encode = make_block("model", "linear", cut).build(schema.task, 0)[:-1]
    encoded = [fold.transformed(encode) for fold in folds]
    yield "linear", _walk("linear", LINEAR, partial(_fit_linear, encoded, schema))


def _walk(
    model: str,
    ranges: Mapping[str, Sequence[float]],
    fit: Callable[[Mapping[str, Any]], Fitting],
) -> Fitting:
    """Return the fit where a walk ends.

    One setting after the other goes down from its first value, or else up, for as long as the loss
    falls.
    """
    best = {name: values[0] for name, values in ranges.items()}
    with one_line() as show:
        found = fit(best)
        for name, (start, *others) in ranges.items():
            below = [value for value in others if value < start]
            for way in (below, others[len(below) :]):
                for value in way if best[name] == start else ():
                    tried = best | {name: value}
                    show(f"Comparing models: {model} {tried}")
                    other = fit(tried)
                    if other.loss >= found.loss:
                        break
                    best, found = tried, other
    return found


def _fit_boosting(folds: list[Fold], schema: Schema, settings: Mapping[str, Any]) -> Fitting:
    """Return the mean loss of the folds at the fewest trees that are as good as any.

    A fold's last loss stands for those after it: it stopped because nothing was gained. But log
    loss would rise again with ever surer scores, so where half of the folds have stopped, the
    others don't ask for more trees.
    """
    classes = task_of(schema).has_classes
    curves = [_boosting_curve(fold, schema, settings) for fold in folds]
    most = int((np.median if classes else np.max)([len(curve) for curve in curves]))
    padded = [np.pad(curve[:most], (0, max(0, most - len(curve))), mode="edge") for curve in curves]
    mean = np.average(padded, axis=0, weights=[len(fold.held_target) for fold in folds])
    best = max(1, int((mean <= (1 + NOTHING) * mean.min()).argmax()))
    # scikit-learn's loss of a number is half its squared error.
    by_fold = [curve[best] * (1 if classes else 2) for curve in padded]
    loss = mean[best] if classes else np.sqrt(2 * mean[best])
    chosen = {**settings, "max_iter": round(MORE_TREES * best), "early_stopping": 0}
    return Fitting(loss, chosen, by_fold)


def _boosting_curve(fold: Fold, schema: Schema, settings: Mapping[str, Any]) -> np.ndarray:
    """Return the mean loss of the held-out rows after each tree; the first is that of none."""
    shares = fold.target.value_counts(normalize=True)
    classes = task_of(schema).has_classes
    trees = MOST_TREES // max(1, len(shares) // 3) if classes else MOST_TREES
    trivial = -(shares * np.log(shares)).sum() if classes else fold.target.var() / 2
    more = {"max_iter": trees, "early_stopping": round(PATIENCE / settings["learning_rate"])}
    model = make_block("model", "boosting", {**settings, **more}).build(schema.task, 0)
    model.set_params(tol=SHARE_GAINED * trivial)
    model.fit(fold.inputs, fold.target, X_val=fold.held_inputs, y_val=fold.held_target)
    return -np.asarray(model.validation_score_)


def _fit_linear(folds: list[Fold], schema: Schema, settings: Mapping[str, Any]) -> Fitting:
    """Return the mean loss of the folds."""
    from sklearn.metrics import log_loss

    classes, losses = task_of(schema).has_classes, []
    settings = {**settings, "max_iter": ITERATIONS}
    for fold in folds:
        model = make_block("model", "linear", settings).build(schema.task, 0)[-1]
        with warnings.catch_warnings(action="ignore"):  # of a fit that hasn't converged
            model.fit(fold.inputs, fold.target)
        if classes:
            scores = model.predict_proba(fold.held_inputs)
            losses.append(log_loss(fold.held_target, scores, labels=model.classes_))
        else:
            losses.append(np.square(fold.held_target - model.predict(fold.held_inputs)).mean())
    mean = np.average(losses, weights=[len(fold.held_target) for fold in folds])
    return Fitting(float(mean if classes else np.sqrt(mean)), settings, losses)


def _folds(
    train: pd.DataFrame, schema: Schema, copies_together: bool, text: Mapping[str, Any]
) -> Iterator[Fold]:
    """Give rows to fit on and held-out rows with their inputs; nothing where folds say nothing.

    They are made as the split is: models of earlier rows predict later ones, groups stay
    together. Rows of a class that isn't taught aren't held out.
    """
    target, names, classes = train[schema.target], [*schema.features], task_of(schema).has_classes
    if len(train) < MIN_ROWS or (classes and target.value_counts().min() < FOLDS):
        return
    cost = TEXT_ROWS if text else 1
    count = min(FOLDS, max(1, FITTED_ROWS // (len(train) * cost)))
    if len(schema.classes) >= MANY_CLASSES:
        count = min(count, 2)
    keep = {"keep_text": True} if text else {}
    for a, b in _places(train, schema, copies_together)[-count:]:
        step = -(-len(a) * cost // MOST_ROWS)
        a, b = a[::step], b[::step]
        if classes:
            b = b[target.iloc[b].isin(target.iloc[a])]
        if not len(b) or (classes and target.iloc[a].nunique() < 2):
            continue
        featurizer = make_block("featurizer", "tabular", keep).build(schema, 0)
        rows = (train[names].iloc[a], target.iloc[a], train[names].iloc[b], target.iloc[b])
        fold = Fold(*rows).transformed(featurizer)
        known = fold.inputs.columns[fold.inputs.notna().any()]  # scikit-learn can't bin gaps only
        yield fold._replace(inputs=fold.inputs[known], held_inputs=fold.held_inputs[known])


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
