"""Rows to look at: where the model is most wrong, with their raw columns.

All tables are small, in a fixed order, and made from held-out rows only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from crivo.evaluation.slices import Slice
from crivo.evaluation.tasks import Evaluated

# Rows of each table, and of each slice.
SHOWN = 50
OF_A_SLICE = 5
BINS = 10
POINTS = 1000

FIRST = ["id", "target", "prediction"]
DECILES = ["decile", "rows", "lowest", "highest"]
DECILES += ["mean_score", "observed_rate", "error_rate", "mean_loss"]
RESIDUALS = ["prediction", "residual"]


def error_tables(
    evaluated: Evaluated, raw: pd.DataFrame, slices: Sequence[Slice] = ()
) -> dict[str, pd.DataFrame]:
    """Return the tables of rows to look at by name; one that a task doesn't have has no rows.

    `raw` has the raw columns of each row, in the order of the predictions. `worst`: by loss;
    `by_decile`: how often the model is wrong, from its lowest to its highest scores or predictions;
    `by_slice`: the five rows of each slice with the highest loss.
    """
    predictions, losses = evaluated.predictions, evaluated.losses
    order = np.argsort(-losses, kind="stable")
    scores = evaluated.task.score_columns if evaluated.scored else ()
    ours = predictions[[*FIRST, *scores]].assign(loss=losses)
    named = raw.rename(columns={name: f"raw_{name}" for name in raw if name in ours})

    def rows_at(positions: np.ndarray) -> pd.DataFrame:
        tables = (table.iloc[positions].reset_index(drop=True) for table in (ours, named))
        return pd.concat(tables, axis=1)

    names, positions = worst_of_slices(slices, order[losses[order] > 0])
    by_slice = rows_at(positions)
    by_slice.insert(0, "slice", names, allow_duplicates=True)
    worst_rows = rows_at(worst(losses, order))
    return {"worst": worst_rows, "by_decile": by_decile(evaluated), "by_slice": by_slice}


def worst(losses: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return the positions of the rows with the highest loss; of equal ones some, evenly spread.

    `order`: the positions of all rows, the highest loss first.
    """
    cut = losses[order[min(SHOWN, len(order)) - 1]]
    above, at = order[losses[order] > cut], order[(losses[order] == cut) & (cut > 0)]
    left = SHOWN - len(above)
    return np.append(above, at[_spread(len(at), left)])


def worst_of_slices(slices: Sequence[Slice], order: np.ndarray) -> tuple[pd.Series, np.ndarray]:
    """Return slices' names and the positions of their rows with the highest loss above 0.

    `order`: the positions of the rows with such a loss, the highest first.
    """
    names: list[str] = []
    places = [np.arange(0)]
    for one in slices:
        found = order[np.flatnonzero(one.inside[order])[:OF_A_SLICE]]
        names += [one.name] * len(found)
        places.append(found)
    return pd.Series(names, dtype="str"), np.concatenate(places).astype(int)


def by_decile(evaluated: Evaluated) -> pd.DataFrame:
    """Return how good the model is in tenths of the rows, from the lowest score on.

    The score is that of the positive class, of several classes that of the predicted one, and
    of a regression the prediction; `observed_rate` is the positives' share, the right ones'
    share, or the mean target. Rows of equal score share a tenth.
    """
    predictions = evaluated.predictions
    level_and_outcome = evaluated.level_and_outcome()
    if level_and_outcome is None:
        return pd.DataFrame(columns=DECILES)
    score, observed = level_and_outcome
    bins = pd.qcut(score, BINS, labels=False, duplicates="drop")
    wrong = (predictions["target"] != predictions["prediction"]).to_numpy(float)
    if not evaluated.task.has_classes:
        wrong = np.full(len(wrong), np.nan)
    parts = dict(zip(DECILES[4:], (score, observed, wrong, evaluated.losses), strict=True))
    weighted = pd.DataFrame(parts).mul(evaluated.weight, axis="index")
    places = np.nan_to_num(bins)
    sums = weighted.assign(weight=evaluated.weight).groupby(places).sum(min_count=1)
    table = sums[list(parts)].div(sums["weight"], axis="index")
    ends = pd.Series(score).groupby(places).agg(["size", "min", "max"])
    table[["rows", "lowest", "highest"]] = ends
    table["decile"] = range(1, len(table) + 1)
    return table[DECILES].reset_index(drop=True)


def residuals(evaluated: Evaluated) -> pd.DataFrame:
    """Return target minus prediction for 1,000 rows, evenly spread over the predictions."""
    if evaluated.task.has_classes:
        return pd.DataFrame(columns=RESIDUALS)
    rows = evaluated.predictions.sort_values(["prediction", "id"])
    rows = rows.iloc[_spread(len(rows), POINTS)]
    residual = rows["target"] - rows["prediction"]
    return pd.DataFrame({"prediction": rows["prediction"], "residual": residual})


def _spread(length: int, count: int) -> np.ndarray:
    """Return so many positions, evenly spread; all when there are fewer."""
    if length <= count:
        return np.arange(length)
    return np.linspace(0, length - 1, count).astype(int)
