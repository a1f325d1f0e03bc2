"""Builds the predictions table, which models hand to the evaluation, with its clusters.

One row per evaluated row, sorted by id:

| column | type | meaning |
| --- | --- | --- |
| `id` | text | the raw row's key; unique |
| `target` | the target's type | what happened |
| `prediction` | the target's type | what the model said |
| `score` | number in [0, 1] | binary: the probability of the positive class |
| `score_<class>` | numbers, sum 1 | multiclass: the probability of each class |
| `cluster` | text or number | rows that belong together have the same value |
| `weight` | number > 0 | how much the row counts; 1 when nothing else is known |
| `slice_<name>` | any | columns to break the metrics down by |

Scores are optional: a model may give labels only. Without `cluster` and `weight` the clusters
come from a hash of the id and every row counts 1. docs/evaluation.md says more.
"""

from __future__ import annotations

import hashlib
import re
from heapq import nsmallest
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.params import EvaluateSettings
from crivo.core.problems import did_you_mean
from crivo.core.schema import Period, Schema, Task
from crivo.core.tasks import task_of
from crivo.core.wording import a_few, counted

# The version of the table's form; a Parquet file carries it under this name.
VERSION = 1
VERSION_KEY = "crivo_predictions_version"

# What pandas calls the periods; weeks begin on Mondays.
PERIODS: dict[Period, str] = {
    "hour": "h", "day": "D", "week": "W-SUN", "month": "M", "quarter": "Q", "year": "Y",
}  # fmt: skip

# What a row is called that no column names: a hash of its content, and the number of its copy.
CONTENT_ID = re.compile(r"[0-9a-f]{16}(~\d+)?")

# Used when nothing names the clusters; the same for every experiment on the same ids.
DEFAULT_CLUSTERS = 50

# How many ids of a table are sampled.
SAMPLE = 320

# Rows that are predicted at once: a model copies them.
BATCH_ROWS = 2**17

# Probabilities written with three digits may miss the sum of one by this much.
SUM_TOLERANCE = 5e-3

# Without any settings.
USUAL = EvaluateSettings()


def build_predictions(
    rows: pd.DataFrame,
    schema: Schema,
    prediction: np.ndarray,
    scores: np.ndarray | None = None,
    settings: EvaluateSettings = USUAL,
) -> pd.DataFrame:
    """Return the predictions table of `rows`, sorted by id.

    `scores` has one column per class, in the order of `schema.classes`; the settings name the
    clusters and the slices.
    """
    if len(prediction) != len(rows):
        raise CrivoError(f"There is a prediction for {len(prediction)} of {len(rows)} rows.")
    table = {
        "id": rows[schema.id].astype("str").array,
        "target": rows[schema.target].to_numpy(),
        "prediction": prediction,
    }
    if scores is not None:
        table |= task_of(schema).to_columns(scores)
    table["cluster"] = assign_clusters(rows, schema.id, settings).to_numpy()
    table["weight"] = rows[schema.weight].to_numpy(float) if schema.weight else np.ones(len(rows))
    table |= {f"slice_{name}": _column(rows, name, "slices").array for name in settings.slices}
    predictions = pd.DataFrame(table).sort_values("id", ignore_index=True)
    predictions.attrs[VERSION_KEY] = VERSION
    return predictions


def as_probabilities(scores: Any, rows: int, classes: int) -> np.ndarray:
    """Return what `predict_proba` gave as an array; CrivoError: these aren't probabilities."""
    found = np.asarray(scores)
    fits = found.shape == (rows, classes)
    if not fits or not np.allclose(found.sum(axis=1), 1, rtol=0, atol=SUM_TOLERANCE):
        gave = "rows that don't sum to one" if fits else f"an array of the shape {found.shape}"
        raise CrivoError(
            f"The model's predict_proba gives {gave}, but for each of {rows:,} rows it must give "
            f"the probabilities of the {classes} classes. Correct the model; `make test` tests it."
        )
    return found


