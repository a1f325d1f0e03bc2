"""The boosting libraries of the optional packages LightGBM and XGBoost, as models."""

from __future__ import annotations

import shutil
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from crivo.core.blocks import Count, CountOrNone, Model, Positive, PositiveOrZero, Training, block
from crivo.core.errors import CrivoError
from crivo.core.problems import MAX_VALUE_LENGTH
from crivo.core.schema import Task
from crivo.core.tasks import by_estimator, by_target

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from sklearn.base import BaseEstimator

# The losses in each library's log, and ours.
LIGHTGBM_LOSSES = {"training": "train_loss", "early_stopping": "early_stopping_loss"}
XGBOOST_LOSSES = {"validation_0": "train_loss", "validation_1": "early_stopping_loss"}

# What is told the losses of an iteration.
Log = Callable[[dict[str, float]], None]
# The training rows, and those that are watched if it may stop early: features, target.
Sets = list[tuple["pd.DataFrame", "pd.Series"]]
# Gives the features that stay on disk, from the first row on.
Batches = Callable[[], Iterator["pd.DataFrame"]]


@block
class BoostedModel(Model):
    """Trees boosted by an optional package: columns get plain names, and classes numbers."""

    package = ""
    steps = "n_estimators"
    learning_rate: Positive = 0.1
    n_estimators: Count = 200
    reg_lambda: PositiveOrZero = 0.0
    colsample_bytree: Annotated[Positive, Field(le=1)] = 1.0
    early_stopping: CountOrNone = 0

    @abstractmethod
    def _booster(self, task: Task, seed: int) -> Any:
        """Return the package's estimator; ImportError when the package isn't installed."""

    @abstractmethod
    def _fit(self, final: Any, sets: Sets, log: Log) -> None:
        """Fit the last step, an estimator or `NumberedClasses` of one; log each iteration."""

    def build(self, task: Task, seed: int) -> BaseEstimator:
        """Return a pipeline: columns with plain names, classes as numbers, then the booster."""
        from sklearn.pipeline import make_pipeline

        from crivo.core.boosters import NumberedClasses, NumberedColumns

        try:
            booster = self._booster(task, seed)
        except ImportError:
            raise _missing_package(self.package) from None
        final = by_estimator(task, classifier=NumberedClasses(booster), regressor=booster)
        return make_pipeline(NumberedColumns(), final)

    def fit(
        self,
        estimator: BaseEstimator,
        features: pd.DataFrame,
        target: pd.Series,
        training: Training,
    ) -> BaseEstimator:
        """Fit on all training rows, or on those not watched when it may stop early."""
        rows, final = estimator[0].fit_transform(features), estimator[-1]
        sets = [(rows, target)]
        if self.early_stopping:
            teach = training.fit_mask(final, target)
            sets = [(rows[teach], target[teach]), (rows[~teach], target[~teach])]
        self._fit(final, sets, training.log)
        return estimator


@block
class LightgbmModel(BoostedModel):
    """Trees boosted by LightGBM; `src/blocks/models/lightgbm.py` is the block made of it."""

    package = "lightgbm"
    num_leaves: Annotated[int, Field(ge=2, le=131072)] = 31
    min_child_samples: Count = 20

    def _booster(self, task: Task, seed: int) -> Any:
        from lightgbm import LGBMClassifier, LGBMRegressor

        kind = by_estimator(task, classifier=LGBMClassifier, regressor=LGBMRegressor)
        return kind(
            learning_rate=self.learning_rate,
            n_estimators=self.n_estimators,
            num_leaves=self.num_leaves,
            min_child_samples=self.min_child_samples,
            reg_lambda=self.reg_lambda,
            colsample_bytree=self.colsample_bytree,
            metric=by_target(task, two="binary_logloss", several="multi_logloss", number="rmse"),
            random_state=seed,
            n_jobs=0,  # all cores, and no number that the file would hold
            deterministic=True,
            force_row_wise=True,
            verbose=-1,
        )

    def _fit(self, final: Any, sets: Sets, log: Log) -> None:
        from lightgbm import early_stopping
        from lightgbm.basic import LightGBMError

        callbacks: list[Any] = [_logging_lightgbm(log)]
        if self.early_stopping:
            callbacks.append(early_stopping(self.early_stopping, verbose=False))
        with refusing("lightgbm", LightGBMError):
            final.fit(
                *sets[0],
                eval_X=tuple(rows for rows, _ in sets),
                eval_y=tuple(target for _, target in sets),
                eval_names=[*LIGHTGBM_LOSSES][: len(sets)],
                callbacks=callbacks,
            )
        _forget_losses(getattr(final, "estimator_", final))


