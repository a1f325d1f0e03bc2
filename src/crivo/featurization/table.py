"""`TableEncoder`: turns a table's numbers, categories, dates and text into model inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

from crivo.core.errors import CrivoError
from crivo.core.inputs import as_text
from crivo.featurization.typed import TypedColumns, level_counts, require_columns

# Places that words or pieces of words are hashed to: no vocabulary has to be stored.
HASHED = 2**13
# Texts that teach what words go together, evenly from their sorted order.
MAX_TEXTS = 50_000
# Levels whose frequency is kept.
MAX_VALUES = 10_000
# How a text is cut: words and pairs of them, or pieces of words for names and codes.
WORDS: dict[str, Any] = {"analyzer": "word", "ngram_range": (1, 2), "token_pattern": r"(?u)\b\w+\b"}
PIECES: dict[str, Any] = {"analyzer": "char_wb", "ngram_range": (2, 4)}
DAY = pd.Timedelta(days=1)


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encodes the named columns according to their type; it never uses the target.

    | columns | become |
    | --- | --- |
    | `numbers` | floats |
    | `categories` with at most `max_levels` values | pandas categories |
    | `categories` with more values | their frequency, and `components` numbers from n-grams |
    | `dates` | year, month, day, weekday, hour (if there is one), and days since 1970 |
    | `texts` | `components` numbers from their words (TF-IDF, truncated SVD) |
    | `texts` with `keep_text` | text, for a model that accepts text |

    A column with at most one distinct value in the training rows is left out. A category that
    doesn't occur in the training rows counts as missing, with frequency zero. If a column is
    missing, a CrivoError is raised.

    >>> rows = pd.DataFrame({"size": [1, 2], "kind": ["a", "b"], "same": [0, 0]})
    >>> encoder = TableEncoder(numbers=["size", "same"], categories=["kind"]).fit(rows)
    >>> encoder.transform(pd.DataFrame({"size": [3], "kind": ["c"]})).to_dict("list")
    {'size': [3.0], 'kind': [nan]}
    """

    def __init__(
        self,
        numbers: Sequence[str] = (),
        categories: Sequence[str] = (),
        dates: Sequence[str] = (),
        texts: Sequence[str] = (),
        max_levels: int = 100,
        components: int = 20,
        keep_text: bool = False,
        seed: int = 0,
    ) -> None:
        self.numbers = numbers
        self.categories = categories
        self.dates = dates
        self.texts = texts
        self.max_levels = max_levels
        self.components = components
        self.keep_text = keep_text
        self.seed = seed

    def fit(self, rows: pd.DataFrame, target: Any = None) -> Self:
        """Learn levels, frequencies and words from the training rows."""
        require_columns(rows, [*self.numbers, *self.categories, *self.dates, *self.texts])
        numbers, categories, dates, texts = (
            [name for name in names if rows[name].nunique(dropna=False) > 1]
            for names in (self.numbers, self.categories, self.dates, self.texts)
        )
        counts = {name: level_counts(rows[name]) for name in categories}
        many = [name for name in categories if len(counts[name]) > self.max_levels]
        few = [name for name in categories if name not in many]
        self.typed_ = TypedColumns(numbers, few, self.max_levels).fit(rows)
        self.frequencies_ = {name: _frequencies(counts[name], len(rows)) for name in many}
        known = {name: _dates(rows[name]).dropna() for name in dates}
        self.dates_ = {name: bool((x != x.dt.normalize()).any()) for name, x in known.items()}
        self.texts_ = texts if self.keep_text else []
        as_numbers = many if self.keep_text else many + texts
        self.words_ = {name: self._words(rows[name]) for name in as_numbers}
        if not self._needed():
            raise CrivoError(
                "No feature column varies in the training rows, so there is nothing to learn "
                "from; correct the dataset's settings."
            )
        self.n_features_in_ = len(rows.columns)
        return self

    def transform(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the encoded columns on the rows' own index."""
        check_is_fitted(self)
        require_columns(rows, self._needed())
        typed = self.typed_.transform(rows)
        numbers = {name: typed[name] for name in self.typed_.numbers}
        derived: dict[str, pd.Series] = {}
        for name, shares in self.frequencies_.items():
            derived[f"{name}.frequency"] = as_text(rows[name]).map(shares).fillna(0.0)
        for name, hours in self.dates_.items():
            derived |= _date_parts(_dates(rows[name]), name, hours)
        for name in self.words_:
            derived |= self._components(rows[name])
        others = {name: typed[name] for name in self.typed_.categories}
        others |= {name: as_text(rows[name]) for name in self.texts_}
        # A column of the table takes the place of a derived one of the same name.
        inputs = numbers | derived | others | numbers
        return pd.DataFrame(inputs, index=rows.index, copy=False)

    def _needed(self) -> list[str]:
        typed = [*self.typed_.numbers, *self.typed_.categories]
        return [*typed, *self.dates_, *self.words_, *self.texts_]

    def _words(self, values: pd.Series) -> Pipeline:
        """Return a pipeline from hashed words to numbers, fitted on each different text once."""
        texts = sorted(as_text(values).dropna().unique())
        step = np.linspace(0, len(texts) - 1, min(MAX_TEXTS, len(texts))).astype(int)
        size = max(1, min(self.components, len(step) - 1))
        words = make_pipeline(TfidfTransformer(), TruncatedSVD(size, random_state=self.seed))
        with np.errstate(invalid="ignore", divide="ignore"):  # texts without a single word
            return words.fit(self._hashed([texts[i] for i in step], str(values.name)))

    def _hashed(self, texts: list[str], name: str) -> Any:
        # Made anew each time: a used vectorizer remembers a memory address, which would be stored.
        cutting = WORDS if name in self.texts else PIECES
        return HashingVectorizer(
            n_features=HASHED, alternate_sign=False, dtype=np.float32, **cutting
        ).transform(texts)

    def _components(self, values: pd.Series) -> dict[str, pd.Series]:
        """Return the components of each text; missing for a missing text."""
        name = str(values.name)
        words = self.words_[name]
        codes, different = pd.factorize(as_text(values))
        size = words[-1].n_components
        known = np.full((len(different) + 1, size), np.nan, dtype="float32")  # the last: missing
        if len(different):
            known[:-1] = words.transform(self._hashed([*different], name))
        return {
            f"{name}.text{i + 1}": pd.Series(known[codes, i], index=values.index)
            for i in range(size)
        }


def _frequencies(counts: pd.Series, rows: int) -> dict[str, float]:
    """Return the shares of the more frequent levels; one seen once is as good as unseen."""
    frequent = counts[counts > 1].head(MAX_VALUES)
    return {str(level): count / rows for level, count in frequent.items()}


def _dates(values: pd.Series) -> pd.Series:
    return pd.to_datetime(values, format="ISO8601")


def _date_parts(dates: pd.Series, name: str, hours: bool) -> dict[str, pd.Series]:
    fields = dates.dt
    parts = {"year": fields.year, "month": fields.month, "day": fields.day}
    parts["weekday"] = fields.day_of_week
    if hours:
        parts["hour"] = fields.hour
    parts["days"] = (fields.tz_localize(None) - pd.Timestamp(0)) / DAY
    return {f"{name}.{part}": values.astype("float64") for part, values in parts.items()}
