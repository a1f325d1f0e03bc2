"""What a featurizer promises: one suite of small checks for every featurizer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.blocks import Featurizer
from crivo.core.modelfile import dump_model, parse_model
from crivo.core.schema import Schema
from crivo.core.stored_table import StoredTable
from crivo.testing.block_settings import settings_breaches
from crivo.testing.contract import find_breaches, promise, require_none
from crivo.testing.decoys import in_two_projects
from crivo.testing.examples import example_rows, example_schema
from crivo.testing.featurizer_case import SEED, FeaturizerCase, number_schema
from crivo.testing.scikit import follows_scikit_learn
from crivo.testing.stored import promise_equal_files, unseeded
from crivo.testing.tables import difference, in_other_form, unchanged

# What a value that training never saw may look like, by the column's type.
NEVER_SEEN: dict[str, Any] = {
    "category": "never seen",
    "text": "words that were never seen before",
    "number": 1e6,
    "date": pd.Timestamp("2031-05-17"),
}


def check_featurizer(
    block: Featurizer,
    *,
    schema: Schema | None = None,
    rows: pd.DataFrame | None = None,
    expected_failures: Mapping[str, str] | None = None,
) -> None:
    """Check that a featurizer keeps every promise of its interface.

    `schema` and `rows` are those it is made for, without them a made-up table with a column
    of each type; a featurizer that names columns needs its own. `expected_failures` are checks of
    scikit-learn's `check_estimator` that it fails for a good reason, and the reason.
    ContractError: which promises it breaks, one sentence each.

    >>> from crivo.testing import FakeFeaturizer
    >>> check_featurizer(FakeFeaturizer())
    """
    plain = None
    if schema is None or rows is None:
        plain = number_schema()
        schema, rows, unseen = example_schema(), example_rows(), example_rows(rows=60, seed=9)
    else:
        rows, unseen = (rows[start::2].reset_index(drop=True) for start in (0, 1))
    case = FeaturizerCase(block, schema, rows, unseen, plain, expected_failures or {})
    breaches = settings_breaches(block) + find_breaches(FEATURIZER_CHECKS, case)
    # scikit-learn's many checks come last: they say little of a featurizer that is broken anyway.
    if not breaches:
        breaches = find_breaches([follows_scikit_learns_rules], case)
    require_none(f"featurizer {type(block).__name__}", breaches)


def builds_an_unfitted_transformer(case: FeaturizerCase) -> None:
    """`build` returns a new, unfitted scikit-learn transformer."""
    built = case.block.build(case.schema, SEED)
    for method in ("fit", "transform"):
        promise(hasattr(built, method), f"it returned {built!r}, which has no {method}.")
    try:
        built.transform(case.unseen[list(case.schema.features)])
    except Exception:  # an unfitted transformer refuses in its own way
        return
    promise(False, "what it returned transforms already; fit on the rows that `fit` is given.")


def gives_typed_columns(case: FeaturizerCase) -> None:
    """Inputs are a DataFrame of numbers and pandas categories, a row for each row."""
    promise(
        case.inputs.index.equals(case.unseen.index), "the inputs have another index than the rows."
    )


def same_seed_same_result(case: FeaturizerCase) -> None:
    """The same seed and the same rows give the same inputs."""
    change = difference(case.inputs, case.transform(case.again, case.unseen), exact=True)
    promise(
        change is None,
        f"two fits with seed {SEED} disagree ({change}); give `seed` to each random part"
        f"{unseeded(case.again)}.",
    )


def leaves_its_inputs_alone(case: FeaturizerCase) -> None:
    """Fitting and transforming change no table."""
    features, target = case.rows[list(case.schema.features)], case.rows[case.schema.target]
    unseen = case.unseen[list(case.schema.features)]
    transformer: Any = case.block.build(case.schema, SEED)
    with unchanged(features, target, doing="fit"):
        transformer.fit(features, target)
    with unchanged(unseen, doing="transform"):
        transformer.transform(unseen)


def a_row_gives_a_row(case: FeaturizerCase) -> None:
    """A row's inputs are its own: the rows that stand beside it don't change them."""
    backwards = case.transform(case.fitted, case.unseen[::-1])[::-1]
    change = difference(case.inputs, backwards)
    promise(change is None, f"the same rows in another order gave other inputs ({change}).")
    alone = case.transform(case.fitted, case.unseen[:1])
    change = difference(case.inputs[:1], alone)
    promise(
        change is None,
        f"a row alone got other inputs than among others ({change}); learn in `fit`, from "
        "training rows, and not in `transform`.",
    )


def takes_whole_numbers_as_either(case: FeaturizerCase) -> None:
    """A whole number gives the same inputs as an integer and as a float.

    A new row alone has integers where the training rows had floats: theirs had gaps or fractions.
    """
    taught = case.fit(_in_other_form(case, case.rows))
    for place in sorted({0, len(case.unseen) // 2, len(case.unseen) - 1}):
        row = case.unseen.iloc[place : place + 1]
        other = _in_other_form(case, row)
        for transformer in (case.fitted, taught):
            inputs = [case.transform(transformer, rows) for rows in (row, other)]
            change = difference(*inputs)
            promise(
                change is None,
                "integers in the place of floats, or the other way round, gave other inputs "
                f"({change}); let the type of a column's numbers be no matter.",
            )


def _in_other_form(case: FeaturizerCase, rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(**{name: in_other_form(rows[name]) for name in case.schema.features})


def same_columns_for_all_rows(case: FeaturizerCase) -> None:
    """All rows get the columns and types that the training rows got, levels of categories too."""
    taught = case.transform(case.fitted, case.rows)
    change = difference(taught[:0], case.inputs.reset_index(drop=True)[:0])
    promise(change is None, f"rows after training: {change}.")


def looks_at_no_other_rows(case: FeaturizerCase) -> None:
    """A fit sees the training rows it is given, never validation or test rows."""
    fits = in_two_projects(lambda: (case.fit(), case.fit()), "binary")
    one, again, other = (case.transform(each, case.unseen) for each in (*fits[0], fits[1][0]))
    if difference(one, again):
        return  # fits that differ by themselves say nothing of files
    change = difference(one, other)
    promise(
        change is None,
        f"other files under data/ gave other inputs ({change}); read no file in `fit`.",
    )


def fits_by_column_as_it_says(case: FeaturizerCase) -> None:
    """One that says `fits_by_column` learns the same from columns that come one at a time."""
    built = case.block.build(case.schema, SEED)
    if not getattr(built, "fits_by_column", False):
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        case.rows.to_parquet(path, index=False)
        columns, target = StoredTable(path, case.schema.features), case.rows[case.schema.target]
        one, other = case.fit(pd.read_parquet(path)), built.fit(columns, target)
    promise_equal_files(
        one,
        other,
        (dump_model(one), dump_model(other)),
        "it says `fits_by_column`, and columns that come one at a time teach it something else",
    )


def takes_missing_values(case: FeaturizerCase) -> None:
    """Rows without any value are taken, and get the same columns."""
    gaps = case.unseen.mask(np.ones(case.unseen.shape, bool))
    inputs = case.transform(case.fitted, gaps)
    change = difference(case.inputs[:0], inputs[:0])
    promise(change is None, f"rows without any value: {change}.")


def takes_unseen_values(case: FeaturizerCase) -> None:
    """Values that training never saw are taken, and get the same columns."""
    strange = case.unseen.copy()
    for name in case.schema.features:
        kind = case.schema.column(name).type
        if kind in NEVER_SEEN:
            strange[name] = pd.Series([NEVER_SEEN[kind]] * len(strange), index=strange.index)
    inputs = case.transform(case.fitted, strange)
    change = difference(case.inputs[:0], inputs[:0])
    promise(change is None, f"rows with new values: {change}.")


def gives_no_empty_column(case: FeaturizerCase) -> None:
    """A column without any value in training gives no input without any value."""
    name, *other_features = case.schema.features
    if not other_features:
        return
    rows = case.rows.assign(**{name: case.rows[name].mask(np.ones(len(case.rows), bool))})
    inputs = case.transform(case.fit(rows), rows)
    empty = [str(name) for name in inputs if inputs[name].isna().all()]
    promise(not empty, f"it gave {', '.join(empty)} without any value; leave such columns out.")


def same_seed_same_file(case: FeaturizerCase) -> None:
    """The same seed and the same rows give the same file, to the byte."""
    one, other = case.fit(), case.fit()  # that nobody has used
    promise_equal_files(
        one,
        other,
        (dump_model(one), dump_model(other)),
        f"two fits with seed {SEED} are stored as different files; keep nothing in the transformer "
        "that differs from run to run",
    )


def transforming_teaches_nothing(case: FeaturizerCase) -> None:
    """Transforming rows leaves the transformer as it was."""
    before = dump_model(case.fitted)
    loaded = parse_model(before, "The stored featurizer")
    case.transform(case.fitted, case.unseen)
    promise_equal_files(
        loaded,
        case.fitted,
        (before, dump_model(case.fitted)),
        "its file differs after it has transformed rows",
    )


def comes_back_from_its_file(case: FeaturizerCase) -> None:
    """A stored and loaded transformer gives the same inputs."""
    loaded = parse_model(dump_model(case.fitted), "The stored featurizer")
    change = difference(case.inputs, case.transform(loaded, case.unseen), exact=True)
    promise(change is None, f"after loading, inputs differ ({change}).")


def follows_scikit_learns_rules(case: FeaturizerCase) -> None:
    """What `build` returns passes scikit-learn's own check_estimator."""
    schema = case.plain or case.schema
    columns = {name: schema.column(name).type for name in schema.features}
    built = case.block.build(schema, SEED)
    follows_scikit_learn(built, columns=columns, expected_failures=case.expected_failures)


FEATURIZER_CHECKS: Sequence[Callable[[FeaturizerCase], None]] = (
    builds_an_unfitted_transformer,
    gives_typed_columns,
    same_seed_same_result,
    leaves_its_inputs_alone,
    a_row_gives_a_row,
    takes_whole_numbers_as_either,
    same_columns_for_all_rows,
    looks_at_no_other_rows,
    fits_by_column_as_it_says,
    takes_missing_values,
    takes_unseen_values,
    gives_no_empty_column,
    comes_back_from_its_file,
    same_seed_same_file,
    transforming_teaches_nothing,
)
