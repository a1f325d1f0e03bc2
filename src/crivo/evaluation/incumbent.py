"""The incumbent as `evaluate` reads it: the experiment that a new model must beat.

`metrics/incumbent.json` holds its metrics and its jackknife table; `{}` means that there is
none. A difference from it is shown when both were evaluated on the same rows by the same
definition. It is that of this one experiment, and allows for the models that the incumbent was
chosen among; `crivo compare` corrects for all trials.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    ValidationError,
)
from pydantic.dataclasses import dataclass

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.evaluation import Evaluation
from crivo.core.schema import Task
from crivo.evaluation.allowances import allowances, loss_values, losses_between
from crivo.evaluation.metrics import metrics_of
from crivo.statistics.departures import all_of
from crivo.statistics.intervals import (
    LEVEL,
    Estimate,
    difference,
    interval,
    t_quantile,
    verdict,
)

FILE = Path("metrics/incumbent.json")


class About(BaseModel):
    """What every `evaluation.json` says; what else stands there is kept as it is."""

    model_config = ConfigDict(extra="allow", strict=True)

    rows: str
    definition: str
    task: Task
    effective_clusters: Annotated[FiniteFloat, Field(gt=0)] | None = None
    clusters_in_order: bool | None = None
    advised_block: Annotated[int, Field(gt=0)] | None = None
    losses: str = ""


def _intervals(values: Any) -> Any:
    """Return the metrics that the file holds as a table."""
    if isinstance(values, pd.DataFrame) or not isinstance(values, dict):
        return values
    table = pd.DataFrame.from_dict(values, orient="index", dtype=float).rename_axis("metric")
    if "value" not in table:
        raise ValueError("no metric has a value")
    return table


def _jackknife(values: Any) -> Any:
    """Return the metrics without each cluster that the file holds as a table."""
    if isinstance(values, pd.DataFrame) or not isinstance(values, dict):
        return values
    clusters = pd.Index([str(one) for one in values["cluster"]], name="cluster")
    return pd.DataFrame(values["metrics"], index=clusters, dtype=float)


@dataclass(frozen=True, config=ConfigDict(strict=True, arbitrary_types_allowed=True))
class Incumbent:
    """An experiment to beat: what it is, its metrics, and these without each cluster.

    `about` is its `evaluation.json`, `settings` its `params.yaml`, `hashes` those of its
    predictions and its model; `jackknife` has a row per cluster, a column per metric.
    `chosen_among`: the predictions (hashes) of the models that it was chosen among by its result,
    its own with them; empty in a file from before that was kept.
    """

    name: str
    revision: str
    about: About
    intervals: Annotated[pd.DataFrame, BeforeValidator(_intervals)]
    jackknife: Annotated[pd.DataFrame, BeforeValidator(_jackknife)]
    settings: dict[str, Any] = Field(default_factory=dict)
    hashes: dict[str, str] = Field(default_factory=dict)
    chosen_among: Annotated[tuple[str, ...], BeforeValidator(tuple)] = ()

    def estimate(self, metric: str) -> Estimate:
        """Return a metric and its value without each cluster in turn."""
        return Estimate(
            float(self.intervals["value"][metric]),
            self.jackknife[metric].to_numpy(),
            self.about.effective_clusters,
            names=tuple(self.jackknife.index),
        )

    @property
    def how_chosen(self) -> str:
        """How it was chosen, in words."""
        count = len(self.chosen_among)
        if count > 1:
            return f"chosen among {count} models on these rows"
        return "named before others were tried" if count else "chosen in an unknown way"

    def verdict(self, evaluation: Evaluation, about: Mapping[str, Any]) -> dict[str, Any]:
        """Return `metrics.json`'s verdict on an evaluation; empty where they aren't comparable.

        `about`: its `evaluation.json`. The best of many equals was lucky, and a
        new equal looks worse than it: so the interval is as wide as if the experiment were compared
        with each model that this one was chosen among. The level is Šidák's (1967) for as many
        comparisons: they have the new experiment in common, so it isn't too low.
        """
        if self._incomparable(evaluation, about["rows"]):
            return {}
        metric, among = metrics_of(self.about.task)[evaluation.primary], len(self.chosen_among)
        found = difference(metric, _rounded(evaluation), self.estimate(metric.name))
        level = 1 - LEVEL ** (1 / max(among, 1))
        losses = [loss_values(one) for one in (about.get("losses", ""), self.about.losses)]
        allowed = allowances(
            found.deleted[None],
            found.clusters,
            in_order=bool(about.get("clusters_in_order")),
            losses=losses_between(losses[0], losses[1], metric, self.about.task),
            rows=about.get("n_rows", 0),
        )
        found = found._replace(departures=all_of(allowed))
        limits = interval(found, critical=t_quantile(1 - level / 2, found.clusters))
        return {
            "vs_incumbent": found.value,
            "vs_incumbent_low": limits.low,
            "vs_incumbent_high": limits.high,
            "verdict": verdict(limits, metric, evaluation.margin),
            "verdict_against": self.name,
            "incumbent_chosen_among": max(among, 1),
        }

    def caution(self, evaluation: Evaluation, rows: str) -> str:
        """Say why there is no verdict, or which allowance it lacks; empty where all is well."""
        if why := self._incomparable(evaluation, rows):
            return f"The verdict is not against the incumbent, {self.name}: {why}."
        if self.chosen_among:
            return ""
        return (
            f"{FILE} doesn't say how the incumbent, {self.name}, was chosen, so the verdict "
            "against it makes no allowance for that; write it again with `crivo incumbent REV`."
        )

    def _incomparable(self, evaluation: Evaluation, rows: str) -> str:
        """Say why it can't be compared with an evaluation; empty where it can."""
        if self.about.rows != rows:
            return "it was evaluated on other rows"
        if self.about.definition != evaluation.definition:
            return (
                "its metrics were defined differently. Run it again and keep the new result with "
                "`crivo incumbent REV`"
            )
        if evaluation.primary not in self.jackknife:
            return f"it holds no {evaluation.primary}"
        return ""

    def to_json(self) -> dict[str, Any]:
        """Return what the file holds."""
        return {
            "name": self.name,
            "revision": self.revision,
            "about": self.about.model_dump(exclude_unset=True),
            "intervals": self.intervals.to_dict("index"),
            "jackknife": {
                "cluster": list(self.jackknife.index),
                "metrics": self.jackknife.to_dict("list"),
            },
            "settings": self.settings,
            "hashes": self.hashes,
            "chosen_among": list(self.chosen_among),
        }


def read_incumbent(path: Path = FILE) -> Incumbent | None:
    """Return the incumbent that a file holds, or None; CrivoError when something is missing."""
    values = artifacts.read_json(path)
    if not values:
        return None
    try:
        return Incumbent(**values)
    except ValidationError as error:
        first = error.errors()[0]
        why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    except (AttributeError, LookupError, TypeError):
        why = "it has another form"
    raise CrivoError(
        f"{path} isn't an incumbent ({why}); write it again with `crivo incumbent REV`, "
        "or empty it with `crivo incumbent --clear`."
    )


def _rounded(evaluation: Evaluation) -> Estimate:
    """Return the primary metric with the digits that files keep, so that equals are equal."""
    name = evaluation.primary
    deleted = evaluation.jackknife[name]
    return Estimate(
        artifacts.rounded(float(evaluation.metrics["value"][name])),
        np.array(artifacts.rounded(deleted.tolist())),
        evaluation.effective_clusters,
        names=tuple(deleted.index.astype("str")),
    )
