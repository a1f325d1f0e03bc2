"""Experiments to remove, and what the tests ask of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crivo.comparison.compare import compare
from crivo.comparison.pruning import Pruned, Selection, plan_pruning, prune
from crivo.records.history import History, read_history
from crivo.records.searches import KeptSearch, KeptTrial, keep
from tests.crivo.experiments.repository import (
    OTHER_WAY,
    evaluation_files,
    settings,
    spread,
)


def variant(number: int, **about: Any) -> dict[str, str]:
    """Return an experiment that differs from others a little."""
    own = settings(models__boosting__learning_rate=0.1 + number / 100)
    return evaluation_files(
        {"roc_auc": spread(0.70 + number / 1000, number / 1000, OTHER_WAY)}, settings=own, **about
    )


def names(folder: Path) -> set[str]:
    return {one.name for one in read_history(folder).trials}


def remove(selection: Selection, folder: Path) -> None:
    prune(plan_pruning(selection, folder), folder=folder)


def answers(folder: Path) -> tuple[int, dict[str, Any]]:
    compared = compare(["good"], folder=folder)
    return compared.trials, compared.table.loc["good"].drop("changed").to_dict()


def keep_rates(history: History) -> None:
    """Keep a search that made one trial, knew another one before, and had one that failed."""
    made, known = (history.find(name).origin.revision for name in ("trial-2", "trial-1"))
    trials = (
        KeptTrial(0, {}, "done", "trial-2", made),
        KeptTrial(1, {}, "known", "trial-1", known),
        KeptTrial(2, {}, "failed"),
    )
    keep(history.repository, KeptSearch("rates", "grid", 1, 1, {}, trials))


def kept(found: Pruned) -> dict[str, str]:
    """Return why experiments that were selected stay, by name."""
    return {one.name: one.reason for one in found.kept}
