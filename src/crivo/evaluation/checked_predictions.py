"""Reads a predictions table with distrust: whatever made it, it is right or it is refused.

Models and outside systems hand in tables; a duplicate row, a score above one or a class nobody
knows would not stop the metrics, it would just make them wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context
from crivo.core.predictions import VERSION, VERSION_KEY, assign_clusters
from crivo.core.tasks import task_of

NEEDED = ("id", "target", "prediction")

# Probabilities written with three digits may miss the sum of one by this much.
SUM_TOLERANCE = 5e-3
# Single-precision numbers may leave [0, 1] by this much; they are put back.
RANGE_TOLERANCE = 1e-6

# How true and false may be written.
BOOLEANS = {"true": True, "false": False, "TRUE": True, "FALSE": False, "1": True, "0": False}


def check_predictions(
    table: pd.DataFrame, context: Context, ids: Sequence[Any] | pd.Series | None = None
) -> pd.DataFrame:
    """Return a predictions table in its proper form: sorted by id, labels as the classes are.

    Clusters and weights are added where there are none; other columns than those of the form
    are left out. `ids` are the rows that must be there, no more and no fewer. CrivoError: the
    table is not what docs/evaluation.md says, and what to do about it.
    """
    _require_form(table)
    names = _ids(table["id"])
    if ids is not None:
        _require_same(names, pd.Index(list(ids)).astype("str"))
    columns: dict[str, Any] = {"id": names}
    for name in ("target", "prediction"):
        if task_of(context).has_classes:
            columns[name] = as_classes(table[name], context.classes)
        else:
            columns[name] = _numbers(table[name], name)
    columns |= _scores(table, context)
    columns["cluster"] = _clusters(table, names)
    columns["weight"] = _weights(table)
    columns |= {str(name): table[name].array for name in table if str(name).startswith("slice_")}
    predictions = pd.DataFrame(columns)
    if not _rising(names):
        predictions = predictions.sort_values("id", ignore_index=True)
    predictions.attrs[VERSION_KEY] = VERSION
    return predictions


def _require_form(table: pd.DataFrame) -> None:
    version = table.attrs.get(VERSION_KEY, VERSION)
    if version != VERSION:
        raise CrivoError(
            f"The predictions table has version {version} of its format, and this crivo reads "
            f"version {VERSION}; make it again with the current code."
        )
    lacking = [name for name in NEEDED if name not in table]
    if lacking:
        raise CrivoError(
            f"The predictions table lacks the column {', '.join(lacking)} (there are: "
            f"{', '.join(map(str, table.columns))}); it needs {', '.join(NEEDED)}."
        )
    if not len(table):
        raise CrivoError("The predictions table has no rows; give it one for each evaluated row.")


def _ids(column: pd.Series) -> Any:
    names = column.astype("str")
    missing = int((column.isna() | (names.str.strip() == "")).sum())
    if missing:
        raise CrivoError(f"The predictions table has {missing} rows without an id; name each row.")
    twice = names[:0] if _rising(names.array) else names[names.duplicated()]
    if len(twice):
        raise CrivoError(
            f"The predictions table has {twice.nunique()} ids more than once, such as "
            f"{twice.iat[0]!r}; each evaluated row has exactly one prediction."
        )
    return names.array


def _rising(names: Any) -> bool:
    """Return whether each id is above the one before it: they are in order, and none is twice."""
    return bool((names[1:] > names[:-1]).all())


def _require_same(given: Any, expected: pd.Index) -> None:
    names = pd.Index(given)
    lacking, unknown = expected.difference(names), names.difference(expected)
    if len(lacking) or len(unknown):
        parts = [
            f"{len(some)} {what} (such as {some[0]!r})"
            for some, what in ((lacking, "rows have no prediction"), (unknown, "ids are unknown"))
            if len(some)
        ]
        raise CrivoError(
            f"The predictions table holds {len(given)} rows where {len(expected)} were expected: "
            f"{' and '.join(parts)}; predict exactly the evaluated rows."
        )


def as_classes(column: pd.Series, classes: Sequence[Any]) -> Any:
    """Return labels as the classes they name, by value or as they are written.

    >>> as_classes(pd.Series(["True", "False"]), (False, True)).tolist()
    [True, False]
    """
    known: dict[Any, Any] = {str(name): name for name in classes} | {x: x for x in classes}
    if set(classes) <= {False, True} and all(isinstance(name, bool) for name in classes):
        known |= BOOLEANS
    codes, labels = pd.factorize(column, use_na_sentinel=True)
    if (codes < 0).any():
        raise CrivoError(
            f"The predictions table has {int((codes < 0).sum())} rows without a {column.name}; "
            "leave out rows whose target isn't known, and predict all others."
        )
    plain = [label.item() if hasattr(label, "item") else label for label in labels]
    label_classes = [known.get(label, known.get(_as_written(label))) for label in plain]
    strange = [label for label, one in zip(plain, label_classes, strict=True) if one is None]
    if strange:
        raise CrivoError(
            f"The {column.name} {strange[0]!r} in the predictions table isn't a class; "
            f"the classes are {', '.join(map(repr, classes))}."
        )
    return pd.Series(label_classes).to_numpy()[codes]


def _as_written(label: Any) -> str:
    """Return a label's text; a whole number is written as one."""
    whole = isinstance(label, float) and label.is_integer()
    return str(int(label)) if whole else str(label).strip()


