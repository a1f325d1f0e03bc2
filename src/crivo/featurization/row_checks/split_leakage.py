"""Checks L001 to L004 and L009: leakage between splits by shared ids, copies, groups or time.

Importing this module registers the checks; `featurize`, `crivo check` and `crivo start` run them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

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
    """A model that has seen a row in training knows its answer in the evaluation."""
    advice = (
        "give each row a unique id in the dataset, and put each id into one split in the splitter"
    )
    yield from _shared(rows, rows.schema.id, advice)


@check(
    "L002",
    "Copies of training rows are among the held-out rows",
    severity="warning",
    example=(
        "train/test: 31 rows (4.2 %) equal a row of train in every feature and the target, and "
        "chance explains about 2; drop rows that were entered twice, or keep them in one split "
        "with a group."
    ),
)
def copies_apart(rows: SplitRows) -> Iterator[Found]:
    """A copy under a different id is a row that the model has already seen. The check ignores
    columns that identify the rows, that is, columns of whole numbers, or of text without spaces, in
    which no value is repeated. It reports copies if at least one row in a hundred is a copy, not
    counting equal rows that chance explains. If there are none, it looks for nearly equal rows
    among at most 20,000 rows of each split. In such rows, fractions may differ by a twentieth of
    their column's standard deviation, as they might in a repeated measurement.

    To tell copies from chance matches, the check sets one column aside and looks at rows that agree
    in all the others. Copies also agree in the column that was set aside; other rows agree in it
    only as often as its values repeat. The check estimates this rate from the frequencies of the
    values, and triples the odds because columns depend on each other. It sets aside the column for
    which chance explains the most equal rows. If chance alone would produce as many equal rows, the
    check can't recognise copies, but they then do little harm.
    """
    names = " and ".join(f"`{name}`" for name in rows.naming_columns)
    what = f"the target and every feature but {names}" if names else "every feature and the target"
    for one in rows.copies():
        about = f"about {one.by_chance}" if one.by_chance else "none"
        yield Found(
            f"{one.earlier}/{one.later}",
            f"{one.equal} rows ({100 * one.equal / one.rows:.1f} %) {'nearly ' * one.near}equal a "
            f"row of {one.earlier} in {what}, and chance explains {about}; "
            "drop rows that were entered twice, or keep them in one split with a group.",
        )


@check(
    "L003",
    "A group is in two splits",
    severity="error",
    example="train/test: 40 values of `patient` are in both splits; use the splitter `by_group`, "
    "or `by_time_and_group` to predict later rows as well.",
)
def groups_apart(rows: SplitRows) -> Iterator[Found]:
    """Rows of one group, such as a patient or a machine, share what the model has to predict. The
    schema names the column whose groups must stay in one split.
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
    "rows with new values of this column, start the project with `--group patient`; otherwise, "
    "results look better than they are.",
)
def alike(rows: SplitRows) -> Iterator[Found]:
    """Rows of one patient or machine have something in common that no feature describes. A model
    recognises such rows by a name, or by values that they share, and looks better than it will be
    for new patients. If you will predict new rows of the same patients, machines or products, this
    does no harm; only you know whether you will. The check looks at columns with at least 12 values
    and 2 to 50 rows per value. It predicts the target with a linear model and a small forest that
    are fitted on other groups. It reports the column whose groups have the largest intraclass
    correlation of the remaining errors, if the correlation is at least 0.05 and significant
    (analysis of variance, level 0.001, divided by the number of columns). It can't find groups that
    share no value. It doesn't apply to tables with a group or a time.
    """
    if rows.schema.group or rows.schema.time:
        raise NotApplicable("the rows have a group or a time")
    strengths = Strengths(rows)
    if not strengths.possible:
        raise NotApplicable("there are too few training rows, or all targets are the same")
    named: dict[bytes, list[str]] = {}
    for name, values in strengths.columns.items():
        codes = pd.factorize(values, use_na_sentinel=False)[0]
        sizes = np.bincount(codes)
        few_enough = max(GROUPS, len(codes) / ROWS_A_GROUP) <= len(sizes) <= len(codes) / 2
        if few_enough and sizes.max() <= max(LARGEST * len(codes), ROWS_A_GROUP):
            named.setdefault(codes.tobytes(), []).append(name)
    few = sorted(named.items(), key=lambda one: -np.frombuffer(one[0], np.int64).max())[:TRIED]
    alike = [(*strengths.alike(np.frombuffer(key, np.int64)), names) for key, names in few]
    sure = [one for one in alike if one[0] > ALIKE and one[1] < SURE / len(few)]
    for correlation, _, names in sorted(sure)[-1:]:
        yield Found(
            " and ".join(names[:2]),
            "rows with the same value are more alike than the features explain (correlation "
            f"{correlation:.2f}), and they are in several splits; if the model will be used on "
            f"rows with new values of this column, start the project with `--group {names[0]}`; "
            "otherwise, results look better than they are.",
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
    from its training days, it knows what happened around that time and looks better than it is.
    """
    if (time := rows.schema.time) is None:
        raise NotApplicable("no column has the role `time`")
    splitter = "by_time_and_group" if rows.schema.group else "by_time"
    for one, first, other, second in rows.pairs():
        overlap = float((second[time] < first[time].max()).mean())
        if overlap > 0:
            yield Found(
                f"{one}/{other}",
                f"{100 * overlap:.1f} % of the rows of {other} are earlier than the last row of "
                f"{one} by `{time}`; use the splitter `{splitter}`, unless predictions will be "
                "about the past.",
            )


def _shared(splits: SplitRows, column: str, advice: str) -> Iterator[Found]:
    """Report values of a column that two splits share."""
    for one, first, other, second in splits.pairs():
        values = first[column].dropna().drop_duplicates()
        if shared := int(values.isin(second[column]).sum()):
            text = f"{shared} values of `{column}` are in both splits; {advice}."
            yield Found(f"{one}/{other}", text)
