"""Two experiments in depth: rows, slices, and what differs in making them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from crivo.comparison import prediction_diff
from crivo.comparison.prediction_diff import (
    diff_predictions,
    net_change,
    prediction_diff_text,
    row_changes,
    slice_changes,
)
from crivo.core.evaluation import Context
from crivo.records.changed_files import input_differences
from crivo.records.history import read_history
from tests.crivo.experiments.repository import Project, evaluation_files, settings, spread
from tests.crivo.experiments.stored_tables import FolderStore, keep, store, table

BINARY = Context("binary", (False, True), True)
REGRESSION = Context("regression")
TARGET = [True, True, False, False]


def test_rows_are_fixed_and_broken() -> None:
    before = table([0.2, 0.9, 0.1, 0.8], TARGET, clusters=2)
    after = table([0.7, 0.4, 0.1, 0.6], TARGET, clusters=2)
    found = row_changes(before, after, BINARY)
    assert found["change"].tolist() == ["fixed", "broken", "right in both", "wrong in both"]
    # log loss: -log(0.7) + log(0.2) for the first row
    assert found["loss_grew"][0] == pytest.approx(np.log(0.2) - np.log(0.7))


def test_numbers_come_nearer_or_go_farther() -> None:
    columns = {"target": [1.0, 2.0, 3.0], "prediction": [2.0, 2.0, 3.0], "weight": 1.0}
    before = pd.DataFrame({"id": list("abc"), **columns})
    after = before.assign(prediction=[1.5, 2.0, 4.0])
    found = row_changes(before, after, REGRESSION)
    assert found["change"].tolist() == ["nearer", "same", "farther"]
    assert found["loss_grew"].tolist() == [-0.5, 0.0, 1.0]


def sliced(better_in: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two tables of 2,000 rows; the second one knows the target in one slice."""
    random = np.random.default_rng(0)
    target = random.random(2000) < 0.3
    carrier = np.where(np.arange(2000) % 2 == 0, "AA", "BB")
    noise = random.random(2000)
    known = np.where(target, 0.9, 0.1) * 0.5 + random.random(2000) * 0.5
    before = table(noise, target).assign(slice_carrier=carrier)
    after = table(np.where(carrier == better_in, known, noise), target)
    return before, after.assign(slice_carrier=carrier)


def test_the_slice_that_changed_is_found() -> None:
    before, after = sliced("BB")
    change = row_changes(before, after, BINARY)["change"]
    better, same = slice_changes(change, before)
    assert [(one.slice, one.rows) for one in (better, same)] == [
        ("carrier = BB", 1000),
        ("carrier = AA", 1000),
    ]
    assert better.low > 0
    assert (same.value, same.low, same.high) == (0, 0, 0)
    inside = (before["slice_carrier"] == "BB").to_numpy()
    alone = net_change(change[inside], before[inside])
    assert better.value == alone.value
    assert better.low < alone.low


def test_what_differs_in_making_is_told(project: Project) -> None:
    one = evaluation_files({"roc_auc": spread(0.7)})
    lock = one["dvc.lock"].replace(
        '"deps": []',
        '"deps": [{"path": "src/train.py", "md5": "%s"}, {"path": "data/raw/x", "md5": "%s"}]',
    )
    project.commit(
        {**one, "dvc.lock": lock % ("1", "aaaaaaaaaa"), "src/train.py": "old",
         "requirements.txt": "numpy==1.0 \\\n  --hash=x\npandas==3.0\n"}
    )  # fmt: skip
    other = evaluation_files({"roc_auc": spread(0.7)}, settings=settings(seed=2))
    project.trial(
        "new",
        {**other, "dvc.lock": lock % ("2", "bbbbbbbbbb"), "src/train.py": "new", "README": "words",
         "requirements.txt": "numpy==2.0 \\\n  --hash=y\npandas==3.0\nscipy==1.0\n"},
    )  # fmt: skip
    history = read_history(project.folder)
    found = input_differences(history, history.find("main"), history.find("new"))
    assert [[one.kind, one.what, one.one, one.other] for one in found] == [
        ["setting", "seed", "1", "2"],
        ["data", "data/raw/x", "aaaaaaaa", "bbbbbbbb"],
        ["code", "src/train.py", "", "changed"],
        ["package", "numpy", "1.0", "2.0"],
        ["package", "scipy", "none", "1.0"],
    ]


@pytest.fixture
def two(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Give two experiments whose predictions are stored."""
    where = store(tmp_path / "cache")
    before, after = sliced("BB")
    for name, predictions in (("main", before), ("new", after)):
        record = keep(where, name, predictions)
        files = {path: blob.content.decode() for path, blob in record.files.items()}
        if name == "main":
            project.commit(files)
        else:
            project.trial(name, files)
    monkeypatch.setattr(
        prediction_diff, "Store", lambda repository: FolderStore(repository, tmp_path / "cache")
    )
    return project


def test_the_text_fits_80_columns_and_says_what_changed(two: Project) -> None:
    text = prediction_diff_text(diff_predictions("main", "new", folder=two.folder))
    assert max(map(len, text.splitlines())) <= 80
    assert text.startswith("new against main: ")
    for part in (
        " fixed",
        "Nothing differs",
        "Slices that changed, 1 of 2",
        "carrier = BB: fixed minus broken +",
    ):
        assert part in text


def test_fixed_minus_broken_has_an_interval_by_clusters() -> None:
    """Four clusters of five rows: 2, 1, 1 and 0 more fixed than broken, a mean of 0.2 a row.

    Without each: 2/15, 3/15, 3/15, 4/15; the error is sqrt(3/4 · 2) / 15.
    """
    kinds = ["fixed", "fixed", "broken", "fixed", "right in both"]  # 2 more
    kinds += ["fixed"] + ["wrong in both"] * 4 + ["right in both"] * 4 + ["fixed"]
    kinds += ["broken", "fixed"] + ["right in both"] * 3
    predictions = pd.DataFrame(
        {"id": [f"{i:02d}" for i in range(20)], "cluster": np.repeat([5, 6, 7, 8], 5)}
    )
    found = net_change(pd.Series(kinds), predictions)
    reach = stats.t.ppf(0.975, 3) * np.sqrt(3 / 4 * 2) / 15
    assert [found.value, found.low, found.high] == pytest.approx([0.2, 0.2 - reach, 0.2 + reach])


def test_single_rows_give_mcnemar_s_error() -> None:
    """Of n rows b fixed and c broken: d = (b - c) / n, and se² = ((b + c) / n - d²) / (n - 1)."""
    kinds = pd.Series(["fixed"] * 12 + ["broken"] * 5 + ["right in both"] * 33)
    predictions = pd.DataFrame({"id": [f"{i:02d}" for i in range(50)], "cluster": range(50)})
    found = net_change(kinds, predictions)
    reach = stats.t.ppf(0.975, 49) * np.sqrt((17 / 50 - 0.14**2) / 49)
    assert [found.value, found.low, found.high] == pytest.approx([0.14, 0.14 - reach, 0.14 + reach])


def test_one_cluster_gives_no_interval() -> None:
    predictions = pd.DataFrame({"id": list("ab"), "cluster": [1, 1]})
    found = net_change(pd.Series(["fixed", "same"]), predictions)
    assert found.value == 0.5
    assert np.isnan([found.low, found.high]).all()
