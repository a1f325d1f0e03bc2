"""Two experiments in depth: rows, slices, and what differs in making them."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from crivo.comparison import prediction_diff as diff
from crivo.core.blocks import Context
from crivo.core.schema import Column, Role, Schema
from crivo.records.changed_files import input_differences
from crivo.records.history import read_history
from tests.crivo.experiments.repository import Project, evaluated, settings

BINARY = Context("binary", (False, True), True)
REGRESSION = Context("regression")


def test_numbers_come_nearer_or_go_farther() -> None:
    columns = {"target": [1.0, 2.0, 3.0], "prediction": [2.0, 2.0, 3.0], "weight": 1.0}
    before = pd.DataFrame({"id": list("abc"), **columns})
    after = before.assign(prediction=[1.5, 2.0, 4.0])
    found = diff.row_changes(before, after, REGRESSION)
    assert found["change"].tolist() == ["nearer", "same", "farther"]
    assert found["loss_grew"].tolist() == [-0.5, 0.0, 1.0]


def test_the_slice_that_changed_is_found() -> None:
    """Of 2,000 rows; the second table knows the target in one slice."""
    random = np.random.default_rng(0)
    target = random.random(2000) < 0.3
    carrier = np.where(np.arange(2000) % 2 == 0, "AA", "BB")
    noise = random.random(2000)
    known = np.where(target, 0.9, 0.1) * 0.5 + random.random(2000) * 0.5
    ids = {"id": [f"{row:04d}" for row in range(2000)], "target": target, "weight": 1.0}
    clusters = {"cluster": np.arange(2000) // 200, "slice_carrier": carrier}
    before, after = (
        pd.DataFrame({**ids, "prediction": score >= 0.5, "score": score, **clusters})
        for score in (noise, np.where(carrier == "BB", known, noise))
    )
    change = diff.row_changes(before, after, BINARY)["change"]
    better, same = diff.slice_changes(change, before)
    found = [(one.slice, one.rows) for one in (better, same)]
    assert found == [("carrier = BB", 1000), ("carrier = AA", 1000)]
    assert better.low > 0
    assert (same.value, same.low, same.high) == (0, 0, 0)
    inside = (before["slice_carrier"] == "BB").to_numpy()
    alone = diff.net_change(change[inside], before[inside])
    assert better.value == alone.value
    assert better.low < alone.low


def test_what_differs_in_making_is_told(project: Project) -> None:
    one = evaluated(0.7)
    lock = one["dvc.lock"].replace(
        '"deps": []',
        '"deps": [{"path": "src/train.py", "md5": "%s"}, {"path": "data/raw/x", "md5": "%s"}]',
    )
    project.commit(
        {**one, "dvc.lock": lock % ("1", "aaaaaaaaaa"), "src/train.py": "old",
         "requirements.txt": "numpy==1.0 \\\n  --hash=x\npandas==3.0\n"}
    )  # fmt: skip
    other = evaluated(0.7, settings=settings(seed=2))
    project.trial(
        "new",
        {**other, "dvc.lock": lock % ("2", "bbbbbbbbbb"), "src/train.py": "new", "README": "words",
         "requirements.txt": "numpy==2.0 \\\n  --hash=y\npandas==3.0\nscipy==1.0\n"},
    )  # fmt: skip
    history = read_history(project.folder)
    found = input_differences(history, history.find("main"), history.find("new"))
    assert found == [
        "setting seed: 1 → 2",
        "data data/raw/x: aaaaaaaa → bbbbbbbb",
        "code src/train.py changed",
        "package numpy: 1.0 → 2.0",
        "package scipy: none → 1.0",
    ]


def test_fixed_minus_broken_has_an_interval_by_clusters() -> None:
    """Four clusters of five rows: 2, 1, 1 and 0 more fixed than broken, a mean of 0.2 a row.

    Without each: 2/15, 3/15, 3/15, 4/15; the error is sqrt(3/4 · 2) / 15.
    """
    kinds = ["fixed", "fixed", "broken", "fixed", "right in both"]  # 2 more
    kinds += ["fixed"] + ["wrong in both"] * 4 + ["right in both"] * 4 + ["fixed"]
    kinds += ["broken", "fixed"] + ["right in both"] * 3
    ids = [f"{i:02d}" for i in range(20)]
    predictions = pd.DataFrame({"id": ids, "cluster": np.repeat([5, 6, 7, 8], 5)})
    found = diff.net_change(pd.Series(kinds), predictions)
    reach = stats.t.ppf(0.975, 3) * np.sqrt(3 / 4 * 2) / 15
    assert [found.value, found.low, found.high] == pytest.approx([0.2, 0.2 - reach, 0.2 + reach])
    weighted = predictions[:2].assign(weight=[3.0, 1.0])  # of one cluster
    alone = diff.net_change(pd.Series(["fixed", "same"]), weighted)
    assert alone.value == 0.75
    assert np.isnan([alone.low, alone.high]).all()


def test_the_rows_that_changed_most_are_shown_with_their_raw_columns(
    tried: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of nine rows, the second model loses the last, and is right in all others.

    A raw column that the rows lack isn't shown, nor one that has the name of what is shown.
    """
    raw = pd.DataFrame({"id": range(9), "day": pd.Timestamp("2024-05-01"), "y": False, "a": 0.5})
    raw = raw.assign(one=7.0, w=1, g=2, i=3, o=4)
    scores = [0.9 - number / 100 for number in range(8)] + [0.2]
    one = pd.DataFrame({"id": range(9), "target": False, "prediction": [*8 * [True], False],
                        "score": scores, "weight": 1.0, "cluster": range(9)})  # fmt: skip
    other = one.assign(prediction=[*8 * [False], True], score=[*8 * [0.1], 0.7])
    roles: dict[str, Role] = {"id": "id", "w": "weight", "a": "feature", "one": "feature"}
    roles |= {"g": "group", "i": "info", "o": "outcome", "day": "time", "y": "target", "no": "info"}
    columns = tuple(Column(name=name, role=role, type="number") for name, role in roles.items())
    schema = Schema(task="binary", columns=columns, classes=(False, True), positive=True)
    tables = {"main": one, "slow": other.iloc[::-1]}
    monkeypatch.setattr(diff.Store, "schema", lambda *_: schema)
    monkeypatch.setattr(diff.Store, "predictions", lambda _, record: tables[record.name])
    monkeypatch.setattr(diff.Store, "prepared", lambda *_: raw)
    found = diff.diff_predictions("main", "slow", folder=tried.folder)
    assert (found.one, found.other, found.counts) == ("main", "slow", {"fixed": 8, "broken": 1})
    assert [row["id"] for row in found.rows] == ["0", "1", "2", "3", "4", "8"]
    grew = pytest.approx(np.log(0.8 / 0.3))
    broken = {"change": "broken", "target": False, "one": 0.2, "other": 0.7, "loss_grew": grew}
    shown = {"day": "2024-05-01 00:00:00", "o": 4, "i": 3, "g": 2, "a": 0.5, "w": 1}
    assert [*found.rows[-1].items()] == [*({"id": "8"} | broken | shown).items()]
    assert (found.slices, found.classes, found.unit) == ((), {"False": "not y", "True": "y"}, "")
    assert found.made == ("setting models.boosting.learning_rate: 0.1 → 0.05",)
