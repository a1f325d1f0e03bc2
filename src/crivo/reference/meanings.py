"""Finds what a setting means: the clause of its class's docstring that names it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterator

# What a setting means wherever it occurs, so that no class has to say it again.
COMMON = {
    "seed": "What all that is random starts from: the same seed gives the same bytes",
    "baseline": "The trivial model that every result stands beside",
    "prepare": "What `prepare` is told beside its blocks",
    "train": "What `train` is told beside its blocks",
    "evaluate": "What `evaluate` is told beside its blocks",
    "compare": "What is planned to be compared; commands read it and no stage does",
    "search": "What `crivo search` varies (docs/search.md); commands read it and no stage does",
    "limits": "What must hold of a result; `crivo gate` reads it and no stage does",
    "learning_rate": "How much of each tree's correction is taken",
    "max_iter": "How many iterations at most",
    "n_estimators": "How many trees at most",
    "trees": "How many trees",
    "max_depth": "How many splits deep a tree may be",
    "max_leaf_nodes": "How many leaves a tree may have",
    "num_leaves": "How many leaves a tree may have",
    "min_samples_leaf": "How many training rows a leaf has at least",
    "min_child_samples": "How many training rows a leaf has at least",
    "min_child_weight": "How much weight (second derivatives of the loss) a leaf has at least",
    "l2_regularization": "The ridge penalty on the values of leaves",
    "reg_lambda": "The ridge penalty on the values of leaves",
    "colsample_bytree": "The share of the features that each tree may use",
}
# "`valid`, `test`: the shares …": what stands before the meaning itself.
LABEL = re.compile(r"(?:[A-Z]\w+: )?(?:(?:`\w+`(?:, | and )?)+: )?")
REST = "The others: "


def introduction(cls: type) -> str:
    """Return the first paragraph of a class's docstring on one line."""
    return " ".join((inspect.getdoc(cls) or "").partition("\n\n")[0].split())


def summary(cls: type) -> str:
    """Return the first sentence of a class's docstring."""
    return next(_sentences(cls))


def meaning(cls: type, name: str, known: Collection[str]) -> str:
    """Return what a setting of a class means, as one sentence without its full stop.

    `known` are the names of all settings of the class. A setting that the docstring doesn't
    mention has its common meaning, or that of "The others: …", or none.
    """
    clauses = [clause for sentence in _sentences(cls) for clause in _clauses(sentence, known)]
    named = [clause for clause in clauses if re.search(rf"`{name}\b", clause)]
    rest = [clause.removeprefix(REST) for clause in clauses if clause.startswith(REST)]
    spelled = [clause for clause in clauses if re.search(rf"\b{name}\b", clause)]
    chosen_clause = next(iter([*named, *filter(None, [COMMON.get(name)]), *spelled, *rest]), "")
    text = LABEL.sub("", chosen_clause, count=1).rstrip(".")
    return text[:1].upper() + text[1:]


def _sentences(cls: type) -> Iterator[str]:
    """Yield the sentences of a docstring; indented paragraphs are drawings, not prose."""
    for paragraph in re.split(r"\n\s*\n", inspect.getdoc(cls) or ""):
        if not paragraph.startswith(" "):
            yield from re.split(r"(?<=[.!?])\s+(?=[A-Z`])", " ".join(paragraph.split()))


def _clauses(sentence: str, known: Collection[str]) -> Iterator[str]:
    """Yield the clauses of a sentence, each with those that follow and name no setting."""
    clause = ""
    for part in re.split(r";\s+(?![^(]*\))", sentence):
        if clause and set(re.findall(r"`(\w+)", part)) & set(known):
            yield clause
            clause = part
        else:
            clause = f"{clause}; {part}" if clause else part
    yield clause
