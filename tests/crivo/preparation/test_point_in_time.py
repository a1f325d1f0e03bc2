"""Sums over the past agree with going through all events, and the future never counts."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from crivo.preparation.point_in_time import Past, group_numbers, ratio

moments = st.integers(0, 30) | st.just(2**26 - 1)
groups = st.sampled_from([-1, 0, 1, 2, 2**16 + 1])
events = st.lists(st.tuples(groups, st.one_of(moments, st.none()), st.integers(-5, 5)), max_size=15)
questions = st.lists(
    st.tuples(groups | st.just(3), st.integers(-10, 30), moments), min_size=1, max_size=5
)


def past_of(rows: list[tuple[int, int | None, int]]) -> Past:
    group, moment, value = zip(*rows, strict=True) if rows else ((), (), ())
    return Past(
        np.array(group, dtype=int),
        np.array(moment, dtype=float),
        np.ones(len(rows), dtype=int),
        np.array(value, dtype=int),
    )


@settings(max_examples=60, deadline=None)
@given(events, questions)
def test_sums_and_latest_agree_with_going_through_all_events(rows, asked) -> None:
    past = past_of(rows)
    group, after, until = (np.array(column) for column in zip(*asked, strict=True))
    count, total = past.sums(group, after, until)
    latest = past.latest(group, after, until)
    for i, (g, a, u) in enumerate(asked):
        # A question before 1970, or about no group, finds nothing.
        seen = [
            (moment, n, value)
            for n, (of, moment, value) in enumerate(rows)
            if of == g >= 0 and moment is not None and max(a, 0) < moment <= u
        ]
        assert count[i] == len(seen)
        assert total[i] == sum(value for *_, value in seen)
        assert latest[i] == (max(seen)[1] if seen else -1)


def test_groups_are_combinations_of_values() -> None:
    table = pd.DataFrame({"a": ["x", "x", "y", None], "b": [1, 2, 1, 1]})
    both = group_numbers(table, ["a", "b"])
    assert len(set(both[:3])) == 3
    assert both[3] < 0
    assert group_numbers(table, ["b", "a"])[3] < 0
    assert group_numbers(table, []).tolist() == [0, 0, 0, 0]


def test_a_ratio_of_nothing_is_missing_or_what_is_said() -> None:
    assert np.isnan(ratio(np.array([0]), np.array([0])))[0]
    assert ratio(np.array([0, 2]), np.array([0, 3]), otherwise=0.0).tolist() == [0, 1.5]
