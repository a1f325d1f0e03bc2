"""Experiments to compare and to remove, and what the tests ask of them."""

import re
import shlex
from pathlib import Path
from typing import Any

from crivo.comparison.choice import Filters
from crivo.comparison.compare import compare
from crivo.comparison.pruning import plan_pruning, prune
from crivo.comparison.result import ComparisonResult, RefusedExperiment
from crivo.records.history import read_history
from tests.crivo.cli import invoke
from tests.crivo.experiments.repository import OTHER_WAY, evaluated, settings

SLOW = settings(models__boosting__learning_rate=0.05)
TEST = settings(evaluate__split="test")

MAIN = evaluated(0.70, log_loss=0.40, python="3.12.1", environment="e1")
# Differences of 0.02 with a standard error of 0.008: better for the one trial that was planned,
# whose critical value is 2.3735 (4.5 % of t with 8 degrees of freedom), undecided for a second.
GOOD = evaluated(0.72, 0.003, log_loss=0.42, settings=SLOW)
OTHER = evaluated(0.70, 0.003, OTHER_WAY, log_loss=0.4)


def variant(number: int, **about: Any) -> dict[str, str]:
    """Return an experiment that differs from others a little."""
    own = settings(models__boosting__learning_rate=0.1 + number / 100)
    return evaluated(0.70 + number / 1000, number / 1000, OTHER_WAY, settings=own, **about)


def refused(found: ComparisonResult) -> dict[str, RefusedExperiment]:
    """Return what couldn't be compared, by name."""
    return {one.name: one for one in found.refused}


def names(folder: Path) -> set[str]:
    return {one.name for one in read_history(folder).trials}


def remove(patterns: tuple[str, ...], folder: Path) -> None:
    prune(plan_pruning(Filters(patterns=patterns), folder), folder=folder)


def session(text: str) -> str:
    """Return a session with the commands of a text, what each prints, and its status if not 0.

    A hash depends on all files of a project, so it is left out.
    """
    printed = ""
    for line in text.splitlines():
        if line.startswith("$ crivo "):
            done = invoke(*shlex.split(line)[2:])
            status = f"[{done.exit_code}]\n" if done.exit_code else ""
            printed += f"{line}\n{done.output}{status}"
    return re.sub(r"\b[0-9a-f]{40}\b", "HASH", printed)


def answers(folder: Path) -> tuple[int, dict[str, Any]]:
    """Return what a comparison says of the trial `good`, and how many trials there are."""
    compared = compare(["good"], folder=folder)
    return compared.trials, compared.table.loc["good"].drop("changed").to_dict()
