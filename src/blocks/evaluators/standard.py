"""The standard evaluator: metrics with intervals, and how they differ from the baseline's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, NonNegativeFloat, field_validator

from crivo import Context, Evaluation, Evaluator, Names, block

if TYPE_CHECKING:
    import pandas as pd

OpenFraction = Annotated[float, Field(gt=0, lt=1)]


@block
class Standard(Evaluator):
    """Metrics for any task, with their intervals and a verdict against the baseline.

    `primary` is the metric that decides the verdict, and `metrics` are the metrics to show; by
    default, they suit the task. `share` is the share of the rows, from the highest scores, that you
    can act on. `margin` is the largest difference in the primary metric that doesn't matter, and
    `margins` contains the margins of other metrics by name. `settings` contains the settings of
    metrics in `src/blocks/metrics` by name.
    """

    primary: str | None = None
    metrics: Names = ()
    share: OpenFraction = 0.1
    margin: NonNegativeFloat = 0.0
    margins: dict[str, NonNegativeFloat] = Field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @field_validator("primary", "metrics", "margins", "settings")
    @classmethod
    def _known(cls, chosen: Any) -> Any:
        """Refuse a name that isn't a metric of any task, before a stage runs."""
        if chosen:
            from crivo import unknown_metric

            if unknown := unknown_metric((chosen,) if isinstance(chosen, str) else tuple(chosen)):
                raise ValueError(unknown)
        return chosen

    def evaluate(self, predictions: pd.DataFrame, context: Context) -> Evaluation:
        """Return the metrics of a predictions table, the baseline's, and the differences."""
        from crivo import assess, choose_metrics

        settings = {"share": self.share, "settings": self.settings}
        metrics = choose_metrics(predictions, context.task, self.primary, self.metrics, settings)
        return assess(predictions, context, metrics, self.margin, self.margins)
