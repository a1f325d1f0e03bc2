"""The standard evaluator: each metric with its interval, beside the baseline and against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field, NonNegativeFloat, field_validator

from crivo.core.blocks import Evaluator, Names, block
from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context, Evaluation

if TYPE_CHECKING:
    import pandas as pd

    from crivo.core.schema import Task
    from crivo.evaluation.metrics import Metric

OpenFraction = Annotated[float, Field(gt=0, lt=1)]


@block
class Standard(Evaluator):
    """Metrics of any task with their intervals, and a verdict against the baseline.

    `primary` is the metric that decides and `metrics` are those shown; left out, they are
    what suits the task. `share` is the riskiest share of the rows that can be worked on.
    `margin` is the greatest difference of the primary metric that doesn't matter.
    """

    primary: str | None = None
    metrics: Names = ()
    share: OpenFraction = 0.1
    margin: NonNegativeFloat = 0.0

    @field_validator("primary", "metrics")
    @classmethod
    def _known(cls, chosen: str | tuple[str, ...] | None) -> str | tuple[str, ...] | None:
        """Refuse before any stage works what is no metric of any task."""
        if chosen:
            from crivo.evaluation.metrics import unknown_metric

            if unknown := unknown_metric((chosen,) if isinstance(chosen, str) else chosen):
                raise ValueError(unknown)
        return chosen

    def evaluate(self, predictions: pd.DataFrame, context: Context) -> Evaluation:
        """Return the metrics of a predictions table, those of the baseline, and what differs."""
        from crivo.evaluation.assess import assess

        scored = any(str(name).startswith("score") for name in predictions)
        return assess(predictions, context, self.choose(context.task, scored), self.margin)

    def choose(self, task: Task, scored: bool) -> list[Metric]:
        """Return the metrics to show, the primary one first."""
        from crivo.evaluation.metrics import find_metrics
        from crivo.evaluation.tasks import task_evaluation

        usual = task_evaluation(task).default_metrics(scored)
        names = (self.primary or usual[0], *(self.metrics or usual))
        chosen = find_metrics(names, task, {"share": self.share})
        if not chosen[0].interval:
            raise CrivoError(
                f"{names[0]} has no interval, so it can't be the primary metric; "
                "set evaluators.standard.primary to another."
            )
        return chosen
