"""A fit takes the bins that an earlier fork found, and the model is the same to the last byte."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from crivo.repository.stage_process import StageProcess
from crivo.runtime import fork_cache
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
from crivo.modelfile.canonical import dump_model
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
        command = [sys.executable, "src/fits.py", *words]
        done = subprocess.run(
            command, cwd=process.folder, env=process.environment, capture_output=True, text=True
        )
        return read_answer(done.stdout.splitlines())

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
    return read_answer(lines)


def read_answer(lines: list[str]) -> tuple[int, int, str]:
    assert len(lines) == 1, lines
    columns, tables, content = lines[0].split()
    return int(columns), int(tables), content


@pytest.mark.parametrize("missing", [FIND, MAP, ""])
def test_nothing_changes_without_such_a_function_or_in_a_process_of_its_own(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = held(monkeypatch)
    if missing:
        delattr(found, missing)
    else:
        monkeypatch.setattr(fork_cache, "_known", None)
    before = dict(vars(found))
    with shared_bins():
        assert vars(found) == before


def held(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Put a stand-in in the place of scikit-learn's module, in a process that remembers."""
    found = ModuleType("binning")
    vars(found).update({FIND: np.array, MAP: np.array})
    monkeypatch.setitem(sys.modules, BINNING, found)
    monkeypatch.setattr(fork_cache, "_new", {})
    # What one call has worked out, the next finds, as later forks do.
    monkeypatch.setattr(fork_cache, "_known", fork_cache._new)
    return found
