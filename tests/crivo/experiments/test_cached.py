"""Evaluating stored predictions again."""

from pathlib import Path

import numpy as np
import pytest

from crivo.comparison.choice import Pair, pair
from crivo.core.errors import CrivoError
from crivo.records.cached import Store
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
    found = pair(old, new, where)
    assert isinstance(found, Pair)
    assert found.record.estimate("roc_auc").value == pytest.approx(0.75)
    assert found.again
    # Today's code is neither's: both are evaluated again.
    found = pair(old, redefined(new, "third"), where)
    assert isinstance(found, Pair)
    assert found.record.about["definition"] == found.reference.about["definition"]
    (tmp_path / "old/metrics/evaluation/predictions.parquet").unlink()
    refused = pair(old, new, where)
    assert isinstance(refused, Refusal)
    assert "is not in this clone's DVC cache" in refused.advice


def test_a_clone_without_dvc_has_no_stored_predictions(project: Project) -> None:
    project.commit({"README": "x"})
    record = Record(Origin("old", "old", None, "", 0, ""), {})
    where = Store(Repository(project.folder))
    with pytest.raises(CrivoError, match=r"recorded without .*predictions.parquet"):
        where.predictions(record)
