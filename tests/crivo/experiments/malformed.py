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

BOMB = "a0: &a0 [1]\n" + "".join(f"a{i}: &a{i} [{f'*a{i - 1},' * 9}]\n" for i in range(1, 12))
SLICE = "slice,kind,verdict,rows,roc_auc,roc_auc_low,roc_auc_high\n"
INTERVAL = "metric,of,value,se,low,high\n"
KNIFE = GOOD[JACKKNIFE]

# What no text format can hold, and what each can hold and no file of ours does.
ANY: dict[str, str | bytes] = {
    "empty": "",
    "NUL": "\0",
    "not UTF-8": b"\xff\xfe\x00a",
    "binary": bytes(range(256)),
}
YAML: dict[str, str | bytes] = {
    "list": "[1]", "scalar": "1", "null": "null", "words": "hi", "bomb": BOMB,
    "deep flow": "[" * 200_000, "deep keys": "{a: " * 200_000,
    "deep block": "\n".join(" " * depth + "a:" for depth in range(2000)),
    "itself": "a: &a [*a]", "twice": "a: 1\na: 2", "two documents": "a: 1\n---\na: 2",
    "tag": "a: !!python/object:os.system x", "no alias": "a: *b", "tab": "\ta: 1",
}  # fmt: skip
JSON: dict[str, str | bytes] = {
    "list": "[]", "scalar": "1", "null": "null", "words": '"hi"', "NaN": "NaN",
    "deep": "[" * 200_000, "deeper than we walk": '{"a":' * 500 + "1" + "}" * 500, "cut": '{"a": ',
    "digits": "1" * 5000, "twice": '{"rows": "a", "rows": "b"}', "half": '{"rows": "\\ud800"}',
}  # fmt: skip
CSV: dict[str, str | bytes] = {
    "words": "hi", "huge field": f"a,b\n{'x' * 140_000},1\n",
    "columns twice": "cluster,a,a\n1,2,3\n",
    "uneven": "cluster,roc_auc\n1\n", "a quote": 'cluster,roc_auc\n"1,2\n',
}  # fmt: skip


ROC_AUC = {"direction": "higher", "bounds": [0, 1], "best": None, "interval": True,
           "definition": "1", "description": ""}  # fmt: skip
METRICS: dict[str, Any] = {
    "null": None, "list": [1], "word": "roc_auc", "of others": {"rmse": ROC_AUC},
    "empty": {"roc_auc": {}}, "direction": {"roc_auc": ROC_AUC | {"direction": "up"}},
    "one bound": {"roc_auc": ROC_AUC | {"bounds": [0]}},
    "bound word": {"roc_auc": ROC_AUC | {"bounds": [0, "1"]}},
    "best word": {"roc_auc": ROC_AUC | {"best": "1"}},
    "more": {"roc_auc": ROC_AUC | {"task": "binary"}},
}  # fmt: skip


def about(**values: Any) -> str:
    return json.dumps(json.loads(GOOD[ABOUT]) | values)


def without(key: str) -> str:
    values = json.loads(GOOD[ABOUT])
    del values[key]
    return json.dumps(values)


def lock(**train: Any) -> str:
    return json.dumps({"stages": {"train": train}})


KINDS: dict[str, dict[str, str | bytes]] = {
    PARAMS: ANY | YAML | {
        "an invalid date": "models: {linear: {C: 2013-02-30}}",
        "a date": "models: {linear: {C: 2013-02-20}}",
        "bytes": "a: !!binary aGk=",
        "a set": "a: !!set {b, c}",
        "a huge number": f"seed: 0x{'f' * 5000}",
        "seed list": "seed: [1]",
        "seed word": "seed: one",
        "splitter list": "splitter: [a]",
        "evaluate word": "evaluate: hi",
        "evaluate block": "evaluate: {block: many}",
        "evaluate split": "evaluate: {split: [test]}",
        "evaluators list": "evaluators: [standard]",
        "evaluator scalar": "evaluator: standard\nevaluators: {standard: 1}",
        "margin word": "evaluator: standard\nevaluators: {standard: {margin: much}}",
        "margin nan": "evaluator: standard\nevaluators: {standard: {margin: .nan}}",
        "margin below 0": "evaluator: standard\nevaluators: {standard: {margin: -1}}",
    },
    LOCK: ANY | YAML | {
        "no stages": "schema: '2.0'", "stages word": "stages: hi", "stages list": "stages: [1]",
        "stage word": "stages: {train: hi}", "stage null": "stages: {train: null}",
        "a stage's number": "stages: {1: {}}",
        "outs word": lock(outs="hi"), "outs scalar": lock(outs=[1]),
        "outs pathless": lock(outs=[{}]), "path list": lock(outs=[{"path": ["a"]}]),
        "md5 list": lock(outs=[{"path": "a", "md5": [1]}]),
        "md5 path": lock(outs=[{"path": "a", "md5": "../../../etc/passwd"}]),
        "size word": lock(outs=[{"path": "models/model.skops", "size": "large"}]),
        "size below 0": lock(outs=[{"path": "models/model.skops", "size": -1}]),
        "deps mapping": lock(deps={"path": "a"}), "params list": lock(params=[1]),
        "params scalar": lock(params={"params.yaml": 1}), "cmd mapping": lock(cmd={"a": 1}),
    },
    ABOUT: ANY | JSON | {
        **{f"no {key}": without(key) for key in ("rows", "definition", "split", "task", "primary")},
        **{f"{key} list": about(**{key: [1]})
           for key in ("rows", "definition", "split", "task", "primary", "n_rows", "python")},
        "rows null": about(rows=None), "rows number": about(rows=1), "other task": about(task="x"),
        "other split": about(split="train"), "other primary": about(primary="nothing"),
        "n_rows below 0": about(n_rows=-1), "model_mb NaN": about(model_mb=float("nan")),
        "n_rows of 400 digits": about(n_rows=10**400),
        **{f"metrics {kind}": about(metrics=given) for kind, given in METRICS.items()},
    },
    INTERVALS: ANY | CSV | {
        "a header alone": INTERVAL, "no column": "metric,of\nroc_auc,model\n",
        "metrics twice": INTERVAL + "roc_auc,model,.7,.1,.6,.8\n" * 2,
        "a word": INTERVAL + "roc_auc,model,x,.1,.6,.8\n",
        "infinite": INTERVAL + "roc_auc,model,inf,.1,.6,.8\n",
        "1e308": INTERVAL + "roc_auc,model,1e308,.1,.6,.8\n",
        "other metrics": INTERVAL + "rmse,model,.7,.1,.6,.8\n",
    },
    JACKKNIFE: ANY | CSV | {
        "a header alone": "cluster,roc_auc\n", "no cluster": "roc_auc\n.7\n",
        "clusters twice": KNIFE + KNIFE.splitlines()[-1] + "\n",
        "a word": KNIFE.replace("0.72", "much", 1), "infinite": KNIFE.replace("0.72", "inf", 1),
        "1e200": KNIFE.replace("0.72", "1e200", 1),
        "other clusters": KNIFE + "9,0.7,0.4\n",
        "one cluster": "cluster,roc_auc,log_loss\n0,.7,.4\n",
        "other metrics": "cluster,rmse\n0,1\n1,2\n",
    },
    SLICES: {
        **{key: ANY[key] for key in ("empty", "not UTF-8", "binary")},
        **{key: CSV[key] for key in ("huge field", "columns twice", "uneven")},
        "a word": SLICE + "a = b,column,worse,many,.7,.6,.8\n",
        "infinite": SLICE + "a = b,column,worse,1,inf,.6,.8\n",
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
