"""Do the clusters follow what makes rows alike: the time or the group that the data name?"""

from __future__ import annotations

import pandas as pd

from crivo.core.schema import Schema

# Fewer groups or moments than this make no clusters.
MIN_CLUSTERS = 4


def unused_dependence(
    predictions: pd.DataFrame, schema: Schema | None, rows: pd.DataFrame | None
) -> str | None:
    """Warn when rows have a time or a group and the clusters follow neither; None otherwise.

    Clusters follow a group when each group is in one of them, and a time when they come one
    after the other.
    """
    columns = [] if schema is None else [name for name in (schema.group, schema.time) if name]
    if schema is None or rows is None or not columns or predictions["cluster"].nunique() < 2:
        return None
    ids = pd.Index(rows[schema.id].astype("str"))
    places = ids.get_indexer_for(pd.Index(predictions["id"]))
    if (places < 0).any():
        return None
    known = rows.iloc[places]
    clusters = pd.Series(pd.factorize(predictions["cluster"])[0], known.index)
    if schema.group and _nested(known[schema.group], clusters):
        return None
    if schema.time and _one_after_the_other(known[schema.time], clusters):
        return None
    named = " and ".join(f"`{name}`" for name in columns)
    columns = [name for name in columns if known[name].nunique() >= MIN_CLUSTERS]
    if not columns:
        return (
            f"Rows of one {named} may be alike, and there are too few to leave one out at a time: "
            "the intervals are likely to be too short."
        )
    advice = f"evaluate.cluster: {columns[0]}"
    if columns[0] == schema.time:
        advice += " with a period or blocks (evaluate.period, evaluate.block)"
    return (
        f"Rows of one {named} may be alike, and evaluate.cluster doesn't say so: the intervals "
        f"are likely to be too short. Set {advice}."
    )


def _nested(groups: pd.Series, clusters: pd.Series) -> bool:
    """Say whether each group lies in one cluster."""
    return bool((clusters.groupby(groups.to_numpy()).nunique() <= 1).all())


def _one_after_the_other(times: pd.Series, clusters: pd.Series) -> bool:
    """Say whether the clusters don't overlap in time."""
    pairs = pd.DataFrame({"time": times.to_numpy(), "cluster": clusters.to_numpy()})
    order = pairs.drop_duplicates().sort_values(["time", "cluster"])
    if order["time"].duplicated().any():
        return False
    changes = int((order["cluster"] != order["cluster"].shift()).sum())
    return changes == order["cluster"].nunique()
