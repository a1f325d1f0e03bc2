"""`LightgbmModel` and `XgboostModel`: model blocks for the optional boosting libraries."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from crivo.core.blocks import Count, CountOrNone, Model, Positive, PositiveOrZero, Training, block
from crivo.core.errors import CrivoError
from crivo.core.problems import MAX_VALUE_LENGTH
from crivo.core.schema import Task
from crivo.core.tasks import by_estimator

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.base import BaseEstimator

# The losses in each library's log, and ours.
LIGHTGBM_LOSSES = {"training": "train_loss", "early_stopping": "early_stopping_loss"}
XGBOOST_LOSSES = {"validation_0": "train_loss", "validation_1": "early_stopping_loss"}

# What is told the losses of an iteration.
Log = Callable[[dict[str, float]], None]
# The training rows, and those that are watched if it may stop early: features, target.
Sets = list[tuple["pd.DataFrame", "pd.Series"]]


@block
class BoostedModel(Model):
    """Trees boosted by an optional package: columns get plain names, and classes numbers."""

    package = ""
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
    """Trees boosted by LightGBM; `src/blocks/models/lightgbm.py` is a subclass."""

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
            # A classifier's is the log loss by itself.
            metric=by_estimator(task, classifier=None, regressor="rmse"),
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
    """Trees boosted by XGBoost; `src/blocks/models/xgboost.py` is a subclass."""

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
