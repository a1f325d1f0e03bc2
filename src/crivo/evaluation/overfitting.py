"""What memorised training rows cost: how much better predictions get when they say less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

# By how much of the baseline's loss training must be better than held-out rows, and predictions
# between the model's and their mean better than the model's. docs/checks.md has the simulations.
GAP, HARM = 0.25, 0.15
# Labels can't say less. Held-out rows must keep no more than this part of what training gains.
KEPT = 0.25
# Steps from the mean prediction to the model's.
STEPS = 20


@dataclass(frozen=True)
class Gains:
    """Shares of the baseline's loss that a model takes off.

    `training`, `held_out`: on these rows; `drawn_in`: on held-out rows if its predictions were
    drawn in towards their mean by the best amount, none for labels and where there is no gap.
    """

    training: float
    held_out: float
    drawn_in: float | None

    @property
    def memorised(self) -> bool:
        """Whether training is far better, and that does harm."""
        if self.training - self.held_out <= GAP:
            return False
        if self.drawn_in is None:
            return self.held_out < KEPT * self.training
        return self.drawn_in - self.held_out > HARM


def gains(
    table: pd.DataFrame, scores: list[str], metrics: Mapping[str, Any], training: Mapping[str, Any]
) -> Gains | None:
    """Return the gains of a predictions table whose score columns are named; None if unknown.

    `metrics` as in metrics/evaluation/metrics.json, `training` as in that of metrics/train. The
    share of errors stands for the loss only where there are no scores.
    """
    learnt = _gain(training.get("train_loss"), training.get("baseline_train_loss"))
    for name in ("rmse", "log_loss" if scores else "accuracy"):
        loss, baseline = metrics.get(name), metrics.get(f"baseline_{name}")
        if loss is None or baseline is None:
            continue
        if name == "accuracy":
            loss, baseline = 1 - loss, 1 - baseline
        kept = _gain(loss, baseline)
        if learnt is None or kept is None:
            return None
        # Without a gap nothing was memorised, whatever predictions that say less would lose.
        asked = name != "accuracy" and learnt - kept > GAP
        best = min(loss, _drawn_in(table, scores, loss)) if asked else None
        return Gains(learnt, kept, None if best is None else 1 - best / baseline)
    return None


def _gain(loss: float | None, baseline: float | None) -> float | None:
    """Return the share of the baseline's loss that the model takes off; None without losses."""
    return None if loss is None or not baseline else 1 - loss / baseline


def _drawn_in(table: pd.DataFrame, scores: list[str], loss: float) -> float:
    """Return the smallest loss of predictions on the way from their mean to the model's."""
    import numpy as np

    weight = table["weight"].to_numpy(float) if "weight" in table else np.ones(len(table))
    if scores:
        ways = [
            _log_losses(p, mean, weight) for p, mean in _of_what_happened(table, scores, weight)
        ]
        # A single score doesn't say whose it is; its loss does.
        return float(min(ways, key=lambda losses: abs(losses[-1] - loss)).min())
    target, said = table["target"].to_numpy(float), table["prediction"].to_numpy(float)
    mean = np.average(said, weights=weight)
    errors = target - mean - _parts() * (said - mean)
    return float(np.sqrt(np.average(errors**2, weights=weight, axis=1)).min())


def _of_what_happened(
    table: pd.DataFrame, scores: list[str], weight: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return each row's score of what happened, and the mean score of that over all rows."""
    import numpy as np
    import pandas as pd

    codes, found = pd.factorize(table["target"], sort=True)
    if scores == ["score"]:
        score = table["score"].to_numpy(float)
        mean = np.average(score, weights=weight)
        classes = [codes == number for number in range(len(found))]
        return [(np.where(k, score, 1 - score), np.where(k, mean, 1 - mean)) for k in classes]
    names = np.array([name.removeprefix("score_") for name in scores])
    probabilities = table[scores].to_numpy(float)
    order, labels = np.argsort(names), np.array([str(label) for label in found])
    place = order[np.searchsorted(names, labels, sorter=order).clip(max=len(names) - 1)][codes]
    means = np.average(probabilities, weights=weight, axis=0)
    return [(probabilities[np.arange(len(place)), place], means[place])]


def _log_losses(given: np.ndarray, mean: np.ndarray, weight: np.ndarray) -> np.ndarray:
    import numpy as np

    from crivo.evaluation.rows import log_losses

    drawn = mean + _parts() * (given - mean)
    losses: np.ndarray = np.average(log_losses(drawn), weights=weight, axis=1)
    return losses


def _parts() -> np.ndarray:
    import numpy as np

    return np.linspace(0, 1, STEPS + 1)[:, None]
