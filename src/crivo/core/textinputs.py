"""`TextVectorizer`: columns of text as sparse TF-IDF weights, for estimators of numbers."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix, hstack
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.validation import check_is_fitted

# What a text is cut into.
Cut = Literal["words", "characters", "both"]
# Words and pairs of words are weighed apart: together, the many pairs would drown the words.
KINDS: dict[str, dict[str, Any]] = {
    "word": {"analyzer": "word", "ngram_range": (1, 1)},
    "pair": {"analyzer": "word", "ngram_range": (2, 2)},
    "characters": {"analyzer": "char_wb", "ngram_range": (2, 4)},
}
CUTS = {"words": ("word", "pair"), "characters": ("characters",), "both": tuple(KINDS)}
# The most frequent pieces that are kept of a kind, and the fewest texts that one must be in.
MAX_PIECES, MIN_TEXTS = 100_000, 2


class TextVectorizer(TransformerMixin, BaseEstimator):
    """Turns columns of text into TF-IDF weights by scikit-learn's `TfidfVectorizer`, sparse.

    `cut` is `words` (each, and each two neighbours), `characters` (pieces of two to four within a
    word; they take misspellings, inflections and scripts without spaces) or `both`. A piece that
    occurs in a single training row is left out. A missing text has no pieces.

    >>> rows = pd.DataFrame({"review": ["good", "good book", "bad book", None]})
    >>> TextVectorizer().fit_transform(rows).toarray()[:, :2].round(1).tolist()
    [[0.0, 1.0], [0.7, 0.7], [1.0, 0.0], [0.0, 0.0]]
    """

    def __init__(self, cut: Cut = "words") -> None:
        self.cut = cut

    def fit(self, rows: pd.DataFrame, target: Any = None) -> Self:
        """Learn the pieces of the training rows' texts, and how rare each is."""
        # A fitted vectorizer holds a memory address and a mapping of all its pieces: kept are the
        # pieces, in their order and as one text, and their weights.
        self.columns_ = [str(name) for name in rows]
        learnt = [_learnt(as_text(rows[name]), kind) for name, kind in self._places()]
        self.pieces_ = ["\n".join(pieces) for pieces, _ in learnt]
        self.rarity_ = [rarity for _, rarity in learnt]
        self.n_features_in_ = len(self.columns_)
        return self

    def transform(self, rows: pd.DataFrame) -> csr_matrix:
        """Return the weights of each row's pieces: columns, then kinds, then pieces in order."""
        check_is_fitted(self)
        known = zip(self._places(), self.pieces_, self.rarity_, strict=True)
        parts = [
            _weights(as_text(rows[name]), kind, pieces, rarity)
            for (name, kind), pieces, rarity in known
        ]
        return csr_matrix(hstack(parts))

    def _places(self) -> list[tuple[str, str]]:
        return [(name, kind) for name in self.columns_ for kind in CUTS[self.cut]]


def as_text(values: pd.Series) -> list[str]:
    """Return a column's texts, an empty one for a missing value."""
    return values.astype("str").where(values.notna(), "").tolist()


def _learnt(texts: list[str], kind: str) -> tuple[list[str], np.ndarray]:
    """Return the pieces of some texts, and the weight of each by how rare it is."""
    vectorizer = _vectorizer(kind, min_df=MIN_TEXTS, max_features=MAX_PIECES)
    try:
        vectorizer.fit(texts)
    except ValueError:  # no piece stands in two texts
        return [], np.empty(0)
    return vectorizer.get_feature_names_out().tolist(), vectorizer.idf_


def _weights(texts: list[str], kind: str, pieces: str, rarity: np.ndarray) -> csr_matrix:
    if not len(rarity):  # an estimator refuses rows without any column
        return csr_matrix((len(texts), 1))
    vectorizer = _vectorizer(kind, vocabulary=pieces.split("\n"))
    vectorizer.idf_ = rarity
    return csr_matrix(vectorizer.transform(texts))


def _vectorizer(kind: str, **options: Any) -> TfidfVectorizer:
    return TfidfVectorizer(sublinear_tf=True, **KINDS[kind], **options)
