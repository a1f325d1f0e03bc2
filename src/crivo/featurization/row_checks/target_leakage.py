"""Checks L005, L006 and L008: columns that give the target away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import lgamma, log, sqrt

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from crivo.core.artifacts import SPLITS
from crivo.core.findings import Found, NotApplicable
from crivo.core.tasks import task_of
from crivo.featurization.row_checks.split_rows import SplitRows, check
from crivo.featurization.row_checks.strength import STRONG, Strengths, as_number_or_code

# A column is suspicious from the first strength on (1 is perfect, 0 is none), if it is above the
# second with 95 % confidence ...
NEARLY_PERFECT, SURELY_PERFECT = 0.98, 0.94
# ... or if it is above `STRONG` with 95 % confidence, and by this much stronger than all other
# columns together. docs/evidence.md has the simulations.
AHEAD = 0.2
# The largest difference from any row's target, in standard deviations, that counts as exact, and as
# rounding; and the digits to which steps are compared.
EXACT, ROUNDED, TIMES_USUAL, DIGITS = 1e-6, 0.4, 1.1, 9
# A part's weight counts if it is more than this many standard errors from 0.
CLEARLY = 4
# Limits for the groups, rows and classes of means; the part of their chance variation that may
# remain, and the level of its test.
GROUPS, MOST_ROWS, MOST_CLASSES, LEFT, CHANCE = 12, 1_000_000, 10, 0.05, 1e-4
# The number of rows that show whether a column is the same in all rows of a category.
LOOK = 2_000
# With fewer rows per value or per column, nothing is proved.
ROWS_A_VALUE = 10
# The chance that any column of a table gives the classes by accident is less than this.
LOG_CHANCE = log(0.001)


@check(
    "L005",
    "One feature predicts the target suspiciously well",
    severity="warning",
    example="dep_delay: predicts `late` on its own (ROC AUC 0.90), better than all other columns "
    "together (ROC AUC 0.75); is it known at prediction time? If not, give it the role `outcome`.",
)
def single_feature_leak(rows: SplitRows) -> Iterator[Found]:
    """A column that is known only afterwards makes a model look very good, but the model is
    worthless in practice. The check predicts the target from each feature alone, in three ways: by
    a straight line, by a small decision tree, and by the mean of the target in each category (for
    classes, the share of each class). It uses at most 10,000 training rows. Predictions are
    cross-validated, with one exception: for classes, no line is fitted; the rows are only ranked by
    the feature.

    The check reports a feature with a ROC AUC of at least 0.99 or an R² of at least 0.98. If there
    is none, it reports the strongest feature if two things hold: its ROC AUC is above 0.85 (for
    regression, its R² is above 0.7) with 95 % confidence, and it exceeds that of all other features
    together by 0.1 (0.2 for R²).

    An honest feature can be just as strong. The rows can't show the difference, so the check asks
    you. If the feature is honest, mute the check and give that reason.

    If most values of a text or categorical column occur only once, the check also examines the 500
    most frequent words, or parts of words, in the column. For example, an id such as `yes-00012`
    occurs only once, so as a whole it predicts nothing, but its first part reveals the target.
    """
    if len(rows.features) < 2:
        raise NotApplicable("there are fewer than two features")
    strengths, target = Strengths(rows), rows.schema.target
    alone = strengths.alone()
    better = {name: "" for name, strength in alone.items() if _perfect(strength, strengths)}
    strongest = max(alone, key=lambda name: alone[name])
    if not better and strengths.at_least(alone[strongest]) > STRONG:
        together = strengths.without(strongest)
        if alone[strongest] - together >= AHEAD:
            said = strengths.spoken(together)
            better[strongest] = f", better than all other columns together ({said})"
    for name, comparison in better.items():
        yield Found(
            name,
            f"predicts `{target}` on its own ({strengths.spoken(alone[name])}){comparison}; "
            "is it known at prediction time? If not, give it the role `outcome`.",
        )
    for name, strength in strengths.in_parts().items():
        if name not in better and _perfect(strength, strengths):
            yield Found(
                name,
                f"predicts `{target}` on its own by parts of its text "
                f"({strengths.spoken(strength)}); does it contain the target? If so, give it the "
                "role `info`.",
            )


def _perfect(strength: float, strengths: Strengths) -> bool:
    return strength >= NEARLY_PERFECT and strengths.at_least(strength) > SURELY_PERFECT


@check(
    "L006",
    "Columns equal the target or add up to it",
    severity="error",
    example=(
        "casual + registered: determine `count` exactly wherever they are known; give them the "
        "role `outcome`."
    ),
)
def equal(rows: SplitRows) -> Iterator[Found]:
    """Such columns contain the target in another form: a copy, another unit, a code for each class,
    or the parts of a sum. They are computed from the outcome, so they aren't known before it. The
    check allows for rounding: each number may be off by half of the smallest step in its column, if
    this step is small compared with the spread of the target.
    """
    search = _determining if task_of(rows.schema).has_classes else _adding_up
    for names, how in search(rows):
        verb, known, what = (
            ("determine", "they are", "them") if len(names) > 1 else ("determines", "it is", "it")
        )
        yield Found(
            " + ".join(names),
            f"{verb} `{rows.schema.target}` {how} wherever {known} known; give {what} the role "
            "`outcome`.",
        )


# Columns that determine the target, and how exactly.
Giving = tuple[tuple[str, ...], str]


def _determining(splits: SplitRows) -> Iterator[Giving]:
    """Yield each column with few values in which each value occurs with only one class."""
    rows, sample, target = splits.split("train"), splits.sample(), splits.schema.target
    for name in splits.features:
        if _has_two_classes(sample[[name, target]].dropna()):
            continue
        known = rows[[name, target]].dropna()
        count = known[name].nunique()
        if not 2 <= count <= len(known) / ROWS_A_VALUE or _has_two_classes(known):
            continue
        chance = _log_chance(known[target].astype("str").value_counts().tolist(), count)
        if chance < LOG_CHANCE - log(len(rows.columns)):
            yield (name,), "exactly"


def _has_two_classes(rows: pd.DataFrame) -> bool:
    """Return whether any value of the first column occurs with two values of the second."""
    return bool(rows.drop_duplicates().iloc[:, 0].duplicated().any())


def _log_chance(sizes: Sequence[int], values: int) -> float:
    """Return the logarithm of the chance, at most, that a column gives classes of these sizes.

    Each way to assign a class to each value is one of the ways to assign the classes to the rows.
    With 10 rows, 1 of them positive, two values determine the class in at most 2² of 10 ways.

    >>> round(_log_chance([9, 1], values=2), 3) == round(log(2**2 / 10), 3)
    True
    """
    ways = lgamma(sum(sizes) + 1) - sum(lgamma(size + 1) for size in sizes)
    return values * log(len(sizes)) - ways


def _adding_up(splits: SplitRows) -> Iterator[Giving]:
    """Yield numeric columns that give the target: those with gaps alone, the others together."""
    rows = splits.sample()
    numbers = [name for name in splits.features if is_numeric_dtype(rows[name].dtype)]
    gaps = [name for name in numbers if rows[name].isna().any()]
    whole = [name for name in numbers if name not in gaps]
    for names in [whole, *([name] for name in gaps)]:
        if part := _exact_part(rows[[*names, splits.schema.target]]):
            yield part


def _exact_part(rows: pd.DataFrame) -> Giving | None:
    """Return the columns that add up to the last one except for rounding, or None."""
    values = np.column_stack([as_number_or_code(rows[name]) for name in rows])
    values = values[~np.isnan(values).any(axis=1)]
    if len(values) < ROWS_A_VALUE * rows.shape[1] or not values[:, -1].std():
        return None
    spread = values.std(axis=0)
    values = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1)
    columns, target = values[:, :-1], values[:, -1]
    weights = np.linalg.lstsq(columns, target)[0]
    unsure = CLEARLY * float((target - columns @ weights).std()) / sqrt(len(values))
    parts = np.flatnonzero(np.abs(weights) > max(EXACT, unsure))
    if not len(parts):
        return None
    weights = np.linalg.lstsq(columns[:, parts], target)[0]
    # Rounding moves each number by at most half a step; all amounts are equally likely.
    rounding = np.append(np.abs(weights), 1) * [_step(values[:, part]) for part in (*parts, -1)]
    most, usual = rounding.sum() / 2 + EXACT, sqrt((rounding**2).sum() / 12) + EXACT
    rest = columns[:, parts] @ weights - target
    if most > ROUNDED or np.abs(rest).max() > most or rest.std() > TIMES_USUAL * usual:
        return None
    how = "exactly" if np.abs(rest).max() <= EXACT else "except for rounding"
    return tuple(rows.columns[:-1][parts]), how


def _step(values: np.ndarray) -> float:
    """Return the smallest difference between rounded numbers; 0 if all are equal."""
    steps = np.diff(np.unique(values.round(DIGITS)))
    return float(steps.min()) if len(steps) else 0.0


@check(
    "L008",
    "A column holds means of the target over held-out rows",
    severity="warning",
    example="shop_mean: is the mean of `sold` in each group of rows, including held-out rows; "
    "compute it from training rows only, in the featurizer.",
)
def held_out_means(rows: SplitRows) -> Iterator[Found]:
    """A category is sometimes replaced by the mean of the target in its rows. If that mean was
    computed before the split, it contains the targets of the rows to be predicted. The check looks
    for columns of numbers that repeat and are the same in all rows of a category. It reports a
    column from which the means over all rows can be computed almost exactly, even if the means were
    shrunk towards the overall mean (`TargetEncoder`).

    It can't find means that leave out the row itself, or means to which noise was added. It needs
    at least 12 groups with 2 rows on average, and at most a million rows.
    """
    parts = [rows.split(split) for split in SPLITS]
    if sum(map(len, parts)) > MOST_ROWS:
        raise NotApplicable(f"there are more than {MOST_ROWS:,} rows")

    def whole(name: str) -> pd.Series:
        return pd.concat([part[name] for part in parts], ignore_index=True)

    target, sample = whole(rows.schema.target), rows.sample()
    known = target.notna()
    outcomes = target[known].to_frame()
    if task_of(rows.schema).has_classes:
        shares = pd.get_dummies(target[known], dtype=float)
        # One of two classes stands for both.
        outcomes = shares.iloc[:, int(shares.shape[1] == 2) : MOST_CLASSES]
    counts = {name: sample[name].nunique() for name in rows.features}
    repeat = [name for name, count in counts.items() if count <= len(sample) / 2]
    codes = {name: pd.factorize(sample[name].head(LOOK))[0] for name in repeat}
    groups = {name: len(np.unique(codes[name])) for name in repeat if counts[name] >= GROUPS}
    for name in repeat:
        if sample[name].dtype.kind not in "iuf" or sample[name].hasnans:
            continue  # a mean has no gap
        others = (  # the same number in all rows of a category
            other
            for other, count in groups.items()
            if len(np.unique(codes[other] * LOOK + codes[name])) == count
        )
        y, values = outcomes.to_numpy(), whole(name)[known]
        if any(_are_means(values, whole(other)[known], y) for other in others):
            yield Found(
                name,
                f"is the mean of `{rows.schema.target}` in each group of rows, including "
                "held-out rows; compute it from training rows only, in the featurizer.",
            )


def _are_means(values: pd.Series, groups: pd.Series, outcomes: np.ndarray) -> bool:
    """Return whether values that are the same within groups determine means of an outcome exactly.

    Means may be shrunk towards that of all rows: m = v + a (v - b) / n, linear in v, 1/n and v/n.
    """
    from scipy.special import fdtr

    codes = pd.factorize(groups, use_na_sentinel=False)[0]
    sizes = np.bincount(codes)
    own = np.zeros(len(sizes))
    own[codes] = values.to_numpy(float, na_value=np.nan)
    if not np.isfinite(own).all() or not (own[codes] == values).all() or not own.std():
        return False
    own = (own - own.mean()) / own.std()
    form = np.column_stack([np.ones(len(own)), own, 1 / sizes, own / sizes])
    root, more, less = np.sqrt(sizes), len(sizes) - form.shape[1], len(codes) - len(sizes)
    for y in outcomes.T:
        means = np.bincount(codes, y) / sizes
        within = float(((y - means[codes]) ** 2).sum()) / less
        between = float(sizes @ (means - y.mean()) ** 2) / len(sizes)
        weights = np.linalg.lstsq(form * root[:, None], means * root)[0]
        rest = float(sizes @ (means - form @ weights) ** 2) / more
        fits = between > within / 2 > 0 and rest < LEFT * within
        if fits and fdtr(more, less, rest / within) < CHANCE:
            return True
    return False
