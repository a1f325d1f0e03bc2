"""A repository with many experiments, written in one go: what a board of 1,000 has to bear."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.crivo.experiments.repository import Project, evaluation_files, settings

START = 1_700_000_000
MODELS = ("boosting", "linear", "forest")
SLICES = [f"carrier = {chr(65 + i)}{chr(90 - i)}" for i in range(16)]
SLICES += [f"weekday = {i}" for i in range(7)] + [f"departure_hour = {i}" for i in range(5, 18)]
METRICS = {"roc_auc": 0.74, "average_precision": 0.48, "log_loss": 0.36, "brier": 0.11}
PEOPLE = ("Ana", "Rui", "Inês")


def make_many(folder: Path, count: int, seed: int = 7) -> Project:
    """Return a repository with main and `count` experiments, of which some are better."""
    project = Project(folder)
    rng = np.random.default_rng(seed)
    clusters = rng.normal(size=24)
    head = project.commit(_files(rng, clusters, 0.0, settings(compare={}), folder), message="Start")
    stream = b"".join(_commit(project, head, i, rng, clusters) for i in range(count))
    project.git("fast-import", "--quiet", "--force", given=stream)
    return project


def _commit(project: Project, head: str, i: int, rng: Any, clusters: np.ndarray) -> bytes:
    values = _tried(i, rng)
    gain = rng.normal(0, 0.004) + (0.02 if i % 97 == 0 else 0.0)
    files = _files(rng, clusters, gain, values, project.folder)
    message = f"Does setting {i} help?" if i % 3 else "dvc: commit experiment 0123abc"
    lines = [
        f"commit refs/exps/{head[:2]}/{head[2:]}/{values['model']}-trial={i}",
        f"committer {PEOPLE[i % 3]} <a@b> {START + 1800 * i} +0000",
        f"data {len(message.encode())}",
        message,
        f"from {head}",
        "deleteall\n",
    ]
    return "\n".join(lines).encode() + b"".join(_inline(files))


def _inline(files: dict[str, str]) -> Iterator[bytes]:
    for path, text in files.items():
        yield f"M 644 inline {path}\ndata {len(text.encode())}\n{text}\n".encode()


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
        changes["models__forest__max_features"] = float(f"{rng.uniform(0.1, 1):.2g}")
    return settings(**changes)


def _files(
    rng: Any, clusters: np.ndarray, gain: float, values: dict[str, Any], folder: Path
) -> dict[str, str]:
    metrics = {}
    for name, start in METRICS.items():
        value = start + gain * (-1 if name in ("log_loss", "brier") else 1)
        own = clusters * 0.002 + rng.normal(0, 0.00012, len(clusters))
        metrics[name] = round(value, 8), [round(value + step, 8) for step in own]
    files = evaluation_files(metrics, settings=values)
    lock = json.loads(files["dvc.lock"])
    size = int(10 ** rng.uniform(4, 7.5))
    lock["stages"]["train"] = {
        "deps": [],
        "outs": [{"path": "models/model.skops", "md5": f"{size:032x}", "size": size}],
    }
    lock["stages"]["evaluate"]["outs"].append(
        {"path": "metrics/evaluation/plots", "md5": _plots(folder, gain)}
    )
    return files | {
        "dvc.lock": json.dumps(lock),
        "metrics/evaluation/slices.csv": _slices(rng, metrics),
    }


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
    digest = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    place = folder / ".dvc/cache/files/md5" / digest[:2] / (digest[2:] + end)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    return digest + end
