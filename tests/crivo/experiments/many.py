"""A repository with many experiments on a table of flights, whose page has all that one can."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.crivo.experiments.repository import Project, evaluation_files, settings

MODELS = ("boosting", "linear", "forest")
SLICES = [f"carrier = {chr(65 + i)}{chr(90 - i)}" for i in range(8)]
SLICES += [f"weekday = {i}" for i in range(7)]
METRICS = {"roc_auc": 0.74, "average_precision": 0.48, "log_loss": 0.36, "brier": 0.11}
PEOPLE = ("Ana", "Rui", "Inês")


def make_many(folder: Path, count: int) -> Project:
    """Return a repository with main and `count` experiments, the first of which is better."""
    project = Project(folder)
    rng = np.random.default_rng(7)
    clusters = rng.normal(size=24)
    start = _files(rng, clusters, 0.0, settings(compare={}), folder)
    head = project.commit(start, message="Start")
    for i in range(count):
        values = _tried(i, rng)
        gain = rng.normal(0, 0.004) + (0.02 if i == 0 else 0.0)
        files = _files(rng, clusters, gain, values, folder)
        said = {"message": f"Does setting {i} help?"} if i % 3 else {}
        name = f"{values['model']}-trial={i}"
        project.trial(name, files, parent=head, author=PEOPLE[i % 3], **said)
    return project


def _tried(i: int, rng: Any) -> dict[str, Any]:
    model = MODELS[i % 3]
    changes: dict[str, Any] = {"model": model, "seed": 1 + i % 2, "compare": {}}
    if model == "boosting":
        changes["models__boosting__learning_rate"] = float(f"{10 ** rng.uniform(-2, 0):.3g}")
        changes["models__boosting__max_iter"] = int(rng.integers(50, 800))
    elif model == "linear":
        changes["models__linear__C"] = float(f"{10 ** rng.uniform(-3, 3):.3g}")
    else:
        changes["models__forest__trees"] = int(rng.integers(20, 500))
    return settings(**changes)


def _files(
    rng: Any, clusters: np.ndarray, gain: float, values: dict[str, Any], folder: Path
) -> dict[str, str]:
    metrics = {}
    for name, start in METRICS.items():
        value = start + gain * (-1 if name in ("log_loss", "brier") else 1)
        own = clusters * 0.002 + rng.normal(0, 0.00012, len(clusters))
        metrics[name] = round(value, 8), [round(value + step, 8) for step in own]
    model = hashlib.md5(repr(metrics).encode(), usedforsecurity=False).hexdigest()
    files = evaluation_files(metrics, settings=values, model=model)
    plots = {"path": "metrics/evaluation/plots", "md5": _plots(folder, gain)}
    lock = json.loads(files["dvc.lock"])
    lock["stages"]["evaluate"]["outs"].append(plots)
    slices = {"metrics/evaluation/slices.csv": _slices(rng, metrics)}
    return files | slices | {"dvc.lock": json.dumps(lock)}


def _slices(rng: Any, metrics: dict[str, tuple[float, list[float]]]) -> str:
    ends = [f"{name}{end}" for name in metrics for end in ("", "_low", "_high")]
    lines = [",".join(["slice", "kind", "rows", *ends, "verdict"])]
    for name in SLICES:
        cells = [name, "column", "1000"]
        for value, _ in metrics.values():
            at = value + rng.normal(0, 0.02)
            cells += [f"{number:.6f}" for number in (at, at - 0.03, at + 0.03)]
        lines.append(",".join([*cells, "undecided"]))
    return "\n".join(lines) + "\n"


def _plots(folder: Path, gain: float) -> str:
    """Put a ROC curve into the cache, and return the hash of the folder that has it."""
    xs = np.linspace(0, 1, 120)
    ys = xs ** (0.4 - 5 * gain)
    rows = "".join(f"{x:.6f},{y:.6f}\n" for x, y in zip(xs, ys, strict=True))
    curve = stored(folder, f"false_positive_rate,true_positive_rate\n{rows}")
    listing = json.dumps([{"md5": curve, "relpath": "roc.csv"}])
    return stored(folder, listing, ".dir")


def stored(folder: Path, text: str, end: str = "") -> str:
    """Put a file into the cache, and return its hash."""
    digest = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    place = folder / ".dvc/cache/files/md5" / digest[:2] / (digest[2:] + end)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    return digest + end