def _scores(table: pd.DataFrame, context: Context) -> dict[str, np.ndarray]:
    names = task_of(context).score_columns
    given = [str(name) for name in table if str(name) == "score" or str(name).startswith("score_")]
    if not given:
        return {}
    if set(given) != set(names):
        expected = f"{', '.join(names)} or no score at all" if names else "no score"
        raise CrivoError(
            f"The predictions table has the score columns {', '.join(given)}; a {context.task} "
            f"task of these classes has {expected}."
        )
    scores = {name: _score(table[name]) for name in names}
    if len(names) > 1:
        total = np.sum(list(scores.values()), axis=0)
        wrong = np.abs(total - 1) > SUM_TOLERANCE
        if wrong.any():
            raise CrivoError(
                f"The scores of {int(wrong.sum())} rows don't sum to one (that of id "
                f"{table['id'].iloc[int(wrong.argmax())]!r} is {total[wrong][0]:.4g}); "
                "give probabilities of all classes."
            )
    return scores


def _score(column: pd.Series) -> np.ndarray:
    values = _numbers(column, column.name)
    out_of_range = (values < -RANGE_TOLERANCE) | (values > 1 + RANGE_TOLERANCE)
    if out_of_range.any():
        raise CrivoError(
            f"{int(out_of_range.sum())} values of {column.name} lie outside [0, 1], "
            f"such as {values[out_of_range][0]:.4g}; a score is a probability."
        )
    return values.clip(0, 1)


def _clusters(table: pd.DataFrame, names: Any) -> Any:
    if "cluster" not in table:
        return assign_clusters(pd.DataFrame({"id": names}), "id").to_numpy()
    missing = int(table["cluster"].isna().sum())
    if missing:
        raise CrivoError(
            f"The predictions table has {missing} rows without a cluster; give every row one, or "
            "leave the column out."
        )
    return table["cluster"].array


def _weights(table: pd.DataFrame) -> np.ndarray:
    if "weight" not in table:
        return np.ones(len(table))
    values = _numbers(table["weight"], "weight")
    if not (values > 0).all():
        raise CrivoError(
            f"The predictions table has {int((values <= 0).sum())} weights that are not above 0; "
            "leave out rows that don't count."
        )
    return values


def _numbers(column: pd.Series, name: Any) -> np.ndarray:
    try:  # exact for numbers written as text, which `to_numeric` is not to the last digit
        values = column.to_numpy(float, na_value=np.nan)
    except (TypeError, ValueError):
        values = pd.to_numeric(column, errors="coerce").to_numpy(float, na_value=np.nan)
    wrong = ~np.isfinite(values)
    if wrong.any():
        raise CrivoError(
            f"{int(wrong.sum())} values of {name} in the predictions table aren't finite numbers, "
            f"such as {str(column.iloc[int(wrong.argmax())])!r}; correct or leave out these rows."
        )
    return values
