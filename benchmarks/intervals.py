"""How long all metrics with their intervals take, against the obvious loop over scikit-learn.

    python benchmarks/intervals.py                   # 56,000 and 560,000 rows, 61 clusters
    python benchmarks/intervals.py --rows 10000 --clusters 12

The loop leaves out each cluster and calls scikit-learn's functions on the rest, for the
metrics that scikit-learn has; ours computes all of the task. Both in one run, on one table.
"""

from __future__ import annotations

import argparse
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import sklearn.metrics as sk

from crivo.core.evaluation import Context
from crivo.core.schema import Task
from crivo.evaluation.jackknife import jackknife
from crivo.evaluation.metrics import metrics_of

KINDS = 7

CONTEXTS: dict[Task, Context] = {
    "binary": Context("binary", (False, True), True),
    "multiclass": Context("multiclass", tuple(range(KINDS))),
    "regression": Context("regression"),
}


def table(task: Task, rows: int, clusters: int) -> pd.DataFrame:
    """Return a predictions table of rows in time, with scores of three digits in one of ten."""
    random = np.random.default_rng(0)
    known = random.standard_normal(rows)
    predictions = pd.DataFrame({"id": [f"row {i:08d}" for i in range(rows)]})
    if task == "binary":
        score = 1 / (1 + np.exp(1.5 - known))
        score = np.where(random.random(rows) < 0.1, score.round(3), score)
        predictions["target"] = random.random(rows) < score
        predictions["prediction"] = score > 0.5
        predictions["score"] = score
    elif task == "multiclass":
        scores = random.dirichlet(np.ones(KINDS), rows)
        predictions["target"] = (scores.cumsum(axis=1) < random.random((rows, 1))).sum(axis=1)
        predictions["prediction"] = scores.argmax(axis=1)
        predictions[[f"score_{kind}" for kind in range(KINDS)]] = scores
    else:
        predictions["target"] = known + random.standard_normal(rows)
        predictions["prediction"] = known
    return predictions.assign(cluster=np.arange(rows) * clusters // rows, weight=1.0)


def ours(predictions: pd.DataFrame, task: Task) -> None:
    """Compute all metrics of the task, with and without each cluster."""
    jackknife(predictions, list(metrics_of(task).values()), CONTEXTS[task])


def obvious_loop(predictions: pd.DataFrame, task: Task) -> None:
    """Call scikit-learn on all rows and on those without each cluster."""
    scikit_learn(predictions, task)
    for cluster in predictions["cluster"].unique():
        scikit_learn(predictions[predictions["cluster"] != cluster], task)


def scikit_learn(rows: pd.DataFrame, task: Task) -> None:
    """Compute what scikit-learn has of the task's metrics."""
    target, predicted = rows["target"], rows["prediction"]
    if task == "regression":
        sk.root_mean_squared_error(target, predicted)
        sk.mean_absolute_error(target, predicted)
        sk.r2_score(target, predicted)
        sk.median_absolute_error(target, predicted)
        return
    sk.accuracy_score(target, predicted)
    if task == "multiclass":
        scores = rows[[f"score_{kind}" for kind in range(KINDS)]].to_numpy()
        sk.balanced_accuracy_score(target, predicted)
        sk.f1_score(target, predicted, average="macro")
        sk.log_loss(target, scores)
        sk.roc_auc_score(target, scores, multi_class="ovr")
        return
    score = rows["score"]
    for of_scores in (sk.roc_auc_score, sk.average_precision_score, sk.log_loss):
        of_scores(target, score)
    sk.brier_score_loss(target, score)
    for of_labels in (sk.precision_score, sk.recall_score, sk.f1_score):
        of_labels(target, predicted)


def seconds(work: Callable[[], None], times: int = 1) -> float:
    """Return the shortest of some runs, in seconds of the processor: other programs don't count."""
    durations = []
    for _ in range(times):
        start = process_time()
        work()
        durations.append(process_time() - start)
    return min(durations)


def megabytes(work: Callable[[], None]) -> float:
    """Return the peak of what the work allocates."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def measure(task: Task, rows: int, clusters: int) -> str:
    """Return a line of the table."""
    small, large = table(task, rows, clusters), table(task, 10 * rows, clusters)
    once = seconds(lambda: ours(small, task), times=5)
    memory = megabytes(lambda: ours(small, task))
    loop = seconds(lambda: obvious_loop(small, task))
    tenfold = seconds(lambda: ours(large, task), times=2)
    return (
        f"| {task} | {once:.2f} | {memory:.0f} | {loop:.1f} | {loop / once:.0f} | "
        f"{tenfold:.2f} | {tenfold / once:.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=56_000)
    parser.add_argument("--clusters", type=int, default=61)
    options = parser.parse_args()
    print(f"{options.rows:,} rows, {options.clusters} clusters")
    print("| task | ours, s | MB | loop, s | loop / ours | ten times the rows, s | / ours |")
    print("| --- |" + " ---: |" * 6)
    for task in CONTEXTS:
        print(measure(task, options.rows, options.clusters), flush=True)


if __name__ == "__main__":
    main()
