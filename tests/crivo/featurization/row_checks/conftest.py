"""Prepared rows without a fault, to plant one in."""

import numpy as np
import pandas as pd
import pytest
from tests.crivo.schemas import few_columns

from crivo.core.findings import Finding
from crivo.core.schema import Schema, Task
from crivo.featurization.row_checks import ROW_CHECKS, SplitRows

ROLES = {"day": "time", "patient": "group"}
SPLITS = {"train": 600, "valid": 300, "test": 300}


class Tables:
    """The rows of all splits in one table, taken apart; a test changes `rows` first."""

    def __init__(self, task: Task = "binary") -> None:
        self.task = task
        self.rows = good_rows(task)

    @property
    def schema(self) -> Schema:
        classes = () if self.task == "regression" else sorted(self.rows["y"].unique())
        others = self.rows.columns.drop(["key", "y", "split"])
        return few_columns(*classes, **{name: ROLES.get(name, "feature") for name in others})

    @property
    def splits(self) -> SplitRows:
        """The splits apart, as `prepare` writes them."""
        parts = dict(list(self.rows.drop(columns="split").groupby(self.rows["split"])))
        return SplitRows(self.schema, lambda split: parts[split].reset_index(drop=True))

    def found(self, code: str) -> list[str]:
        """Return the subjects that a check finds in these tables."""
        reviewed = ROW_CHECKS[code].review(self.splits)
        assert {one.severity for one in reviewed} <= {"note", "warning", "error", "passed"}
        return [one.subject for one in reviewed if isinstance(one, Finding)]

    def inapplicable(self) -> dict[str, str]:
        """Return why checks aren't applicable to these tables, by their codes."""
        reviewed = ROW_CHECKS.review(self.splits)
        return {one.code: one.message for one in reviewed if one.severity == "not applicable"}

    def message(self, code: str) -> str:
        """Return the one sentence that a check finds."""
        (finding,) = ROW_CHECKS[code].findings(self.splits)
        return finding.message


def good_rows(task: Task) -> pd.DataFrame:
    """Return rows in the order of time, five to a patient, with two weak features."""
    rng = np.random.default_rng(0)
    count = sum(SPLITS.values())
    signal, colour = rng.normal(size=count), rng.choice(["red", "green", "blue"], size=count)
    noisy = signal + 2 * rng.normal(size=count)
    target = {
        "regression": noisy,
        "binary": noisy > 0,
        "multiclass": pd.cut(noisy, [-np.inf, -1, 1, np.inf], labels=["a", "b", "c"]).astype(str),
    }
    return pd.DataFrame(
        {
            "key": [f"k{i}" for i in range(count)],
            "day": pd.date_range("2020-01-01", periods=count),
            "patient": np.arange(count) // 5,
            "signal": signal,
            "colour": colour,
            "noise": np.where(rng.random(count) < 0.1, np.nan, rng.normal(size=count)),
            "y": target[task],
            "split": np.repeat(list(SPLITS), list(SPLITS.values())),
        }
    )


@pytest.fixture
def tables() -> Tables:
    return Tables()


@pytest.fixture
def numbers() -> Tables:
    """Tables with a number as target."""
    return Tables("regression")


@pytest.fixture
def classes() -> Tables:
    """Tables with three classes as target."""
    return Tables("multiclass")
