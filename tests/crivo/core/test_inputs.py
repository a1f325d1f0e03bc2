"""Model inputs: typed columns, text as weights of its words, plain names for boosters."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, hstack
from sklearn.feature_extraction.text import TfidfVectorizer

from crivo.core.boosters import NumberedColumns
from crivo.core.errors import CrivoError
from crivo.core.inputs import check_inputs, numeric_inputs, require_taken, with_shared_levels
from crivo.core.registry import make_block
from crivo.core.textinputs import TextVectorizer

ROWS = pd.DataFrame({"a": ["x", "y"]})


def test_numbers_booleans_categories_and_text_pass() -> None:
    table = pd.DataFrame({"n": [1.5, 2], "b": [True, False], "c": pd.Categorical(["x", None])})
    table = table.assign(t=["some words", None])
    pd.testing.assert_frame_equal(check_inputs(table, ROWS), table)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (np.zeros((2, 1)), "returned a ndarray"),
        (csr_array((2, 1)), "returned a csr_array for 2 rows"),  # its length isn't known
        (pd.DataFrame({"a": [1.0]}), "DataFrame of 1 rows for 2"),
        (pd.DataFrame(index=[0, 1]), "at least one column"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "each name only once"),
        (ROWS.astype("object"), r"neither numbers nor categories nor text: a \(object\)"),
        (pd.DataFrame({"t": pd.to_datetime(["2020", "2021"])}), "neither numbers"),
    ],
)
def test_anything_else_is_refused(inputs: object, message: str) -> None:
    with pytest.raises(CrivoError, match=message):
        check_inputs(inputs, ROWS)


def test_equal_levels_are_one_object_in_a_table_of_the_same_values() -> None:
    table = pd.DataFrame(
        {
            "number": [1.5, None, 2.5, 3.5, 4.5],
            "word": pd.Series(["a", "b", None, "d", "e"], dtype="str"),
            "kind": pd.Categorical(["x", "y", "x", "z", "z"], ["z", "y", "x", "w"]),
            "day": pd.date_range("2013-01-01", periods=5, unit="us"),
        },
        index=[4, 3, 3, 1, 0],
    ).assign(
        ordered=pd.Categorical(["u", None, "v", "u", "v"], ["v", "u"], ordered=True),
        size=pd.Categorical([1, 2, None, 2, 1]),
        none=pd.Categorical([None] * 5, pd.Index([], dtype="str")),
    )
    for shared in (with_shared_levels(table), with_shared_levels(table[:0])):
        assert shared.dtypes.astype(str).tolist() == table.dtypes.astype(str).tolist()
        for name in ("kind", "ordered", "size", "none"):
            assert shared[name].cat.categories.tolist() == table[name].cat.categories.tolist()
            assert shared[name].cat.ordered == table[name].cat.ordered
            texts = np.asarray(shared[name].dropna(), dtype=object)
            assert len({id(text) for text in texts}) == len(set(texts))
    pd.testing.assert_frame_equal(with_shared_levels(table).astype(object), table.astype(object))


TEXTS = pd.DataFrame(
    {
        "title": ["a fine book", "a poor book", "fine film", "poor film"],
        "review": ["read it again, a fine book", "I gave up on it", None, "read it? gave up"],
    }
)
NEW_TEXTS = pd.DataFrame({"title": ["fine things", None], "review": ["", "gave up again"]})


def sklearn_weights(cut: str, name: str) -> tuple[object, object]:
    """Return what scikit-learn's own vectorizers make of a column's training and new texts."""
    kinds = {"words": [("word", (1, 1)), ("word", (2, 2))], "characters": [("char_wb", (2, 4))]}
    chosen = kinds["words"] + kinds["characters"] if cut == "both" else kinds[cut]
    parts = []
    for analyzer, sizes in chosen:
        own = TfidfVectorizer(analyzer=analyzer, ngram_range=sizes, min_df=2, sublinear_tf=True)
        taught = own.fit_transform(TEXTS[name].fillna(""))
        parts.append((taught, own.transform(NEW_TEXTS[name].fillna(""))))
    return tuple(hstack(part).toarray() for part in zip(*parts, strict=True))  # type: ignore[return-value]


@pytest.mark.parametrize("cut", ["words", "characters", "both"])
def test_the_weights_are_those_of_scikit_learn(cut: str) -> None:
    name = "review"
    vectorizer = TextVectorizer(cut)  # type: ignore[arg-type]
    taught = vectorizer.fit(TEXTS[[name]]).transform(TEXTS[[name]])
    expected, expected_new = sklearn_weights(cut, name)
    np.testing.assert_allclose(taught.toarray(), expected)
    np.testing.assert_allclose(vectorizer.transform(NEW_TEXTS[[name]]).toarray(), expected_new)


def test_text_for_a_model_that_takes_none_is_refused() -> None:
    for name in ("linear", "prior"):
        require_taken(TEXTS, name, make_block("model", name, {}))
    words = "^The model forest can't use the text in title, review; set featurizers.tabular.keep_"
    with pytest.raises(CrivoError, match=words):
        require_taken(TEXTS.assign(size=1), "forest", make_block("model", "forest", {}))


def test_texts_without_a_common_word_say_nothing() -> None:
    rows = pd.DataFrame({"t": ["one", "two", None]})
    assert TextVectorizer().fit_transform(rows).sum() == 0


def test_text_stands_beside_numbers_and_categories() -> None:
    rows = TEXTS.assign(size=[1.0, 2.0, np.nan, 4.0], kind=pd.Categorical(list("abab")))
    alone = numeric_inputs().fit_transform(rows.drop(columns=["title", "review"]))
    both = numeric_inputs(text="words").fit_transform(rows)
    words = TextVectorizer().fit_transform(TEXTS).toarray()
    np.testing.assert_allclose(both, np.hstack([alone, words]))


def test_numbers_and_rare_categories_are_encoded_for_estimators_of_numbers() -> None:
    kinds = pd.DataFrame({"kind": pd.Categorical([*"a" * 20, *"b" * 10, *"c" * 9, "d"])})
    assert numeric_inputs().fit_transform(kinds).shape == (40, 3)  # a, b, and the rare ones
    many = pd.DataFrame({"kind": pd.Categorical([*range(51)] * 10)})
    widths = [numeric_inputs(dense=dense).fit_transform(many).shape[1] for dense in (False, True)]
    assert widths == [51, 50]
    gaps = pd.DataFrame({"size": [1.0, 2.0, 9.0, np.nan], "none": np.nan})
    encoded = numeric_inputs(dense=True).fit_transform(gaps)
    assert encoded.shape == (4, 4)  # two columns, and where each is missing
    assert encoded[3, 0] == encoded[1, 0]  # the median


ODD = pd.DataFrame({"a [1]": [1.0, 2.0, 3.0], "{b}": [0.0, 0.0, 1.0]})


def test_columns_are_numbered_and_those_without_a_level_left_out() -> None:
    rows = ODD.assign(none=pd.Categorical([None] * 3, categories=[]))
    columns = NumberedColumns().fit(rows)
    assert list(columns.transform(rows)) == ["f0", "f1"]


def test_columns_in_another_order_are_put_right() -> None:
    columns = NumberedColumns().fit(ODD)
    assert columns.transform(ODD[["{b}", "a [1]"]]).equals(columns.transform(ODD))
