"""XGBoost's gradient boosting; an optional package."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from crivo.core.blocks import Count, CountOrNone, Model, Positive, PositiveOrZero, Training, block
from crivo.core.schema import Task
from crivo.core.tasks import by_estimator

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.base import BaseEstimator

METRICS: dict[Task, str] = {"binary": "logloss", "multiclass": "mlogloss", "regression": "rmse"}
LOSSES = {"validation_0": "train_loss", "validation_1": "early_stopping_loss"}


@block
class XGBoost(Model):
    """Gradient-boosted trees grown level by level. Takes missing values and categories as they are.

    The loss is logged after each iteration. `early_stopping`: stop after so many iterations
    without gain on the rows set aside for it (`train.early_stopping_fraction`); 0 never stops.
    """

    steps = "n_estimators"
    learning_rate: Positive = 0.1
    n_estimators: Count = 200
    max_depth: Count = 6
    min_child_weight: PositiveOrZero = 1.0
    reg_lambda: PositiveOrZero = 1.0
    colsample_bytree: Annotated[Positive, Field(le=1)] = 1.0
    early_stopping: CountOrNone = 0

    def build(self, task: Task, seed: int) -> BaseEstimator:
        """Return a pipeline: columns with plain names, classes as numbers, then XGBoost."""
        from sklearn.pipeline import make_pipeline

        from crivo.core.boosters import NumberedClasses, NumberedColumns
        from crivo.training.packages import missing_package

        try:
            from xgboost import XGBClassifier, XGBRegressor
        except ImportError:
            raise missing_package("xgboost") from None
        kind = by_estimator(task, classifier=XGBClassifier, regressor=XGBRegressor)
        booster = kind(
            learning_rate=self.learning_rate,
            n_estimators=self.n_estimators,
            max_depth=self.max_depth,
            min_child_weight=self.min_child_weight,
            reg_lambda=self.reg_lambda,
            colsample_bytree=self.colsample_bytree,
            early_stopping_rounds=self.early_stopping or None,
            eval_metric=METRICS.get(task),  # else the library takes the one of its objective
            enable_categorical=True,
            tree_method="hist",
            random_state=seed,
            n_jobs=0,  # all cores, and no number that the file would hold
        )
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
        from xgboost.core import XGBoostError

        from crivo.core.boosters import NumberedClasses
        from crivo.training.early_stopping import fit_mask
        from crivo.training.packages import refusing

        rows, final = estimator[0].fit_transform(features), estimator[-1]
        sets = [(rows, target)]
        if self.early_stopping:
            teach = fit_mask(target, training.stopping_mask)
            sets = [(rows[teach], target[teach]), (rows[~teach], target[~teach])]
        inner = final.estimator if isinstance(final, NumberedClasses) else final
        inner.set_params(callbacks=[_logging(training.log)])
        with refusing("xgboost", XGBoostError):
            final.fit(*sets[0], eval_set=sets, verbose=False)
        inner.set_params(callbacks=None)
        if isinstance(final, NumberedClasses):
            final.estimator_.set_params(callbacks=None)
        return estimator

    def fit_batches(
        self, estimator: BaseEstimator, batches: Any, target: pd.Series, training: Training
    ) -> BaseEstimator:
        """Fit as `fit` does, by XGBoost's external memory."""
        from xgboost.core import XGBoostError

        from crivo.training.batches import fit_xgboost
        from crivo.training.packages import refusing

        watched = training.stopping_mask if self.early_stopping else None
        with refusing("xgboost", XGBoostError):
            return fit_xgboost(estimator, batches, target, watched, _logging(training.log))


def _logging(log: Callable[[dict[str, float]], None]) -> Any:
    """Return a callback that logs the losses of each iteration."""
    from xgboost.callback import TrainingCallback

    class Logging(TrainingCallback):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            log(
                {LOSSES[name]: losses[-1] for name, m in evals_log.items() for losses in m.values()}
            )
            return False

    return Logging()
