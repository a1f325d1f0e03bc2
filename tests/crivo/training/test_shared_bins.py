"""A fit takes the bins that an earlier fork found, and the model is the same to the last byte."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from crivo.core import handed_on
from crivo.repository.stage_process import StageProcess
from crivo.training.shared_bins import BINNING, FIND, MAP, shared_bins

COLUMNS = 6
# Prints how many columns were sorted, how many tables were binned, and the model's hash.
SCRIPT = """\
import hashlib, sys
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.ensemble._hist_gradient_boosting import binning
from crivo.core.blocks import Model, Training
from crivo.core.modelfile import dump_model
from crivo.training.batches import fit_model

settings = dict(word.split("=") for word in sys.argv[1:])
rows = int(settings.pop("rows", 1_000))
rng = np.random.default_rng(0)
features = pd.DataFrame({
    "many": rng.normal(size=rows),
    "few": rng.integers(0, 9, rows).astype(float),
    "gaps": np.where(rng.random(rows) < 0.3, np.nan, rng.random(rows)),
    "same": np.ones(rows),
    "huge": 1e300 * rng.random(rows),
    "whole": rng.integers(-(2**40), 2**40, rows),
    "kind": pd.Categorical(rng.choice(["a", "b", None], rows)),
})
target = features["many"] + features["few"] - features["gaps"].fillna(3)
kind = HistGradientBoostingRegressor
if settings.pop("task", "") != "regression":
    kind, target = HistGradientBoostingClassifier, target > 0
stopping = settings.pop("stop", "") == "early"
features["few"] += float(settings.pop("more", 0))
seen = {"_find_binning_thresholds": 0, "_map_to_bins": 0}
def counting(name, function):
    def counted(*given, **named):
        seen[name] += 1
        return function(*given, **named)
    return counted
for name in seen:
    setattr(binning, name, counting(name, getattr(binning, name)))
before = dict(vars(binning))

class Block(Model):
    def build(self, task, seed):
        return kind(
            max_iter=3, early_stopping=stopping, random_state=seed,
            categorical_features="from_dtype",
            learning_rate=float(settings.get("learning_rate", 0.1)),
        )

training = Training(np.zeros(rows, dtype=bool), lambda metrics: None)
fitted = fit_model(Block(), Block().build("binary", 1), features, target, training)
assert vars(binning) == before
print(*seen.values(), hashlib.sha256(dump_model(fitted)).hexdigest())
"""


@pytest.fixture
def process(tmp_path: Path) -> Iterator[StageProcess]:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/fits.py").write_text(SCRIPT)
    made = StageProcess(tmp_path, {"PYTHONPATH": None})
    yield made
    made.close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_a_trial_bins_no_column_that_an_earlier_one_has_binned(process: StageProcess) -> None:
    def fit(*words: str) -> tuple[int, int, str]:
        return answer(process, *words)

    def alone(*words: str) -> tuple[int, int, str]:
        other = StageProcess(process.folder, {"PYTHONPATH": None})
        other._forks = False  # a Python of its own
        return answer(other, *words)

    plain, faster = alone(), "learning_rate=0.3"
    model = plain[2]
    assert plain[:2] == (COLUMNS, 1)
    assert [fit() for _ in range(2)] == [plain, (0, 0, model)]
    assert fit(faster) == (0, 0, alone(faster)[2])
    assert fit("more=1") == (1, 1, alone("more=1")[2])  # one column has other values
    assert fit("task=regression") == (0, 0, alone("task=regression")[2])
    sample = ("rows=223000", "stop=early")  # which rows are sorted depends on the seed
    expected = alone(*sample)[2]
    # The rows that it may stop by are binned apart.
    assert [fit(*sample) for _ in range(2)] == [(COLUMNS, 2, expected), (0, 0, expected)]
    assert fit() == (0, 0, model)  # and what came between is no matter


def answer(process: StageProcess, *words: str) -> tuple[int, int, str]:
    """Return how many columns a fit sorted, how many tables it binned, and the model's hash."""
    lines: list[str] = []
    process.run(" ".join(["python src/fits.py", *words]), {}, lines.append)
    assert len(lines) == 1, lines
    columns, tables, content = lines[0].split()
    return int(columns), int(tables), content


def test_any_other_call_is_left_to_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    found = held(monkeypatch)
    values = np.arange(9.0)
    with shared_bins():
        find = getattr(found, FIND)
        assert find(values, 4).tolist() == [0.0, 4.0]
        assert find(values, 4, values).tolist() == [0.0, 4.0]
        assert find(values, bins=4).tolist() == [0.0, 4.0]
        assert find(values, 4, sample_weight=None).tolist() == [0.0, 4.0]
        assert find(values, 5).tolist() == [0.0, 5.0]
        assert find(values, 4, sample_weight=values).tolist() == [0.0, 4.0]
        assert find(values.astype("float32"), 4).tolist() == [0.0, 4.0]
    assert calls(found) == ["4", "4 weighted", "4", "5", "4 weighted", "4"]


