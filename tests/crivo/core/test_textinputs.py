"""Text becomes the weights of its words, or of their pieces, as scikit-learn works them out."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import hstack
from sklearn.feature_extraction.text import TfidfVectorizer

from crivo.core.errors import CrivoError
from crivo.core.inputs import numeric_inputs, require_taken
from crivo.core.registry import make_block
from crivo.core.textinputs import TextVectorizer
from crivo.modelfile.canonical import dump_model, parse_model

ROWS = pd.DataFrame(
    {
        "title": ["a fine book", "a poor book", "fine film", "poor film"],
        "review": ["read it again, a fine book", "I gave up on it", None, "read it? gave up"],
    }
)
NEW = pd.DataFrame({"title": ["fine things", None], "review": ["", "gave up again"]})


def sklearn_weights(cut: str, name: str) -> tuple[object, object]:
    """Return what scikit-learn's own vectorizers make of a column's training and new texts."""
    kinds = {
        "words": [("word", (1, 1)), ("word", (2, 2))],
        "characters": [("char_wb", (2, 4))],
    }
    chosen = kinds["words"] + kinds["characters"] if cut == "both" else kinds[cut]
    parts = []
    for analyzer, sizes in chosen:
        own = TfidfVectorizer(analyzer=analyzer, ngram_range=sizes, min_df=2, sublinear_tf=True)
        taught = own.fit_transform(ROWS[name].fillna(""))
        parts.append((taught, own.transform(NEW[name].fillna(""))))
    return tuple(hstack(part).toarray() for part in zip(*parts, strict=True))  # type: ignore[return-value]


@pytest.mark.parametrize("cut", ["words", "characters", "both"])
def test_the_weights_are_those_of_scikit_learn(cut: str) -> None:
    name = "review"
    vectorizer = TextVectorizer(cut)  # type: ignore[arg-type]
    taught = vectorizer.fit(ROWS[[name]]).transform(ROWS[[name]])
    expected, expected_new = sklearn_weights(cut, name)
    np.testing.assert_allclose(taught.toarray(), expected)
    np.testing.assert_allclose(vectorizer.transform(NEW[[name]]).toarray(), expected_new)


def test_it_is_stored_and_comes_back_and_using_it_changes_nothing() -> None:
    fitted = TextVectorizer("both").fit(ROWS)
    before = dump_model(fitted)
    expected = fitted.transform(NEW).toarray()
    assert dump_model(fitted) == before == dump_model(TextVectorizer("both").fit(ROWS))
    np.testing.assert_array_equal(parse_model(before).transform(NEW).toarray(), expected)


def test_texts_without_a_common_word_say_nothing() -> None:
    rows = pd.DataFrame({"t": ["one", "two", None]})
    assert TextVectorizer().fit_transform(rows).sum() == 0


def test_text_stands_beside_numbers_and_categories() -> None:
    rows = ROWS.assign(size=[1.0, 2.0, np.nan, 4.0], kind=pd.Categorical(list("abab")))
    alone = numeric_inputs().fit_transform(rows.drop(columns=["title", "review"]))
    both = numeric_inputs(text="words").fit_transform(rows)
    words = TextVectorizer().fit_transform(ROWS).toarray()
    np.testing.assert_allclose(both, np.hstack([alone, words]))


def test_a_model_that_takes_no_text_says_so() -> None:
    with pytest.raises(CrivoError, match="model boosting takes no text, and title, review is text"):
        require_taken(ROWS, "boosting", make_block("model", "boosting", {}))
    require_taken(ROWS, "linear", make_block("model", "linear", {}))
    require_taken(ROWS[[]], "boosting", make_block("model", "boosting", {}))
