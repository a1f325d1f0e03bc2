"""Checks L001, L003, L004 and L009: leakage between splits by shared ids, groups or time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from crivo.core.artifacts import SPLITS
from crivo.core.findings import Found, NotApplicable
from crivo.featurization.row_checks.split_rows import SplitRows, check
from crivo.featurization.row_checks.strength import Strengths

# A column that names groups has at least so many groups, with at most so many rows on average; no
# group holds a larger part of the rows; and at most so many such columns are examined.
GROUPS, ROWS_A_GROUP, LARGEST, TRIED = 12, 50, 0.05, 5
# Rows are alike from this intraclass correlation on, at this level of its test.
ALIKE, SURE = 0.05, 0.001


@check(
    "L001",
    "A row is in two splits",
    severity="error",
    example="train/valid: 12 values of `key` are in both splits; give each row a unique id in "
    "the dataset, and put each id into one split in the splitter.",
)
def ids_apart(rows: SplitRows) -> Iterator[Found]:
    """A model that has seen a row in training knows the row's target in the evaluation."""
    advice = (
        "give each row a unique id in the dataset, and put each id into one split in the splitter"
    )
    yield from _shared(rows, rows.schema.id, advice)


@check(
    "L003",
    "A group is in two splits",
    severity="error",
    example="train/test: 40 values of `patient` are in both splits; use the splitter `by_group`, "
    "or `by_time_and_group` to predict later rows as well.",
)
def groups_apart(rows: SplitRows) -> Iterator[Found]:
    """Rows of one group, such as a patient or a machine, are often alike in what the model has to
    predict. The dataset's schema names the column whose groups must stay in one split.
    """
    if (group := rows.schema.group) is None:
        raise NotApplicable("no column has the role `group`")
    later = ", or `by_time_and_group` to predict later rows as well" if rows.schema.time else ""
    yield from _shared(rows, group, f"use the splitter `by_group`{later}")


@check(
    "L009",
    "Rows of a group are alike but in several splits",
    severity="note",
    example="patient: rows with the same value are more alike than the features explain "
    "(correlation 0.31), and they are in several splits; if the model will be used on "
    "rows with new values of this column, results look better than they are: start the project "
    "with `--group patient`.",
)
def alike(rows: SplitRows) -> Iterator[Found]:
    """Rows of one patient or machine have something in common that no feature describes. If they
    are in several splits, a model recognises them by a name or by shared values, and looks better
    than it will be for new patients. This does no harm if you will predict new rows of the same
    patients, machines or products. Only you know whether you will.

    The check looks at columns with at least 12 values and 2 to 50 rows per value. It predicts the
    target with a linear model and a small forest, both fitted on other groups. Then it tests
    whether the remaining errors are alike within a group. It reports the column with the largest
    intraclass correlation, if this is at least 0.05 and significant (analysis of variance, level
    0.001 divided by the number of columns). It can't find groups that share no value, and it
    doesn't apply to tables with a group or a time.
    """
    if rows.schema.group or rows.schema.time:
        raise NotApplicable("the rows have a group or a time")
    strengths = Strengths(rows)
    groups: dict[bytes, tuple[str, np.ndarray]] = {}  # columns that group alike are tried once
    for name, values in strengths.columns.items():
        codes = pd.factorize(values, use_na_sentinel=False)[0]
        sizes = np.bincount(codes)
        few_enough = max(GROUPS, len(codes) / ROWS_A_GROUP) <= len(sizes) <= len(codes) / 2
        if few_enough and sizes.max() <= max(LARGEST * len(codes), ROWS_A_GROUP):
            groups.setdefault(codes.tobytes(), (name, codes))
    tried = sorted(groups.values(), key=lambda one: -one[1].max())[:TRIED]
    alike = [(*strengths.alike(codes), name) for name, codes in tried]
    sure = [(size, name) for size, p, name in alike if size > ALIKE and p < SURE / len(tried)]
    for correlation, name in sorted(sure)[-1:]:
        yield Found(
            name,
            "rows with the same value are more alike than the features explain (correlation "
            f"{correlation:.2f}), and they are in several splits; if the model will be used on "
            "rows with new values of this column, results look better than they are: start the "
            f"project with `--group {name}`.",
        )


@check(
    "L004",
    "Training rows are later than held-out rows",
    severity="warning",
    example="train/valid: 96.0 % of the rows of valid are earlier than the last row of train by "
    "`date`; use the splitter `by_time`, unless predictions will be about the past.",
)
def time_apart(rows: SplitRows) -> Iterator[Found]:
    """A model will be used on rows that come after its training rows. If it is evaluated on rows
    from the time of its training rows, it knows what happened then and looks better than it is.
    """
    if (time := rows.schema.time) is None:
        raise NotApplicable("no column has the role `time`")
    splitter = "by_time_and_group" if rows.schema.group else "by_time"
    for one, other in combinations(SPLITS, 2):  # the one that should be earlier first
        overlap = float((rows.split(other)[time] < rows.split(one)[time].max()).mean())
        if overlap > 0:
            yield Found(
                f"{one}/{other}",
                f"{100 * overlap:.1f} % of the rows of {other} are earlier than the last row of "
                f"{one} by `{time}`; use the splitter `{splitter}`, unless predictions will be "
                "about the past.",
            )


def _shared(splits: SplitRows, column: str, advice: str) -> Iterator[Found]:
    """Report values of a column that two splits share."""
    values = {name: splits.split(name)[column].dropna() for name in SPLITS}
    if pd.concat([*values.values()]).is_unique:
        return
    values = {name: some.drop_duplicates() for name, some in values.items()}
    for one, other in combinations(SPLITS, 2):
        if shared := int(pd.concat([values[one], values[other]]).duplicated().sum()):
            text = f"{shared} values of `{column}` are in both splits; {advice}."
            yield Found(f"{one}/{other}", text)