def assign_clusters(
    rows: pd.DataFrame, id_column: str, settings: EvaluateSettings = USUAL
) -> pd.Series:
    """Return each row's cluster: the values of a column, or blocks of consecutive values.

    Blocks are as equal as they can be and never shorter than `block` values: 61 days in
    blocks of 5 make 12 (Künsch 1989). With a `period`, dates count as its first day or hour.
    Without a column, 50 clusters by a hash of the id.

    >>> days = pd.DataFrame({"id": list("abcde"), "day": [1, 2, 3, 4, 5]})
    >>> assign_clusters(days, "id", EvaluateSettings(cluster="day", block=2)).tolist()
    [0, 0, 0, 1, 1]
    """
    cluster, block, period = settings.cluster, settings.block, settings.period
    if cluster is None:
        ids = rows[id_column].astype("str")
        return ids.map(lambda name: stable_hash(name) % DEFAULT_CLUSTERS)
    values = _column(rows, cluster, "cluster")
    if values.isna().any():
        count = counted(values.isna().sum(), "missing value")
        raise CrivoError(f"evaluate.cluster: column {cluster!r} has {count}.")
    if period is not None:
        values = period_starts(values, period)
    if block == 1:
        return values.astype("str")
    order = np.sort(values.unique())
    blocks = max(1, len(order) // block)
    rank = np.searchsorted(order, values.to_numpy())
    return pd.Series(rank * blocks // len(order), index=rows.index)


def period_starts(dates: pd.Series, period: Period) -> pd.Series:
    """Return the start of the period that each date lies in, by the clock of its own time zone.

    >>> period_starts(pd.Series(pd.to_datetime(["2013-01-05"])), "week").dt.day.tolist()
    [31]
    """
    if not pd.api.types.is_datetime64_any_dtype(dates.dtype):
        raise CrivoError(
            f"evaluate.period is {period!r}, but the column {dates.name!r} contains no dates; "
            "leave the period out (null)."
        )
    starts: pd.Series = dates.dt.tz_localize(None).dt.to_period(PERIODS[period]).dt.start_time
    return starts


def _column(rows: pd.DataFrame, name: str, setting: str) -> pd.Series:
    if name not in rows:
        raise CrivoError(
            f"evaluate.{setting} names {name!r}, which isn't a column of the prepared rows"
            f"{did_you_mean(name, [*rows]) or '.'} There are: {a_few(map(str, rows), 30)}."
        )
    return rows[name]


def stable_hash(text: str) -> int:
    """Return a hash that is the same in every process and on every machine."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def about_rows(predictions: pd.DataFrame, task: Task, positive: Any = None) -> dict[str, Any]:
    """Return what tells the rows of a predictions table from those of others.

    `rows`: their fingerprint; only equal ones may be compared. It covers ids, targets, clusters and
    weights of the rows sorted by id, the task and the positive class; not the predictions, the
    split's name, the seed or the slices.
    `sample`: a sample of their ids, hashed: tables with ids in common share some. It holds the
    smallest hashes (a bottom-k sketch, Broder 1997). Of two tables that share one row in fifty, two
    pairs in a thousand share none.
    `named_by_content`: the ids are hashes of the rows' content, which another column changes.
    """
    table = predictions.sort_values("id")
    digest = hashlib.blake2b(f"{task}\n{positive!s}\n".encode(), digest_size=16)
    for name in ("id", "target", "cluster"):  # one by one: millions of texts are large
        digest.update("\x1f".join(_texts(table[name])).encode())
    digest.update(table["weight"].to_numpy("<f8").tobytes())
    ids = _texts(table["id"])
    hashes = (hashlib.blake2b(name.encode(), digest_size=8).digest() for name in ids)
    by_content = all(CONTENT_ID.fullmatch(name) for name in ids)
    return {
        "rows": digest.hexdigest()[:12],
        "sample": [smallest.hex()[:10] for smallest in nsmallest(SAMPLE, hashes)],
        **({"named_by_content": True} if by_content else {}),
    }


def roc_auc(positive: np.ndarray, scores: np.ndarray) -> float:
    """Return the ROC AUC of independent rows without weights, from ranks (Mann & Whitney 1947).

    `positive`: 1 for a row of the positive class, 0 for another; both occur. Equal scores share
    their mean rank.

    >>> roc_auc(np.array([0, 1, 0, 1]), np.array([0.1, 0.3, 0.3, 0.5]))
    0.875
    """
    ranks, count = pd.Series(scores).rank().to_numpy(), positive.sum()
    return float((ranks @ positive / count - (count + 1) / 2) / (len(ranks) - count))


def _texts(values: pd.Series) -> list[str]:
    # an array of Arrow's texts is iterated slowly
    texts: list[str] = values.astype("str").to_numpy(object).tolist()
    return texts