EDGES = [np.array([1.5, 2.5]), np.array([4.5])]
VALUES = np.array([[1.0, 4.0], [2.0, np.nan], [3.0, 5.0]])
BINS = [[0, 0], [1, 255], [2, 1]]


def binned(found: ModuleType, values: np.ndarray = VALUES, **changed: Any) -> list[list[int]]:
    """Have values binned as scikit-learn does."""
    asked: dict[str, Any] = {"edges": EDGES, "categorical": np.zeros(2, np.uint8), "missing": 255}
    target = np.zeros(values.shape, np.uint8, order=changed.pop("order", "F"))
    getattr(found, MAP)(values, *(asked | changed).values(), 1, target)
    return [[int(one) for one in row] for row in target]


def test_values_are_binned_once_by_the_same_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    found = held(monkeypatch)
    other = [EDGES[0], np.array([3.5])]
    with shared_bins():
        assert binned(found) == binned(found, order="C") == BINS
        assert binned(found, VALUES.copy(order="F")) == BINS
        assert calls(found) == ["3 rows"]
        assert binned(found, edges=other) == [[0, 1], [1, 255], [2, 1]]
        assert binned(found, missing=7) == [[0, 0], [1, 7], [2, 1]]
        assert binned(found, VALUES + 1) == [[1, 1], [2, 255], [2, 1]]
        assert binned(found, categorical=np.array([1, 0], np.uint8)) == [[1, 0], [2, 255], [3, 1]]
        assert calls(found) == ["3 rows"] * 5
        assert binned(found, VALUES[:2]) == BINS[:2]
        assert binned(found) == BINS
    assert calls(found) == [*["3 rows"] * 5, "2 rows"]


def test_what_is_too_much_to_be_handed_on_is_left_to_scikit_learn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = held(monkeypatch)
    monkeypatch.setattr("crivo.training.shared_bins.MOST_BINNED", VALUES.size - 1)
    with shared_bins():
        assert binned(found) == binned(found) == BINS
        assert binned(found, VALUES[:2]) == binned(found, VALUES[:2]) == BINS[:2]
    assert calls(found) == ["3 rows", "3 rows", "2 rows"]
    assert len(handed_on._new) == 1


def test_no_values_have_no_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    found = held(monkeypatch)
    with shared_bins():
        assert binned(found, VALUES[:0]) == binned(found, VALUES[:0]) == []
    assert calls(found) == ["0 rows"]


def test_scikit_learn_s_function_comes_back_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    found = held(monkeypatch)
    before = dict(vars(found))
    with pytest.raises(ZeroDivisionError), shared_bins():
        getattr(found, FIND)(np.zeros(1), 1 / 0)
    assert vars(found) == before


@pytest.mark.parametrize("missing", [FIND, MAP, ""])
def test_nothing_changes_without_such_a_function_or_in_a_process_of_its_own(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = held(monkeypatch)
    if missing:
        delattr(found, missing)
    else:
        monkeypatch.setattr(handed_on, "_known", None)
    before = dict(vars(found))
    with shared_bins():
        assert vars(found) == before


def held(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Put a stand-in in the place of scikit-learn's module, in a process that remembers."""
    found, called = ModuleType("binning"), list[str]()

    def find(values: np.ndarray, bins: int, sample_weight: np.ndarray | None = None) -> np.ndarray:
        called.append(f"{bins}{' weighted' if sample_weight is not None else ''}")
        return np.array([values.min(), bins], dtype=float)

    def map_to_bins(
        values: np.ndarray, edges: list[np.ndarray], categorical: np.ndarray, missing: int, _: int,
        target: np.ndarray,
    ) -> None:  # fmt: skip
        called.append(f"{len(values)} rows")
        for column, ends in enumerate(edges):
            own = values[:, column]
            bins = own if categorical[column] else np.searchsorted(ends, own)
            target[:, column] = np.where(np.isnan(own), missing, bins)

    vars(found).update({FIND: find, MAP: map_to_bins, "called": called})
    monkeypatch.setitem(sys.modules, BINNING, found)
    monkeypatch.setattr(handed_on, "_new", {})
    monkeypatch.setattr(handed_on, "_taken", 0)
    # What one call has worked out, the next finds, as later forks do.
    monkeypatch.setattr(handed_on, "_known", handed_on._new)
    return found


def calls(found: ModuleType) -> list[str]:
    """Return what the stand-in was asked."""
    return list(vars(found)["called"])
