"""Which model suits a table's rows: cross-validation of its training rows says it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.core.threads import limited_threads
from crivo.preparation.tables.ids import without_copy
from crivo.project.choices import EARLY, ENOUGH_FOR_EARLY_STOPPING, FEW_TREES, Choice
from crivo.project.shipped import SHIPPED
from crivo.repository.progress import each

FOLDS = 5
# With fewer training rows the folds are chance; with more, boosting is seldom behind.
MIN_ROWS, MAX_ROWS = 50, 10_000
MORE_TREES = 100
# How much a linear model is shrunk, from very much to hardly: with steps of ten between 0.01 and 1
# the best penalty of a few hundred rows lies too far from the next one.
PENALTIES = (0.01, 0.03, 0.1, 0.3, 1.0, 10.0, 100.0)


class Candidate(NamedTuple):
    """A model with its settings, and what people call it."""

    model: str
    settings: Mapping[str, Any]
    words: str

    def values(self) -> dict[str, Any]:
        """Return its settings by their dotted keys."""
        own = {f"models.{self.model}.{name}": value for name, value in self.settings.items()}
        return {"model": self.model} | own


def model_choice(
    rows: pd.DataFrame, splits: pd.Series, schema: Schema, *, copies_together: bool = True
) -> Choice:
    """Return the model with the least cross-validated loss on the training rows.

    The loss is log loss or RMSE. Folds keep copies of a row together if the split does.
    Validation and test rows aren't looked at. Where nothing can be compared, it is boosting: with
    text, too few or very many rows, or classes too rare for each fold.
    """
    train = rows[splits == "train"]
    first, *others = candidates(len(train))
    places = list(_folds(train, schema, copies_together))
    if not places:
        return Choice(first.values(), _trees(len(train)))
    try:
        with limited_threads():
            folds = [_Fold(train.iloc[a], train.iloc[b], schema) for a, b in places]
            losses = [
                (_loss(one, folds, schema), one)
                for one in each((first, *others), "Comparing models")
            ]
    except CrivoError:  # the table has no features that vary in a fold
        return Choice(first.values(), _trees(len(train)))
    ranked = sorted(losses, key=lambda found: found[0])
    best = ranked[0][1]
    # Boosting is set well also where it isn't taken: it may be tried.
    tried = next(one for _, one in ranked if one.model == "boosting")
    metric = "log loss" if task_of(schema).has_classes else "RMSE"
    said = ", ".join(f"{one.words} {loss:.4g}" for loss, one in losses)
    return Choice(
        tried.values() | best.values(),
        f"cross-validated {metric} on {len(train):,} training rows: {said}",
    )


def candidates(training_rows: int) -> list[Candidate]:
    """Return what is compared for so many training rows, what is taken without comparison first."""
    linear = [Candidate("linear", {"C": C}, f"linear of C {C:g}") for C in PENALTIES]
    if training_rows >= ENOUGH_FOR_EARLY_STOPPING:
        early = {"early_stopping": EARLY}
        return [Candidate("boosting", early, "boosting that stops early"), *linear]
    few = [
        Candidate(
            "boosting", {"max_iter": trees, "early_stopping": 0}, f"boosting of {trees} trees"
        )
        for trees in (FEW_TREES, MORE_TREES)
    ]
    return [*few, *linear]


def _trees(training_rows: int) -> str:
    if training_rows < ENOUGH_FOR_EARLY_STOPPING:
        return f"{training_rows} training rows are too few to stop early by"
    return f"{training_rows:,} training rows are enough to stop early by some of them"


def _folds(
    train: pd.DataFrame, schema: Schema, copies_together: bool
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Give places of rows to fit on and of held-out rows; nothing where folds say nothing.

    They are made as the split is: a model of earlier rows predicts later ones, groups stay
    together.
    """
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    texts = any(schema.column(name).type == "text" for name in schema.features)
    if texts or not MIN_ROWS <= len(train) <= MAX_ROWS:
        return
    target = train[schema.target]
    if schema.time is not None:
        order = np.argsort(train[schema.time].to_numpy(), kind="stable")
        cut = len(order) * (FOLDS - 1) // FOLDS
        folds = [(np.sort(order[:cut]), np.sort(order[cut:]))]
    elif schema.group is not None:
        if train[schema.group].nunique() < FOLDS:
            return
        folds = list(GroupKFold(FOLDS).split(train, groups=train[schema.group].astype(str)))
    elif task_of(schema).has_classes:
        if target.value_counts().min() < FOLDS:
            return
        kind = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=0)
        folds = list(kind.split(train, target, groups=_copies(train, schema, copies_together)))
    else:
        kind = GroupKFold(FOLDS, shuffle=True, random_state=0)
        folds = list(kind.split(train, groups=_copies(train, schema, copies_together)))
    if task_of(schema).has_classes and any(
        target.iloc[fitted].nunique() < target.nunique() for fitted, _ in folds
    ):
        return
    yield from folds


def _copies(train: pd.DataFrame, schema: Schema, together: bool) -> pd.Series:
    """Return what copies of a row share if a split at random keeps them together."""
    ids = train[schema.id].astype("str")
    return ids.map(without_copy) if together else ids


class _Fold:
    """The inputs and targets of the rows that a model is fitted on, and of those held out."""

    def __init__(self, train: pd.DataFrame, held_out: pd.DataFrame, schema: Schema) -> None:
        names, self.schema, self.rows = list(schema.features), schema, train
        self.target, self.held_out = train[schema.target], held_out[schema.target]
        featurizer = make_block("featurizer", "tabular", {}).build(schema, 0)
        featurizer.fit(train[names], self.target)
        self.inputs = featurizer.transform(train[names])
        self.held_out_inputs = featurizer.transform(held_out[names])

    def losses(self, candidate: Candidate) -> np.ndarray:
        """Return the loss of each held-out row: the surprise at its class, or the squared error."""
        from crivo.training.early_stopping import WatchingOnDemand, stopping_mask

        share, task = SHIPPED["train.early_stopping_fraction"], self.schema.task
        watching = WatchingOnDemand(
            lambda: stopping_mask(self.rows, self.schema, share), lambda metrics: None
        )
        model = make_block("model", candidate.model, dict(candidate.settings))
        fitted = model.fit(model.build(task, 0), self.inputs, self.target, watching)
        if not task_of(self.schema).has_classes:
            return (fitted.predict(self.held_out_inputs) - self.held_out.to_numpy(float)) ** 2
        place = {name: i for i, name in enumerate(fitted.classes_.tolist())}
        own = [place[name] for name in self.held_out.tolist()]
        scores = fitted.predict_proba(self.held_out_inputs)[np.arange(len(own)), own]
        return -np.log(np.clip(scores, np.finfo(float).eps, 1))


def _loss(candidate: Candidate, folds: list[_Fold], schema: Schema) -> float:
    """Return the mean loss of a model over the held-out rows."""
    mean = float(np.concatenate([fold.losses(candidate) for fold in folds]).mean())
    return mean if task_of(schema).has_classes else float(np.sqrt(mean))
