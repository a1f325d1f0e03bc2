"""`LightgbmModel` and `XgboostModel`: model blocks for the optional boosting libraries."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from crivo.core.blocks import Count, CountOrNone, Model, Positive, PositiveOrZero, Training, block
from crivo.core.errors import CrivoError
from crivo.core.schema import Task
from crivo.core.tasks import by_estimator
from crivo.training.estimators import refusing

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.base import BaseEstimator

# What is logged of each iteration.
LOSSES = ("train_loss", "early_stopping_loss")

# The training rows, and those that are watched if it may stop early: features, target.
Sets = list[tuple["pd.DataFrame", "pd.Series"]]
Tell = Callable[..., object]


@block
class BoostedModel(Model):
    """Trees boosted by an optional package: columns get plain names, and classes numbers.

    All settings but `early_stopping` are the package's own, and are handed to its estimator.
    """

    package = ""
    learning_rate: Positive = 0.1
    n_estimators: Count = 200
    reg_lambda: PositiveOrZero = 0.0
    colsample_bytree: Annotated[Positive, Field(le=1)] = 1.0
    early_stopping: CountOrNone = 0

    @abstractmethod
    def _booster(self, task: Task, settings: dict[str, Any]) -> Any:
        """Return the package's estimator; ImportError when the package isn't installed."""

    @abstractmethod
    def _fit(self, final: Any, sets: Sets, tell: Tell) -> None:
        """Fit the last step, an estimator or `NumberedClasses` of one.

        Tell the package's loss of each of the sets after each iteration.
        """

    def build(self, task: Task, seed: int) -> BaseEstimator:
        """Return a pipeline: columns with plain names, classes as numbers, then the booster."""
        from sklearn.pipeline import make_pipeline

        from crivo.core.boosters import NumberedClasses, NumberedColumns

        # On all cores, without a number that the file would hold.
        settings = asdict(self) | {"random_state": seed, "n_jobs": 0}
        del settings["early_stopping"]
        try:
            booster = self._booster(task, settings)
        except ImportError:
            raise CrivoError(
                f"model {self.package} needs the package {self.package}, which is not installed: "
                "`make extras` adds it to the environment; without make: `python -m pip install "
                "--use-pep517 --no-build-isolation --require-hashes -r requirements/extras.txt`."
            ) from None
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
        self._fit(final, sets, lambda *told: training.log(dict(zip(LOSSES, told, strict=False))))
        return estimator


@block
class LightgbmModel(BoostedModel):
    """Boosted trees from LightGBM; `src/blocks/models/lightgbm.py` defines a subclass."""

    package = "lightgbm"
    num_leaves: Annotated[int, Field(ge=2, le=131072)] = 31
    min_child_samples: Count = 20

    def _booster(self, task: Task, settings: dict[str, Any]) -> Any:
        from lightgbm import LGBMClassifier, LGBMRegressor

        kind = by_estimator(task, classifier=LGBMClassifier, regressor=LGBMRegressor)
        return kind(
            **settings,
            # A classifier's is the log loss by itself.
            metric=by_estimator(task, classifier=None, regressor="rmse"),
            deterministic=True,
            force_row_wise=True,
            verbose=-1,
        )

    def _fit(self, final: Any, sets: Sets, tell: Tell) -> None:
        from lightgbm import early_stopping
        from lightgbm.basic import LightGBMError

        stops = [early_stopping(self.early_stopping, verbose=False)] if self.early_stopping else []
        with refusing("lightgbm", "models.lightgbm", LightGBMError):
            final.fit(
                *sets[0],
                eval_X=tuple(rows for rows, _ in sets),
                eval_y=tuple(target for _, target in sets),
                # By losses of the name `training` it never stops.
                eval_names=["training", "early_stopping"][: len(sets)],
                callbacks=[
                    *stops,
                    lambda now: tell(*(one[2] for one in now.evaluation_result_list)),
                ],
            )
        booster = getattr(final, "estimator_", final)
        # Their last bits depend on the number of threads, so the file doesn't hold them.
        booster._evals_result, booster._best_score, booster.booster_.best_score = {}, {}, {}


@block
class XgboostModel(BoostedModel):
    """Boosted trees from XGBoost; `src/blocks/models/xgboost.py` defines a subclass."""

    package = "xgboost"
    max_depth: Count = 6
    min_child_weight: PositiveOrZero = 1.0
    reg_lambda: PositiveOrZero = 1.0

    def _booster(self, task: Task, settings: dict[str, Any]) -> Any:
        from xgboost import XGBClassifier, XGBRegressor

        kind = by_estimator(task, classifier=XGBClassifier, regressor=XGBRegressor)
        return kind(
            **settings,
            early_stopping_rounds=self.early_stopping or None,
            enable_categorical=True,
            tree_method="hist",
        )

    def _fit(self, final: Any, sets: Sets, tell: Tell) -> None:
        from xgboost.callback import TrainingCallback
        from xgboost.core import XGBoostError

        class Told(TrainingCallback):
            def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
                tell(*(losses[-1] for one in evals_log.values() for losses in one.values()))
                return False

        getattr(final, "estimator", final).callbacks = [Told()]
        with refusing("xgboost", "models.xgboost", XGBoostError):
            final.fit(*sets[0], eval_set=sets, verbose=False)
        for name in ("estimator", "estimator_"):  # the file doesn't hold them
            getattr(final, name, final).callbacks = None
