"""Chooses for `crivo start` a linear model that weights each word, if text dominates a table."""

from __future__ import annotations

import pandas as pd

from crivo.core.layout import counted
from crivo.core.schema import Schema
from crivo.project.choices import Choice

# Text dominates from so many words on for each other feature.
WORDS_A_FEATURE = 5
# A script without spaces: more characters than this stand between two of them.
MAX_WORD_LENGTH = 15
# Such a script has a word for every two characters, more or less.
CHARACTERS_A_WORD = 2
SAMPLE = 2_000
KEEP = "featurizers.tabular.keep_text"


def text_choice(rows: pd.DataFrame, schema: Schema) -> tuple[Choice, str]:
    """Return the settings of a table of text, and a line about text beside many other features.

    Text dominates where a row has at least five of its words for each other feature.
    """
    texts = [name for name in schema.features if schema.column(name).type == "text"]
    if not texts:
        return Choice({}, ""), ""
    sizes = [_size(rows[name]) for name in texts]
    words, spaces = round(sum(size for size, _ in sizes)), all(spaces for _, spaces in sizes)
    others = len(schema.features) - len(texts)
    what = f"{', '.join(texts)}: {words} words per row and {counted(others, 'other feature')}"
    if words < WORDS_A_FEATURE * max(1, others):
        hint = f"`crivo try model=linear {KEEP}=true` weights each word"
        return Choice({}, ""), f"words     {what} become numbers; {hint}"
    values = {"model": "linear", KEEP: True}
    if spaces:
        return Choice(values, f"{what}: weighting each word works best"), ""
    values["models.linear.text"] = "characters"
    return Choice(values, f"{what}, without spaces: pieces of text are weighted"), ""


def _size(values: pd.Series) -> tuple[float, bool]:
    """Return how many words a text has on average, and whether spaces part them."""
    texts = values.dropna().astype("str").iloc[:: len(values) // SAMPLE or 1]
    characters, words = texts.str.len().mean(), texts.str.count(r"\S+").mean()
    if characters <= MAX_WORD_LENGTH * words:
        return words, True
    return characters / CHARACTERS_A_WORD, False
