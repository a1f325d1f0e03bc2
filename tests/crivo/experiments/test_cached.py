"""Evaluating stored predictions again, and comparing on shared rows."""

from pathlib import Path

import numpy as np
import pytest

from crivo.comparison.choice import Pair, pair
from crivo.core.errors import CrivoError
from crivo.records.cached import Store, on_shared_rows
from crivo.records.comparability import Refusal
from crivo.records.record import Record
from crivo.repository.commits import Origin
from crivo.repository.git import Repository
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.stored_tables import keep, redefined, store, table

# Scores and targets of 200 rows; ROC AUC counts the ordered pairs.
TARGET = np.arange(200) % 4 == 0
GOOD = np.where(TARGET, 0.8, 0.2)
# One positive in two is scored like a negative: half of the pairs are ordered, half are ties.
HALF = np.where(TARGET & (np.arange(200) % 8 == 0), 0.8, 0.2)


def test_the_stored_predictions_are_evaluated_again_when_the_definition_differs(
    tmp_path: Path,
) -> None:
    where = store(tmp_path)
    old = redefined(keep(where, "old", table(HALF, TARGET)), "other")
    new = keep(where, "new", table(GOOD, TARGET))
    found = pair(old, new, where, common_rows=False)
    assert isinstance(found, Pair)
    assert found.record.estimate("roc_auc").value == pytest.approx(0.75)
    assert found.again
    # Today's code is neither's: both are evaluated again.
    found = pair(old, redefined(new, "third"), where, common_rows=False)
    assert isinstance(found, Pair)
    assert found.record.about["definition"] == found.reference.about["definition"]
    (tmp_path / "old/metrics/evaluation/predictions.parquet").unlink()
    refused = pair(old, new, where, common_rows=False)
    assert isinstance(refused, Refusal)
    assert "is not in this clone's DVC cache" in refused.advice


def test_shared_rows_are_evaluated_and_the_others_are_told(tmp_path: Path) -> None:
    """Of 200 rows the newer one has the last 192; the reference's first 8 are left out."""
    where = store(tmp_path)
    main = keep(where, "main", table(HALF, TARGET))
    new = keep(where, "new", table(GOOD[8:], TARGET[8:], first=8, clusters=7))
    found = on_shared_rows(where, new, main)
    assert (found.rows, found.left_out) == (192, 8)
    assert found.record.about["rows"] == found.reference.about["rows"]
    assert found.record.jackknife.index.equals(found.reference.jackknife.index)
    # Among the first 8 rows one of two positives stands out: 0.5 * 1 + 0.5 * 0.5.
    assert found.left_out_value == pytest.approx(0.75)
    assert found.sentence("roc_auc") == (
        "new and main share 192 rows; on the 8 rows left out, main has roc_auc 0.75."
    )


def test_rows_whose_target_changed_are_not_shared_and_too_few_are_refused(tmp_path: Path) -> None:
    where = store(tmp_path)
    main = keep(where, "main", table(HALF, TARGET))
    changed = TARGET.copy()
    changed[:3] = ~changed[:3]
    other = keep(where, "other", table(GOOD, changed))
    shared = on_shared_rows(where, other, main)
    assert (shared.rows, shared.left_out) == (197, 3)
    found = pair(other, main, where, common_rows=True)
    assert isinstance(found, Pair)
    assert found.shared
    assert found.rows == main.about["rows"]
    new = keep(where, "new", table(GOOD, TARGET, first=12))
    with pytest.raises(CrivoError, match="share 94 % of their rows; a comparison needs 95 %"):
        on_shared_rows(where, new, main)
    assert isinstance(pair(new, main, where, common_rows=True), Refusal)


def test_a_clone_without_dvc_has_no_stored_predictions(project: Project) -> None:
    project.commit({"README": "x"})
    record = Record(Origin("old", "old", None, "", 0, ""), {})
    where = Store(Repository(project.folder))
    with pytest.raises(CrivoError, match=r"recorded without .*predictions.parquet"):
        where.predictions(record)
