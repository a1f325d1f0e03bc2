"""Which evaluations are trials: tables made by hand, and histories drawn at random."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crivo.statistics.sequence import Entry, PlannedStep, plan_steps

MAIN = Entry("main", reference="main", among=frozenset(["main"]))


def trial(model: str, *among: str, reference: str = "main", **more: object) -> Entry:
    known = frozenset([reference, *among])
    return replace(Entry(model, model, reference=reference, among=known), **more)  # type: ignore[arg-type]


def elsewhere(model: str, fitted: str | None = None) -> Entry:
    return Entry(model, fitted or model, here=False)


CASES = {
    "one reference": ([MAIN, trial("a"), trial("b")], [PlannedStep(1, (0,)), PlannedStep(2, (0,))]),
    "named before, recorded after": ([trial("a"), MAIN], [PlannedStep(0, (1,))]),
    "equal predictions once, those of the reference never": (
        [MAIN, trial("a"), trial("a"), trial("main")],
        [PlannedStep(1, (0,))],
    ),
    "a run without a verdict, then with one": (
        [MAIN, trial("a", judged=False), trial("b"), trial("a")],
        [PlannedStep(2, (0,)), PlannedStep(3, (0,))],
    ),
    "of two to choose among the later brings the pair": (
        [trial("main", "a", "b"), trial("a", "a", "b"), trial("b", "a", "b")],
        [PlannedStep(1, (0,)), PlannedStep(2, (0, 1))],
    ),
    "any other brings all": (
        [trial("main", "a"), trial("a", "a"), trial("new", "a")],
        [PlannedStep(1, (0,)), PlannedStep(2, (0, 1))],
    ),
    "models to choose among that are gone": (
        [trial("main", "x", "y"), trial("new", "x", "y")],
        [PlannedStep(None), PlannedStep(0, (), 2), PlannedStep(1, (0,), 2)],
    ),
    "other rows spend, each model once": (
        [elsewhere("a", "m"), elsewhere("b", "m"), MAIN, trial("c")],
        [PlannedStep(0), PlannedStep(3, (2,))],
    ),
    "a model on other rows that was known here spends nothing": (
        [MAIN, trial("a"), elsewhere("a@2", "a")],
        [PlannedStep(1, (0,))],
    ),
    "lost numbers": (
        [MAIN, trial("lost", numbers=False), trial("b")],
        [PlannedStep(1), PlannedStep(2, (0,))],
    ),
    "a reference that isn't there": ([trial("a", reference="gone")], []),
    "what was known where it was recorded": (
        [
            MAIN,
            trial("mine"),
            *(trial(str(knew), knew=knew) for knew in ((0,), (0, 2))),
            trial("b"),
        ],
        [
            *(PlannedStep(1, (0,)), PlannedStep(2, (0,), 0, ()), PlannedStep(3, (0,), 0, (1,))),
            PlannedStep(4, (0,)),
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_steps_of(case: str) -> None:
    entries, steps = CASES[case]
    assert plan_steps(entries) == steps


MODELS = [f"m{number}" for number in range(8)]


@st.composite
def histories(draw: st.DrawFn) -> list[Entry]:
    """Draw a history against a reference that is named or was chosen among the first models."""
    among = draw(st.integers(1, 3))
    chosen = frozenset(["main", *MODELS[: among - 1]])
    start = [Entry(model, model, reference="main", among=chosen) for model in sorted(chosen)]
    kinds = st.sampled_from(["trial", "copy", "code only", "seed run", "elsewhere", "lost"])
    later = []
    for place, kind in enumerate(draw(st.lists(kinds, min_size=1, max_size=12))):
        model = draw(st.sampled_from(MODELS)) if kind == "copy" else f"new{place}"
        model = "main" if kind == "code only" else model
        one = Entry(model, model, reference="main", among=chosen)
        changed = {"seed run": {"judged": False}, "elsewhere": {"here": False},
                   "lost": {"numbers": False}}.get(kind, {})  # fmt: skip
        later.append(replace(one, **changed))
    return [*start, *later]


@settings(max_examples=60)
@given(histories())
def test_a_new_entry_changes_no_step_before_it(entries: list[Entry]) -> None:
    whole = plan_steps(entries)
    for count in range(len(entries)):
        steps = plan_steps(entries[:count])
        if count >= len(entries[0].among):
            assert whole[: len(steps)] == steps
            assert all((one.entry or 0) >= count for one in whole[len(steps) :])
