"""A column of a table as the schema describes it."""

from __future__ import annotations

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.schema import Column, Role, Type
from crivo.preparation.tables.columns import type_of

# Roles whose columns have a value in every row.
ALWAYS_KNOWN = ("id", "target", "time", "group", "weight")


def described(
    values: pd.Series, role: Role, kind: Type | None = None, *, also_feature: bool = False
) -> Column:
    """Return a column's description; `kind` is its type, found out when left out.

    CrivoError: a time column holds neither dates nor numbers.
    """
    kind = "text" if role == "id" else kind or type_of(values)
    if role == "time" and kind not in ("date", "number"):
        some = next(iter(values.dropna().tolist()), None)
        raise CrivoError(
            f"The time column {values.name!r} holds neither dates nor numbers (such as "
            f"{some!r}); choose another, or set datasets.table.day_first."
        )
    return Column(
        name=str(values.name),
        role=role,
        type=kind,
        nullable=role not in ALWAYS_KNOWN,
        unique=role == "id",
        also_feature=also_feature,
    )
