"""Any table becomes inputs: by type, from the training rows alone, the same in every process."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.pipeline import make_pipeline

from crivo.core.errors import CrivoError
from crivo.featurization.table import TableEncoder

COUNT = 400


def table() -> pd.DataFrame:
    """Return rows of every type, a seventh of the values missing."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(200)])
    rows = pd.DataFrame(
        {
            "size": rng.normal(size=COUNT),
            "flag": pd.array(rng.random(COUNT) < 0.5, dtype="boolean"),
            "kind": rng.choice(list("abc"), COUNT),
            "code": [f"item-{i:03}" for i in rng.integers(0, 150, COUNT)],
            "when": pd.date_range("2013-01-01", periods=COUNT, freq="7h"),
            "remark": [" ".join(rng.choice(words, 8)) for _ in range(COUNT)],
            "same": 1,
            "empty": None,
        }
    )
    rows.loc[::7, ["size", "flag", "kind", "code", "when", "remark"]] = None
    return rows


def encoder(**options: object) -> TableEncoder:
    return TableEncoder(
        numbers=["size", "flag", "same", "empty"],
        categories=["kind", "code"],
        dates=["when"],
        texts=["remark"],
        components=4,
        seed=1,
        **options,  # type: ignore[arg-type]
    )


ROWS = table()
FITTED = encoder().fit(ROWS)
INPUTS = FITTED.transform(ROWS)


def test_each_type_becomes_its_inputs() -> None:
    assert list(INPUTS) == [
        *("size", "flag", "code.frequency"),
        *(f"when.{part}" for part in ("year", "month", "day", "weekday", "hour", "days")),
        *(f"code.text{i}" for i in range(1, 5)),
        *(f"remark.text{i}" for i in range(1, 5)),
        "kind",
    ]
    assert FITTED.n_features_in_ == ROWS.shape[1]


def test_missing_stays_missing() -> None:
    gaps = INPUTS.iloc[::7].drop(columns="code.frequency")
    assert gaps.isna().all(axis=None)
    assert INPUTS.drop(index=INPUTS.index[::7]).notna().all(axis=None)


def test_a_date_becomes_its_parts() -> None:
    rows = pd.DataFrame({"when": pd.to_datetime(["1970-01-02 12:00", "2013-09-01 06:00"])})
    inputs = TableEncoder(dates=["when"]).fit(rows).transform(rows)
    # 1 September 2013 was a Sunday, 15,949 days after the first of 1970.
    assert inputs.iloc[1].tolist() == [2013, 9, 1, 6, 6, 15949.25]
    assert inputs["when.days"].tolist() == [1.5, 15949.25]
    days = pd.DataFrame({"when": [*rows["when"].dt.normalize(), None]})
    assert "when.hour" not in TableEncoder(dates=["when"]).fit(days).transform(days)


def test_a_frequency_is_the_share_of_training_rows() -> None:
    rows = pd.DataFrame({"code": ["a", "a", "b", "b", "b", "c", None, "d"]})
    fitted = TableEncoder(categories=["code"], max_levels=2).fit(rows)
    inputs = fitted.transform(pd.DataFrame({"code": ["b", "a", "c", "new", None]}))
    # A level seen once is as good as unseen.
    assert inputs["code.frequency"].tolist() == [3 / 8, 2 / 8, 0, 0, 0]


def test_up_to_a_hundred_levels_are_a_category_and_few_texts_have_few_components() -> None:
    codes = pd.DataFrame({"code": [f"item {i}" for i in range(101)]})
    made = [TableEncoder(categories=["code"]).fit_transform(codes[:n]) for n in (100, 101)]
    more = ["code.frequency", *(f"code.text{i}" for i in range(1, 21))]
    assert [[*inputs] for inputs in made] == [["code"], more]
    for texts, size in ((["a b", None], 1), (["a", "b", "c"], 2)):
        inputs = TableEncoder(texts=["x"]).fit_transform(pd.DataFrame({"x": texts}))
        assert inputs.shape == (len(texts), size)


WORDS = {"ngram_range": (1, 2), "token_pattern": r"(?u)\b\w+\b"}
PIECES = {"analyzer": "char_wb", "ngram_range": (2, 4)}


@pytest.mark.parametrize(("name", "cutting"), [("remark", WORDS), ("code", PIECES)])
def test_components_are_those_of_tf_idf_in_8192_places(name: str, cutting: dict) -> None:
    texts = ROWS[name].dropna()
    hashing = HashingVectorizer(n_features=8_192, alternate_sign=False, **cutting)
    steps = make_pipeline(hashing, TfidfTransformer(), TruncatedSVD(4, random_state=1))
    expected = steps.fit(sorted(set(texts))).transform(texts)
    found = INPUTS.loc[texts.index].filter(like=f"{name}.text")
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_unseen_levels_and_texts_are_taken() -> None:
    new = ROWS.head(3).assign(kind="unseen", code="unseen", remark="never before")
    inputs = FITTED.transform(new)
    assert inputs["kind"].isna().all()
    assert inputs["remark.text1"].notna().all()


def test_a_column_that_is_not_used_may_be_missing_and_others_are_named() -> None:
    FITTED.transform(ROWS.drop(columns=["same", "empty"]))
    with pytest.raises(CrivoError, match="lack the columns kind, when; give them"):
        FITTED.transform(ROWS.drop(columns=["kind", "when"]))
    with pytest.raises(CrivoError, match="lack the column kind"):
        TableEncoder(categories=["kind"]).fit(ROWS.drop(columns="kind"))


def test_values_of_another_type_are_refused() -> None:
    with pytest.raises(ValueError, match="soon"):
        FITTED.transform(ROWS.head(1).astype({"when": "object"}).assign(when="soon"))
    with pytest.raises(ValueError, match="big"):
        FITTED.transform(ROWS.head(1).assign(size="big"))


def test_values_may_come_as_text() -> None:
    new = pd.DataFrame({name: ROWS[name].astype("str") for name in ROWS}).iloc[1:7]
    inputs = FITTED.transform(new.assign(flag=ROWS["flag"]))
    pd.testing.assert_frame_equal(inputs, INPUTS.iloc[1:7], check_index_type=False)


def test_names_that_meet_are_made_different() -> None:
    rows = ROWS.assign(**{"when.year": 1.0 * np.arange(COUNT)})
    fitted = TableEncoder(numbers=["when.year"], dates=["when"]).fit(rows)
    assert fitted.transform(rows).columns.is_unique


def test_a_table_in_which_nothing_varies_is_refused() -> None:
    with pytest.raises(CrivoError, match="No feature column varies"):
        TableEncoder(numbers=["same"]).fit(ROWS)
