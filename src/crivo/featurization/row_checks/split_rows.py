"""The prepared rows of all splits, as the checks of rows look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from crivo.core.artifacts import SPLITS
from crivo.core.findings import Checks
from crivo.core.inputs import texts_of
from crivo.core.schema import Schema
from crivo.core.stored_table import Rows, StoredTable
from crivo.featurization.row_checks.copies import (
    LOOK,
    MANY,
    EqualRows,
    count_copies,
    may_name_rows,
    names_rows,
)
from crivo.featurization.row_checks.hashes import (
    at_equal_steps,
    count_in,
    row_hashes,
    summed_hashes,
)

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

# Rows that a costly check looks at: enough for what is blatant, quick on any table.
SAMPLE = 10_000
# Of a text the most frequent words are looked at.
WORDS, WORD = 500, r"(?u)\b\w+\b"


class SplitRows:
    """The rows of each split, and their schema; `read` is asked once for each split's rows.

    They may be on disk: then a check reads one column at a time, and samples of rows.

    `inputs` are what the model sees of the training rows, a row for each, when that is known.
    """

    def __init__(self, schema: Schema, read: Callable[[str], Rows]) -> None:
        self.schema = schema
        self.split = cache(read)
        self.sample_of = cache(self._sample_of)
        self.inputs: Rows | None = None
        self._samples: dict[str, pd.DataFrame] = {}

    def pairs(self) -> Iterator[tuple[str, Rows, str, Rows]]:
        """Yield each two splits, the one that should come first first, with their rows."""
        for one, other in combinations(SPLITS, 2):
            yield one, self.split(one), other, self.split(other)

    @property
    def features(self) -> list[str]:
        """The columns that may enter a model."""
        return list(self.schema.features)

    @cached_property
    def sample(self) -> pd.DataFrame:
        """Training rows, at equal steps through all of them."""
        return self.sample_of("train")

    def _sample_of(self, split: str) -> pd.DataFrame:
        """Return rows of a split at equal steps; `sample_of` does so once for each split."""
        known = self._samples.get(split)
        return at_equal_steps(self.split(split), SAMPLE) if known is None else known

    @property
    def input_sample(self) -> pd.DataFrame | None:
        """What the model sees of the sample, if known; of a text, which frequent words it holds."""
        rows = self.split("train")
        if self.inputs is None or len(self.inputs) != len(rows):
            return None
        return with_words(at_equal_steps(self.inputs, SAMPLE).set_axis(self.sample.index))

    @contextmanager
    def counting_equal_rows(self) -> Iterator[None]:
        """Find equal rows in a thread beside what is done meanwhile.

        Of the checks it takes longest. An error in it shows when a check asks for these rows.
        """
        for split in SPLITS:
            self.split(split)  # here, as two threads would read it twice
        with ThreadPoolExecutor(1) as threads:
            threads.submit(lambda: self.equal_rows)
            yield

    @cached_property
    def naming_columns(self) -> list[str]:
        """The features that name the rows, as an id does that nobody has declared."""
        first = self.split("train").head(LOOK)
        return [
            name
            for name in self.features
            if may_name_rows(first[name])
            and names_rows([self.split(split)[name] for split in SPLITS])
        ]

    @cached_property
    def equal_rows(self) -> list[EqualRows]:
        """Rows of one split that equal a row of another, for each two splits that have many."""
        features = [name for name in self.features if name not in self.naming_columns]
        columns = [*features, self.schema.target]
        sums = {split: self._summed(split, columns) for split in SPLITS}
        hashes = {split: one if one.ndim == 1 else one.sum(axis=0) for split, one in sums.items()}
        found: list[EqualRows] = []
        for i, one in enumerate(SPLITS if features else ()):
            equal = {other: _equal(hashes[one], hashes[other]) for other in SPLITS[i + 1 :]}
            rows = {other: self.split(other) for other in equal}
            many = [o for o, count in equal.items() if count >= MANY * len(rows[o]) > 0]
            if not many:
                continue
            others, samples = zip(*((rows[o], self.sample_of(o)) for o in many), strict=True)
            known = None if sums[one].ndim == 1 else sums[one]
            copies = count_copies(self.split(one), others, columns, samples, known)
            found += [
                EqualRows(one, other, equal[other], len(rows[other]), count)
                for other, count in zip(many, copies, strict=True)
            ]
        return found

    def _summed(self, split: str, columns: list[str]) -> np.ndarray:
        """Return a hash of each row, or of rows on disk the sums of which it consists."""
        rows = self.split(split)
        if not isinstance(rows, StoredTable):
            return row_hashes(rows[columns]).to_numpy()
        sums, self._samples[split] = summed_hashes(rows, columns, SAMPLE)
        return sums


def checked_columns(schema: Schema) -> list[str]:
    """Return the columns that the checks look at, the features among them."""
    names = [schema.id, schema.target, schema.time, schema.group, *schema.features]
    return list(dict.fromkeys(name for name in names if name is not None))


def _equal(first: np.ndarray, second: np.ndarray) -> int:
    """Return how many of the second keys are among the first."""
    import numpy as np

    return int(np.count_nonzero(count_in(first, second)))


def with_words(inputs: pd.DataFrame) -> pd.DataFrame:
    """Return inputs with a column for each frequent word of a text, 1 where it holds the word."""
    import pandas as pd
    from sklearn.feature_extraction.text import CountVectorizer

    texts = [name for name in texts_of(inputs) if inputs[name].str.contains(r"\w").any()]
    if not texts:
        return inputs
    parts = [inputs.drop(columns=texts)]
    for name in texts:
        counter = CountVectorizer(
            binary=True, max_features=WORDS, dtype="float32", token_pattern=WORD
        )
        counts = counter.fit_transform(inputs[name].fillna("")).toarray()
        names = [f"{name}.{word}" for word in counter.get_feature_names_out()]
        parts.append(pd.DataFrame(counts, columns=names, index=inputs.index))
    return pd.concat(parts, axis="columns")


ROW_CHECKS: Checks[SplitRows] = Checks()
check = ROW_CHECKS.check
