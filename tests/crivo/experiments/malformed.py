"""Files of every wrong shape, by the kind of file: what no experiment should hold."""

from __future__ import annotations

import json
from typing import Any

from tests.crivo.experiments.tried import GOOD

PARAMS, LOCK = "params.yaml", "dvc.lock"
ABOUT, INTERVALS, JACKKNIFE, SLICES = (
    f"metrics/evaluation/{name}"
    for name in ("evaluation.json", "intervals.csv", "jackknife.csv", "slices.csv")
)
SHORT = {PARAMS: "params", LOCK: "lock", ABOUT: "about", INTERVALS: "intervals",
         JACKKNIFE: "jackknife", SLICES: "slices"}  # fmt: skip

SLICE = "slice,kind,verdict,rows,roc_auc,roc_auc_low,roc_auc_high\n"
INTERVAL = "metric,of,value,se,low,high\n"
KNIFE = GOOD[JACKKNIFE]

# What no file of ours holds, by its format; `tests/crivo/core/test_parsing.py` has all of them.
YAML: dict[str, str | bytes] = {
    "empty": "", "not UTF-8": b"\xff\xfe\x00a", "list": "[1]", "words": "hi", "deep": "[" * 200_000,
}  # fmt: skip
JSON: dict[str, str | bytes] = {"not UTF-8": b"\xff", "list": "[]", "cut": '{"a": '}
CSV: dict[str, str | bytes] = {
    "empty": "", "not UTF-8": b"\xff", "words": "hi", "uneven": "cluster,roc_auc\n1\n",
}  # fmt: skip
ROC_AUC = {"direction": "higher", "bounds": [0, 1], "best": None, "interval": True,
           "definition": "1", "description": ""}  # fmt: skip


def about(**values: Any) -> str:
    return json.dumps(json.loads(GOOD[ABOUT]) | values)


def without(key: str) -> str:
    values = json.loads(GOOD[ABOUT])
    del values[key]
    return json.dumps(values)


def lock(**train: Any) -> str:
    return json.dumps({"stages": {"train": train}})


KINDS: dict[str, dict[str, str | bytes]] = {
    PARAMS: YAML | {
        "a date": "models: {linear: {C: 2013-02-20}}",
        "seed word": "seed: one",
        "splitter list": "splitter: [a]",
        "evaluate word": "evaluate: hi",
        "evaluate block": "evaluate: {block: many}",
        "evaluator scalar": "evaluator: standard\nevaluators: {standard: 1}",
        "margin below 0": "evaluator: standard\nevaluators: {standard: {margin: -1}}",
    },
    LOCK: YAML | {
        "no stages": "schema: '2.0'", "stages word": "stages: hi",
        "stage null": "stages: {train: null}", "outs pathless": lock(outs=[{}]),
        "md5 list": lock(outs=[{"path": "a", "md5": [1]}]),
        "md5 path": lock(outs=[{"path": "a", "md5": "../../../etc/passwd"}]),
        "size below 0": lock(outs=[{"path": "models/model.skops", "size": -1}]),
        "deps mapping": lock(deps={"path": "a"}), "params scalar": lock(params={"params.yaml": 1}),
    },
    ABOUT: JSON | {
        **{f"no {key}": without(key) for key in ("rows", "definition", "task", "primary")},
        "rows list": about(rows=[1]), "other task": about(task="x"),
        "other split": about(split="train"), "other primary": about(primary="nothing"),
        "n_rows below 0": about(n_rows=-1), "model_mb NaN": about(model_mb=float("nan")),
        "metrics word": about(metrics="roc_auc"), "metrics empty": about(metrics={"roc_auc": {}}),
        "metrics one bound": about(metrics={"roc_auc": ROC_AUC | {"bounds": [0]}}),
    },
    INTERVALS: CSV | {
        "a header alone": INTERVAL, "metrics twice": INTERVAL + "roc_auc,model,.7,.1,.6,.8\n" * 2,
        "a word": INTERVAL + "roc_auc,model,x,.1,.6,.8\n",
        "infinite": INTERVAL + "roc_auc,model,inf,.1,.6,.8\n",
        "other metrics": INTERVAL + "rmse,model,.7,.1,.6,.8\n",
    },
    JACKKNIFE: CSV | {
        "a header alone": "cluster,roc_auc\n", "no cluster": "roc_auc\n.7\n",
        "clusters twice": KNIFE + KNIFE.splitlines()[-1] + "\n",
        "a word": KNIFE.replace("0.72", "much", 1), "1e200": KNIFE.replace("0.72", "1e200", 1),
        "other clusters": KNIFE + "9,0.7,0.4\n", "other metrics": "cluster,rmse\n0,1\n1,2\n",
    },
    SLICES: {
        "not UTF-8": b"\xff", "a word": SLICE + "a = b,column,worse,many,.7,.6,.8\n",
    },
}  # fmt: skip

# These say less than they should, and nothing false.
HARMLESS: dict[str, tuple[str, str | bytes]] = {
    "slices words": (SLICES, "hi"),
    "slices a header alone": (SLICES, SLICE),
    "slices twice": (SLICES, SLICE + "a = b,column,worse,9,.7,.6,.8\n" * 2),
    "params a NaN": (PARAMS, "models: {linear: {C: .nan}}"),
    "params keys of kinds": (PARAMS, "limits: {1: {}, 1.5: {}, null: {}, false: {}}"),
    "params nothing chosen": (PARAMS, "model: [1]"),
    "lock no hashes": (LOCK, lock(outs=[{"path": "a"}], deps=None)),
    "lock own output": (LOCK, lock(outs=[{"path": "a", "md5": "1"}], deps=[{"path": "a"}])),
    "jackknife gaps": (JACKKNIFE, KNIFE.replace("0.72", "", 1)),
    "about more": (ABOUT, about(more=[{}])),
}
CYCLE = json.dumps({"stages": {
    "one": {"outs": [{"path": "a", "md5": "c0ffee11"}], "deps": [{"path": "b"}]},
    "two": {"outs": [{"path": "b"}], "deps": [{"path": "a"}]},
}})  # fmt: skip

BROKEN = {
    f"{SHORT[path]} {kind}".replace(" ", "-"): (path, content)
    for path, kinds in KINDS.items()
    for kind, content in kinds.items()
}
FINE = {name.replace(" ", "-"): made for name, made in HARMLESS.items()}
