"""Groups of rows that the jackknife leaves out: the clusters, merged if there are more than 200."""

from __future__ import annotations

import numpy as np
import pandas as pd

from crivo.core.predictions import DEFAULT_CLUSTERS, stable_hash

# More groups than this don't improve an interval; they only take longer.
MOST_GROUPS = 200

NUMBER = r"-?\d+(\.\d+)?"
DAY = r"\d{4}-\d{2}(-\d{2}.*)?"

# This many rows agree with the hashes of their ids by chance in one of 50**20 tables.
ROWS_TO_LOOK_AT = 20


def jackknife_groups(predictions: pd.DataFrame) -> pd.Categorical:
    """Return each row's group: the rows left out together.

    A group is a cluster; more than 200 clusters are merged into 200 groups with numbers of clusters
    that are as equal as possible (the delete-a-group jackknife of Kott 2001). Clusters that are
    numbers or dates are `ordered`, and neighbours are merged. Other clusters, and those made from a
    hash of the id, have no order and are merged by a hash of their name.

    >>> rows = pd.DataFrame({"id": ["a", "b", "c"], "cluster": [10, 9, 10]})
    >>> jackknife_groups(rows).categories.tolist()
    ['9', '10']
    """
    codes, found = pd.factorize(predictions["cluster"])
    names = pd.Index(found).astype("str")
    keys = None if made_by_hash(predictions) else _order_keys(names)
    ordered = keys is not None
    if keys is None and len(names) > MOST_GROUPS:
        keys = np.array([stable_hash(name) for name in names], dtype=object)
    order = np.argsort(names.to_numpy() if keys is None else keys, kind="stable")
    rank = np.argsort(order)
    labels = names[order]
    if len(names) > MOST_GROUPS:
        rank = rank * MOST_GROUPS // len(names)
        labels = pd.Index(range(MOST_GROUPS)).astype("str")
    return pd.Categorical.from_codes(rank[codes], categories=labels, ordered=ordered)


def made_by_hash(predictions: pd.DataFrame) -> bool:
    """Whether the clusters were made by a hash, because the table names none."""
    first = predictions.iloc[:ROWS_TO_LOOK_AT]
    hashed = [stable_hash(str(name)) % DEFAULT_CLUSTERS for name in first["id"]]
    return first["cluster"].astype("str").tolist() == [str(number) for number in hashed]


def _order_keys(names: pd.Index) -> np.ndarray | None:
    """Return keys that sort the clusters, or None if their names have no order."""
    if names.str.fullmatch(NUMBER).all():
        return names.astype(float).to_numpy()
    if names.str.fullmatch(DAY).all():
        return names.to_numpy()
    return None