def _forget_losses(booster: Any) -> None:
    """Take out the losses, which are logged: their last bits depend on the number of threads."""
    booster._evals_result, booster._best_score, booster.booster_.best_score = {}, {}, {}


def _logging_lightgbm(log: Log) -> Callable[[Any], None]:
    """Return a callback that logs the losses of each iteration."""

    def after(environment: Any) -> None:
        losses = environment.evaluation_result_list
        log({LIGHTGBM_LOSSES[name]: loss for name, _, loss, *_ in losses})

    return after


@block
class XgboostModel(BoostedModel):
    """Trees boosted by XGBoost; `src/blocks/models/xgboost.py` is the block made of it."""

    package = "xgboost"
    max_depth: Count = 6
    min_child_weight: PositiveOrZero = 1.0
    reg_lambda: PositiveOrZero = 1.0

    def _booster(self, task: Task, seed: int) -> Any:
        from xgboost import XGBClassifier, XGBRegressor

        kind = by_estimator(task, classifier=XGBClassifier, regressor=XGBRegressor)
        return kind(
            learning_rate=self.learning_rate,
            n_estimators=self.n_estimators,
            max_depth=self.max_depth,
            min_child_weight=self.min_child_weight,
            reg_lambda=self.reg_lambda,
            colsample_bytree=self.colsample_bytree,
            early_stopping_rounds=self.early_stopping or None,
            # Without one the library takes that of its objective.
            eval_metric=by_target(task, two="logloss", several="mlogloss", number="rmse"),
            enable_categorical=True,
            tree_method="hist",
            random_state=seed,
            n_jobs=0,  # all cores, and no number that the file would hold
        )

    def _fit(self, final: Any, sets: Sets, log: Log) -> None:
        from xgboost.core import XGBoostError

        from crivo.core.boosters import NumberedClasses

        inner = final.estimator if isinstance(final, NumberedClasses) else final
        # A fitted model's file would hold the callback.
        inner.set_params(callbacks=[_logging_xgboost(log)])
        with refusing("xgboost", XGBoostError):
            final.fit(*sets[0], eval_set=sets, verbose=False)
        for one in {inner, getattr(final, "estimator_", inner)}:
            one.set_params(callbacks=None)

    def fit_batches(
        self, estimator: BaseEstimator, batches: Any, target: pd.Series, training: Training
    ) -> BaseEstimator:
        """Fit as `fit` does, by XGBoost's external memory."""
        from xgboost.core import XGBoostError

        watching = training if self.early_stopping else None
        with refusing("xgboost", XGBoostError):
            return fit_xgboost(estimator, batches, target, watching, _logging_xgboost(training.log))


def _logging_xgboost(log: Log) -> Any:
    """Return a callback that logs the losses of each iteration."""
    from xgboost.callback import TrainingCallback

    class Logging(TrainingCallback):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            log(
                {
                    XGBOOST_LOSSES[name]: losses[-1]
                    for name, m in evals_log.items()
                    for losses in m.values()
                }
            )
            return False

    return Logging()


# --- XGBoost on features that stay on disk ------------------------------------------------------


