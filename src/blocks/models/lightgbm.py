"""LightGBM's gradient boosting; an optional package."""

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

METRICS: dict[Task, str] = {
    "binary": "binary_logloss",
    "multiclass": "multi_logloss",
    "regression": "rmse",
}
LOSSES = {"training": "train_loss", "early_stopping": "early_stopping_loss"}


@block
class LightGBM(Model):
    """Gradient-boosted trees grown leaf by leaf. Takes missing values and categories as they are.

    The loss is logged after each iteration. `early_stopping`: stop after so many iterations
    without gain on the rows set aside for it (`train.early_stopping_fraction`); 0 never stops.
    """

    steps = "n_estimators"
    learning_rate: Positive = 0.1
    n_estimators: Count = 200
    num_leaves: Annotated[int, Field(ge=2, le=131072)] = 31
    min_child_samples: Count = 20
    reg_lambda: PositiveOrZero = 0.0
    colsample_bytree: Annotated[Positive, Field(le=1)] = 1.0
    early_stopping: CountOrNone = 0

    def build(self, task: Task, seed: int) -> BaseEstimator:
        """Return a pipeline: columns with plain names, classes as numbers, then LightGBM."""
        from sklearn.pipeline import make_pipeline

        from crivo.core.boosters import NumberedClasses, NumberedColumns
        from crivo.training.packages import missing_package

        try:
            from lightgbm import LGBMClassifier, LGBMRegressor
        except ImportError:
            raise missing_package("lightgbm") from None
        kind = by_estimator(task, classifier=LGBMClassifier, regressor=LGBMRegressor)
        booster = kind(
            learning_rate=self.learning_rate,
            n_estimators=self.n_estimators,
            num_leaves=self.num_leaves,
            min_child_samples=self.min_child_samples,
            reg_lambda=self.reg_lambda,
            colsample_bytree=self.colsample_bytree,
            metric=METRICS.get(task),  # else the library takes the one of its objective
            random_state=seed,
            n_jobs=0,  # all cores, and no number that the file would hold
            deterministic=True,
            force_row_wise=True,
            verbose=-1,
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
        from lightgbm import early_stopping
        from lightgbm.basic import LightGBMError

        from crivo.training.early_stopping import fit_mask
        from crivo.training.packages import refusing

        rows, final = estimator[0].fit_transform(features), estimator[-1]
        callbacks: list[Any] = [_logging(training.log)]
        sets = {"training": (rows, target)}
        if self.early_stopping:
            teach = fit_mask(target, training.stopping_mask)
            sets["training"] = (rows[teach], target[teach])
            sets["early_stopping"] = (rows[~teach], target[~teach])
            callbacks.append(early_stopping(self.early_stopping, verbose=False))
        with refusing("lightgbm", LightGBMError):
            final.fit(
                *sets["training"],
                eval_X=tuple(rows for rows, _ in sets.values()),
                eval_y=tuple(target for _, target in sets.values()),
                eval_names=list(sets),
                callbacks=callbacks,
            )
        _forget_losses(getattr(final, "estimator_", final))
        return estimator


def _forget_losses(booster: Any) -> None:
    """Take out the losses, which are logged: their last bits depend on the number of threads."""
    booster._evals_result, booster._best_score, booster.booster_.best_score = {}, {}, {}


def _logging(log: Callable[[dict[str, float]], None]) -> Callable[[Any], None]:
    """Return a callback that logs the losses of each iteration."""

    def after(environment: Any) -> None:
        losses = environment.evaluation_result_list
        log({LOSSES[name]: loss for name, _, loss, *_ in losses})

    return after
