"""R: does the evaluation say that the model learnt something, and nothing by heart?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from crivo.checks.prepared import Prepared
from crivo.checks.project import Project
from crivo.checks.registry import Found, check
from crivo.checks.unreadable import Unreadable
from crivo.core import artifacts
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    import pandas as pd

# By how much of the baseline's loss training may be better than held-out rows.
GAP = 0.25


@check(
    "R001",
    "Constant predictions",
    severity="warning",
    example="metrics/evaluation/predictions.parquet: every row has the same prediction; look at "
    "the features and the model's settings: nothing was learnt.",
)
def constant(project: Project) -> Iterator[Found]:
    """A model that says the same of every row ignores its inputs: they may be empty after a
    failed join, or the model is regularised to death. The baseline chosen as the model is
    exempt.
    """
    path = artifacts.EVALUATION / "predictions.parquet"
    if not (project.root / path).exists() or _is_baseline(project):
        return
    table: pd.DataFrame = _read(project, artifacts.read_table, path)
    scores = [name for name in table if str(name).startswith("score")]
    said = table[scores or ["prediction"]]
    if len(table) > 1 and (said.nunique(dropna=False) == 1).all():
        yield Found(
            path.as_posix(),
            "every row has the same prediction; look at the features and the model's settings: "
            "nothing was learnt.",
        )


@check(
    "R002",
    "Worse than the baseline",
    severity="warning",
    example="log_loss: the model is worse than the trivial baseline on the same rows; don't use "
    "it for what this metric measures, and look for a shift (T001).",
)
def worse(project: Project) -> Iterator[Found]:
    """The baseline knows only how frequent each class is, or the mean. A model whose interval
    of the difference lies on the wrong side is worse than no model.
    """
    path = artifacts.EVALUATION / "intervals.csv"
    if not (project.root / path).exists():
        return
    import pandas as pd

    table = pd.read_csv(project.root / path)
    for metric in table.loc[
        (table["of"] == "difference") & (table["verdict"] == "worse"), "metric"
    ]:
        yield Found(
            str(metric),
            "the model is worse than the trivial baseline on the same rows; don't use it for "
            "what this metric measures, and look for a shift (T001).",
        )


@check(
    "R003",
    "Training far better than evaluation",
    severity="warning",
    example="train_loss: training rows take 93 % off the baseline's loss, the evaluated rows "
    "12 %; the model knows rows by heart: regularise it or give it more rows.",
)
def by_heart(project: Project) -> Iterator[Found]:
    """Loss is log loss for classes (the share of errors for a model without probabilities) and
    root mean squared error for numbers, each as a share of the trivial baseline's on the same
    rows. Reported when training is more than 25 points better and held-out rows get less
    than half of what training rows get.
    """
    learnt, kept = _gain_in_training(project), _gain_in_evaluation(project)
    if learnt is not None and kept is not None and learnt - kept > GAP and kept < learnt / 2:
        yield Found(
            "train_loss",
            f"training rows take {100 * learnt:.0f} % off the baseline's loss, the evaluated rows "
            f"{100 * kept:.0f} %; the model knows rows by heart: regularise it or give it more "
            "rows.",
        )


def _gain_in_training(project: Project) -> float | None:
    """Return the share of the baseline's loss that the model takes off on training rows."""
    metrics = _metrics(project, artifacts.TRAIN_METRICS)
    if "train_loss" not in metrics or not project.prepared.exists:
        return None
    baseline = _baseline_loss(project.prepared, _metrics(project, artifacts.EVALUATION))
    return 1 - metrics["train_loss"] / baseline if baseline else None


def _gain_in_evaluation(project: Project) -> float | None:
    metrics = _metrics(project, artifacts.EVALUATION)
    if not project.prepared.exists or (name := _loss_name(project.prepared, metrics)) is None:
        return None
    model, baseline = metrics[name], metrics[f"baseline_{name}"]
    if name == "accuracy":
        model, baseline = 1 - model, 1 - baseline
    return 1 - model / baseline if baseline else None


def _loss_name(prepared: Prepared, metrics: Mapping[str, Any]) -> str | None:
    """Return the metric that measures what `train_loss` measures."""
    names = ("rmse",) if prepared.schema.task == "regression" else ("log_loss", "accuracy")
    return next((name for name in names if metrics.get(name) is not None), None)


def _baseline_loss(prepared: Prepared, metrics: Mapping[str, Any]) -> float:
    """Return the loss of the mean, or of the classes' shares, on the training rows."""
    import numpy as np

    target = prepared.side("train")[prepared.schema.target]
    if prepared.schema.task == "regression":
        return float(target.std(ddof=0))
    shares = target.value_counts(normalize=True).to_numpy()
    if _loss_name(prepared, metrics) == "accuracy":
        return float(1 - shares.max())
    return float(-(shares * np.log(shares)).sum())


def _metrics(project: Project, folder: Any) -> Mapping[str, Any]:
    path = folder / "metrics.json"
    if not (project.root / path).exists():
        return {}
    values: Mapping[str, Any] = _read(project, artifacts.read_json, path)
    return values


def _read(project: Project, reader: Any, path: Any) -> Any:
    try:
        return reader(project.root / path)
    except CrivoError as error:
        raise Unreadable(path.as_posix(), str(error)) from None


def _is_baseline(project: Project) -> bool:
    return project.settings.get("model") == project.settings.get("baseline")
