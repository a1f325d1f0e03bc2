"""The four stages on 300 orders, one after the other: what `crivo.Run` writes and says."""

import json
import logging
import runpy
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.metrics import log_loss, roc_auc_score

from crivo.core.errors import CrivoError
from crivo.core.params import check_params
from crivo.core.registry import make_block
from tests.crivo.experiments.repository import Project
from tests.crivo.settings import SETTINGS

STAGES = Path(__file__).parents[2] / "src"
EVALUATION = Path("metrics/evaluation")


def orders() -> str:
    """Return three orders a day as CSV; one has no target, and `slip` is that of all others."""
    rng = np.random.default_rng(3)
    price, age = rng.normal(size=(2, 300)).round(3)
    back = price + rng.normal(scale=1.5, size=300) > 0
    rows = pd.DataFrame({"price": price, "age": age, "returned": np.where(back, "yes", "no")})
    rows["day"] = pd.date_range("2013-01-01", periods=100).repeat(3).astype("str")
    rows.loc[7, "returned"] = None
    return rows.assign(slip=back).to_csv(index=False)


def run(stage: str, drop: tuple[str, ...] = ("slip",), **evaluate: Any) -> list[str]:
    """Run a stage in this folder, with some settings changed, and return the steps that it took."""
    settings = yaml.safe_load(SETTINGS) | {"model": "linear"}
    settings["splitters"]["by_time"] = {}
    settings["datasets"]["table"]["drop"] = [*drop]
    settings["evaluate"] |= {"slices": [], "block": 1} | evaluate
    steps: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("crivo.runtime.start.start_stage", lambda: None)
        patch.setattr("crivo.runtime.stage.progress", lambda: nullcontext(steps.append))
        patch.setattr("crivo.runtime.stage.run_stage", lambda run: run(check_params(settings)))
        runpy.run_path(str(STAGES / f"{stage}.py"), run_name="__main__")
    return steps


def fitted_on(*splits: str) -> Any:
    """Return the model, fitted on the features of some splits."""
    rows = pd.concat(pd.read_parquet(f"data/prepared/{split}.parquet") for split in splits)
    inputs = pd.concat(pd.read_parquet(f"data/features/{split}.parquet") for split in splits)
    return make_block("model", "linear", {}).build("binary", 13).fit(inputs, rows["returned"])


def test_the_stages_write_what_they_found_and_say_what_they_did(
    project: Project, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """By hand: 60 of 100 days teach, 20 are evaluated, of whose 60 rows a tenth is flagged."""
    monkeypatch.chdir(project.folder)
    monkeypatch.setenv("CRIVO_TIMES", "times.jsonl")
    caplog.set_level(logging.INFO, "crivo")
    with pytest.raises(CrivoError, match=r"data/raw/table is not there. Get it with `crivo fetch`"):
        run("prepare")
    files = {"requirements.txt": "", "metrics/incumbent.json": "{}"}
    project.commit({**files, "data/raw/table/orders.csv": orders()})
    project.git("reset", "--quiet", "--hard")
    steps = {stage: run(stage, ()) for stage in ("prepare", "featurize")}
    known = json.loads(Path("metrics/data/metrics.json").read_text())
    assert [known[f"rows_{split}"] for split in ("train", "valid", "test")] == [179, 60, 60]
    assert Path("metrics/data/quarantine.csv").read_text() == "reason,rows\nreturned is missing,1\n"
    said = [message.partition("; ")[0] for message in caplog.messages]
    assert said == [
        "300 rows in, 299 out, 1 set aside",
        "L005: slip: predicts `returned` on its own (ROC AUC 1.00)",
        "L006: slip: determines `returned` exactly wherever it is known",
    ]
    steps |= {stage: run(stage) for stage in ("prepare", "featurize", "train", "evaluate")}
    assert [*steps.values()] == [
        ["verify raw files", "read", "check rows", "split", "write"],
        ["fit", "train", "valid", "test", "check rows"],
        ["read", "fit", "measure"],
        ["read", "predict", "explain", "find", "write"],
    ]
    assert "linear fitted on 179 rows, 2 inputs" in caplog.messages
    assert "Classes with fewer than 30 rows: yes (25 rows)." in caplog.text
    rows, inputs = (pd.read_parquet(f"data/{it}/train.parquet") for it in ("prepared", "features"))
    losses = json.loads(Path("metrics/train/metrics.json").read_text())
    again = log_loss(rows["returned"], fitted_on("train").predict_proba(inputs))
    assert losses["train_loss"] == pytest.approx(again)
    share = (rows["returned"] == "yes").mean()
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert losses["baseline_train_loss"] == pytest.approx(entropy)
    predicted = pd.read_parquet(EVALUATION / "predictions.parquet")
    assert (predicted["prediction"] == "yes").sum() == 6
    threshold = json.loads((EVALUATION / "threshold.json").read_text())["threshold"]
    run("evaluate", split="test", refit=True)
    predicted = pd.read_parquet(EVALUATION / "predictions.parquet").set_index("id")
    # The threshold is still that of the model which the validation rows chose.
    assert json.loads((EVALUATION / "threshold.json").read_text())["threshold"] == threshold
    test = pd.read_parquet("data/prepared/test.parquet").set_index("row_id")
    inputs = pd.read_parquet("data/features/test.parquet")
    scores = fitted_on("train", "valid").predict_proba(inputs)
    assert predicted["score"].loc[test.index].to_numpy() == pytest.approx(scores[:, 1])
    values = pd.read_csv(EVALUATION / "intervals.csv", index_col=["of", "metric"])["value"]
    target = test["returned"]
    assert values["model", "roc_auc"] == pytest.approx(roc_auc_score(target, scores[:, 1]))
    assert values["model", "log_loss"] == pytest.approx(log_loss(target, scores))
    names = ["data/quarantine/rows.parquet", "metrics/features/findings.csv"]
    names += [f"models/{it}.skops" for it in ("baseline", "featurizer", "model", "refit/model")]
    assert all(Path(name).is_file() for name in names)
    timed = map(json.loads, Path("times.jsonl").read_text().splitlines())
    timed = [it for it in timed if 0 < it["seconds"] < 60]
    assert [(it["what"], it["rows"]) for it in timed] == [("fit", 179), *[("predict", 60)] * 3]
    about = json.loads((EVALUATION / "evaluation.json").read_text())
    assert " ".join(about) == (
        "clusters_in_order definition effective_clusters environment findings fitted_on losses "
        "metrics model_mb n_clusters n_rows named_by_content positive predictions_version primary "
        "rows sample split task warnings"
    )
    assert (len(about["losses"].split()), about["n_rows"], about["n_clusters"]) == (60, 60, 20)
    assert (about["named_by_content"], about["environment"]) == (True, "locked")
    report = (EVALUATION / "report.md").read_text()
    assert report.startswith("## linear for returned, test rows\n\nOf 100 rows flagged, 83 have")
