"""Tables for error analysis: the rows with the largest losses.

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

FIRST = ["id", "target", "prediction"]


def error_tables(
    evaluated: Evaluated, raw: pd.DataFrame, slices: Sequence[Slice] = ()
) -> dict[str, pd.DataFrame]:
    """Return the tables of rows to look at by name.

    `raw` has the raw columns of each row, in the order of the predictions. `worst`: by loss;
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
    return {"worst": rows_at(worst[:SHOWN]), "by_slice": by_slice}