def fit_xgboost(
    pipeline: Any,
    batches: Batches,
    target: pd.Series,
    watching: Training | None,
    callback: Any,
) -> Any:
    """Fit a pipeline of `NumberedColumns` and XGBoost, and return it.

    XGBoost bins the features and keeps the bins on disk. `watching` marks the rows to stop early
    by; `callback` is called with the losses of each iteration, by the names that `fit` gives them.
    """
    import numpy as np

    from crivo.core import artifacts
    from crivo.core.boosters import NumberedClasses

    columns, final = pipeline[0].fit(next(batches())), pipeline[-1]
    inner, labels, objective = final, np.asarray(target), {}
    if isinstance(final, NumberedClasses):
        inner, labels = final.take_classes(target)
        objective = _objective(len(final.classes_))
    masks = [np.ones(len(target), dtype=bool)]
    if watching is not None:
        masks = [teach := watching.fit_mask(final, target), ~teach]
    sets = (partial(_batches_of, columns, batches, labels, mask) for mask in masks)
    shutil.rmtree(artifacts.BATCHES, ignore_errors=True)  # of a run that was killed
    artifacts.BATCHES.mkdir(parents=True)
    try:
        inner._Booster = _train(inner, inner.get_xgb_params() | objective, [*sets], callback)
    finally:
        shutil.rmtree(artifacts.BATCHES, ignore_errors=True)
    if objective:
        inner.n_classes_, inner.objective = len(final.classes_), objective["objective"]
    return pipeline


def _train(
    estimator: Any, params: dict[str, Any], sets: Sequence[Callable[[str], Any]], callback: Any
) -> Any:
    """Return a booster that is trained on the first of the sets and watches all of them."""
    import xgboost

    from crivo.core import artifacts

    matrices: list[xgboost.DMatrix] = []
    for number, batches_of in enumerate(sets):
        matrices.append(
            xgboost.ExtMemQuantileDMatrix(
                batches_of(str(artifacts.BATCHES / str(number))),
                ref=matrices[0] if matrices else None,
                enable_categorical=True,
                max_bin=estimator.max_bin,
            )
        )
    return xgboost.train(
        params,
        matrices[0],
        estimator.get_num_boosting_rounds(),
        evals=[(matrix, f"validation_{number}") for number, matrix in enumerate(matrices)],
        early_stopping_rounds=estimator.early_stopping_rounds,
        callbacks=[callback],
        verbose_eval=False,
    )


def _objective(classes: int) -> dict[str, Any]:
    """Return what XGBoost's own classifier sets for so many classes."""
    if classes > 2:
        return {"objective": "multi:softprob", "num_class": classes}
    return {"objective": "binary:logistic"}


def _batches_of(
    columns: Any, batches: Batches, labels: np.ndarray, mask: np.ndarray, cache: str
) -> Any:
    """Return XGBoost's iterator of the marked rows, which it keeps in files of a name."""
    import xgboost

    class Marked(xgboost.DataIter):
        def __init__(self) -> None:
            super().__init__(cache_prefix=cache)
            self.batches = batches()

        def reset(self) -> None:
            self.batches = batches()

        def next(self, input_data: Callable[..., None]) -> bool:
            for batch in self.batches:
                places = batch.index.to_numpy()
                if (here := mask[places]).any():
                    rows = columns.transform(batch)[here]
                    input_data(data=rows, label=labels[places[here]])
                    return True
            return False

    return Marked()


def _missing_package(package: str) -> CrivoError:
    """Return the error that says how to install an optional package."""
    return CrivoError(
        f"model {package} needs the package {package}, which is not installed: `make extras` adds "
        "it to the environment; without make: `python -m pip install --use-pep517 "
        "--no-build-isolation --require-hashes -r requirements/extras.txt`."
    )


@contextmanager
def refusing(package: str, kind: type[Exception]) -> Iterator[None]:
    """Turn a library's error, which is of its own kind, into one sentence."""
    try:
        yield
    except kind as error:
        reason = " ".join(str(error).split())[:MAX_VALUE_LENGTH]
        raise CrivoError(
            f"{package} refused its settings or the training rows: {reason}. Correct "
            f"models.{package}."
        ) from None
