"""Tables for error analysis: the rows with the largest losses, deciles of scores, residuals.

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
    """Return the tables of rows to look at by name; a table that the task lacks is empty.

    `raw` has the raw columns of each row, in the order of the predictions. `worst`: by loss;
    `by_decile`: how well the model does, from its lowest to its highest scores or predictions;
    `by_slice`: the five rows of each slice with the highest loss.
    """
    predictions, losses = evaluated.predictions, evaluated.losses
    order = np.argsort(-losses, kind="stable")
    scores = evaluated.task.score_columns if evaluated.rows.scored else ()
    ours = predictions[[*FIRST, *scores]].assign(loss=losses)
    named = raw.rename(columns={name: f"raw_{name}" for name in raw if name in ours})

    def rows_at(positions: np.ndarray) -> pd.DataFrame:
        tables = (table.iloc[positions].reset_index(drop=True) for table in (ours, named))
        return pd.concat(tables, axis=1)

    worst = order[losses[order] > 0]
    found = [worst[one.inside[worst]][:OF_A_SLICE] for one in slices]
    names = [one.name for one, rows in zip(slices, found, strict=True) for _ in rows]
    by_slice = rows_at(np.concatenate([worst[:0], *found]))
    by_slice.insert(0, "slice", pd.Series(names, dtype="str"), allow_duplicates=True)
    tables = {"worst": rows_at(worst[:SHOWN]), "by_slice": by_slice}
    return tables | {"by_decile": by_decile(evaluated)}


def by_decile(evaluated: Evaluated) -> pd.DataFrame:
    """Return how well the model does in tenths of the rows, from the lowest score on.

    The score is that of the positive class or, if there are several classes, of the predicted
    class; in a regression, it is the prediction. `observed_rate` is the share of positive rows, the
    share of right rows, or the mean target. Rows with equal scores are in the same tenth.
    """
    predictions = evaluated.predictions
    rows = evaluated.rows
    if evaluated.task.has_classes and not rows.scored:
        return pd.DataFrame(columns=DECILES)
    score, observed = (values[rows.places] for values in rows.level_and_outcome)
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
    rows = rows.iloc[np.unique(np.linspace(0, len(rows) - 1, POINTS).astype(int))]
    residual = rows["target"] - rows["prediction"]
    return pd.DataFrame({"prediction": rows["prediction"], "residual": residual})
