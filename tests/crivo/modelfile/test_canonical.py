"""Model files: equal estimators give equal bytes, and loading runs nothing."""

import io
import zipfile
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, HistGradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import FunctionTransformer

from crivo.core.errors import CrivoError
from crivo.modelfile.archives import read_members
from crivo.modelfile.canonical import dump_model, load_model, parse_model, save_model

POINTS = np.random.default_rng(0).normal(size=(90, 3))
SIDES = POINTS[:, 0] > 0
BOOSTING = HistGradientBoostingClassifier(max_iter=2, random_state=0)


def bagged() -> BaggingClassifier:
    """Return a model with histogram boosting inside, as fitted on several cores."""
    model = BaggingClassifier(BOOSTING, 2, random_state=0).fit(POINTS, SIDES)
    model.estimators_[0]._bin_mapper.n_threads = 7
    return model


def asked() -> KNeighborsClassifier:
    """Return neighbours in a tree that has been asked."""
    model = KNeighborsClassifier(algorithm="kd_tree").fit(POINTS, SIDES)
    model.predict(POINTS)
    return model


@pytest.mark.parametrize(
    ("used", "fresh"),
    [
        (bagged, BaggingClassifier(BOOSTING, 2, random_state=0)),
        (asked, KNeighborsClassifier(algorithm="kd_tree")),
    ],
)
def test_what_a_use_leaves_behind_is_not_stored(used, fresh) -> None:
    stored = dump_model(used())
    assert stored == dump_model(fresh.fit(POINTS, SIDES))
    with zipfile.ZipFile(io.BytesIO(stored)) as file:  # no time, and no system
        told = {(one.date_time, one.create_system) for one in file.infolist()}
    assert told == {((1980, 1, 1, 0, 0, 0), 3)}
    np.testing.assert_array_equal(parse_model(stored).predict(POINTS), used().predict(POINTS))


@pytest.mark.parametrize("more", [0, 1])
def test_an_archive_may_unpack_to_64_mb_and_a_hundred_times_its_size(more: int) -> None:
    """This one has 106 bytes, and says that it holds so much."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as file:
        file.writestr("much", b"")
        file.getinfo("much").file_size = 64 * 2**20 + 10_600 + more
    with pytest.raises(ValueError, match="more than 64 MB") if more else nullcontext():
        assert read_members(target.getvalue(), []) == {}


def test_a_function_without_a_name_is_refused_before_it_is_stored(tmp_path: Path) -> None:
    model = FunctionTransformer(lambda values: values)
    with pytest.raises(CrivoError, match="contains a lambda.*at the top level of the block's file"):
        save_model(tmp_path / "model.skops", model)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match="dvc repro"):
        load_model(tmp_path / "none.skops")


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b""])
def test_a_damaged_file_is_one_sentence(tmp_path: Path, damage) -> None:
    path = tmp_path / "model.skops"
    path.write_bytes(damage(dump_model(asked())))
    with pytest.raises(CrivoError, match="isn't a readable model file"):
        load_model(path)
