"""The steps of a sequence in which trials are compared with many models."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from crivo.evaluation import sequence
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.evaluation.sequence import Spending, levels
from crivo.experiments.records import Record
from crivo.experiments.steps import PlannedStep, all_differences, differences
from crivo.repository.commits import Origin
from crivo.repository.git import Blob
from tests.crivo.experiments.repository import ONE_WAY, OTHER_WAY, evaluation_files, spread

METRICS = [metrics_of("binary")[name] for name in ("roc_auc", "log_loss")]


def model(number: int, *metrics: str, step: float = 0.0, clusters: int = 9) -> Record:
    pattern = [ONE_WAY, OTHER_WAY, (1, 2, 3, 1, 2, 3, 4, 5, 1)][number % 3][:clusters]
    values = {name: spread(0.7, step or 0.001 * number, pattern) for name in metrics}
    files = evaluation_files(values, predictions=str(number))
    blobs = {path: Blob("", text.encode()) for path, text in files.items()}
    return Record(Origin(f"m{number}", str(number), None, "Ana", number, ""), blobs)


def with_gap(record: Record) -> Record:
    """Return a model that lacks a number."""
    path = "metrics/evaluation/jackknife.csv"
    lines = record.files[path].content.decode().splitlines()
    lines[3] = ",".join([lines[3].split(",")[0], *[""] * lines[3].count(",")])
    files = dict(record.files) | {path: Blob("", "\n".join(lines).encode())}
    return Record(record.origin, files)


def one_by_one(models: Sequence[Record], unknown: int = 0) -> list[PlannedStep]:
    return [
        PlannedStep(models[place], tuple(models[:place]), unknown)
        for place in range(1, len(models))
    ]


BOTH = ("roc_auc", "log_loss")
MODELS = [
    model(1, *BOTH),
    model(2, *BOTH),
    model(3, "roc_auc"),
    model(4, *BOTH),
    model(7, *BOTH, step=0.001),  # the numbers of the first, with other predictions
    model(5, *BOTH, clusters=8),
    with_gap(model(6, *BOTH)),
    model(8, *BOTH),
    model(9, *BOTH),
]


@pytest.mark.parametrize("metrics", [METRICS, METRICS[:1]])
@pytest.mark.parametrize("unknown", [0, 2])
@pytest.mark.parametrize("most", [1, 3, 5])
def test_of_steps_with_too_many_differences_a_count_gives_the_same_levels(
    monkeypatch: pytest.MonkeyPatch, metrics: list[Metric], unknown: int, most: int
) -> None:
    monkeypatch.setattr(sequence, "MAX_DRAWN", most)
    steps = one_by_one(MODELS, unknown)
    whole = [differences(step, metrics) for step in steps]
    few = all_differences(steps, metrics)
    assert levels(few, Spending()) == levels(whole, Spending())
    assert max(one.differences.shape[1] for one in whole if one.differences is not None) > most
    assert few[-1].differences is None


def test_steps_that_are_drawn_keep_their_differences() -> None:
    steps = one_by_one(MODELS)
    for one, step in zip(all_differences(steps, METRICS), steps, strict=True):
        own = differences(step, METRICS)
        assert one.unknown == own.unknown
        assert (one.differences is None) == (own.differences is None)
        if one.differences is not None and own.differences is not None:
            assert one.differences.tobytes() == own.differences.tobytes()
