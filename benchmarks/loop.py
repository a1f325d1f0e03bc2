"""What the loop of examples/loop keeps when nothing can be found, and when something can.

    python benchmarks/loop.py                         # 500 worlds of each kind: 6 minutes
    python benchmarks/loop.py --worlds 100
    python benchmarks/loop.py --output docs/loop.md

A world is a search of twenty trials. Nothing is trained: each setting's predictions are drawn, and
evaluated and compared by the functions behind `crivo try`. In a world of noise no score has to do
with the target. In the other kind the scores do, and one setting of the twenty is really better.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from crivo.evaluation import max_t
from crivo.evaluation.clusters import effective_clusters
from crivo.evaluation.intervals import Estimate, interval
from crivo.evaluation.jackknife import leave_out
from crivo.evaluation.metrics import find_metrics
from crivo.evaluation.rows import Binary
from crivo.experiments.families import Family, differ
from crivo.experiments.records import ABOUT, INTERVALS, JACKKNIFE, PARAMS, Record
from crivo.experiments.sequences import chosen_among
from crivo.repository.commits import Origin
from crivo.repository.git import Blob

LOOP = Path(__file__).resolve().parents[1] / "examples/loop/loop.py"
METRICS = ("roc_auc", "log_loss")
TRIALS = 20
DAYS, ROWS = 50, 40
GOAL = 0.94
# Fewer than for people: what a critical value lacks in precision averages out over the worlds.
max_t.MAX_DRAWS, max_t.MIN_DRAWS, max_t.MAX_CELLS = 200, 100, 4_000


def load_loop() -> Any:
    """Return the example, which isn't a package."""
    spec = importlib.util.spec_from_file_location("loop_example", LOOP)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Kind:
    """A kind of world: how much the scores have to do with the target, and the better one's gain.

    `signal` and `gain` are on the scale of the logits, where rows differ by 1.
    """

    name: str
    signal: float = 0.0
    gain: float = 0.0


KINDS = (
    Kind("noise: the scores have nothing to do with the target"),
    Kind("signal, all settings equal", signal=1.0),
    Kind("signal, one setting of twenty is better", signal=1.0, gain=0.6),
)


@dataclass
class World:
    """A reference and twenty settings on the same rows, evaluated as `evaluate` does.

    `records`: the reference, then the trials in the order in which they ran.
    """

    kind: Kind
    random: np.random.Generator
    records: list[Record] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._metrics = find_metrics(METRICS, "binary")
        self._day = np.repeat(np.arange(DAYS), ROWS)
        labels = [f"{day:02}" for day in range(DAYS)]
        self._groups = pd.Categorical.from_codes(self._day, labels, ordered=True)
        self._effective = effective_clusters(self._groups, np.ones(len(self._day)))
        self._truth = self.random.standard_normal(len(self._day))
        effects = 0.5 * self.random.standard_normal(DAYS)[self._day]
        chance = 1 / (1 + np.exp(1.2 - self._truth - effects))
        self._happened = self.random.random(len(self._day)) < chance
        self._alike = self._noise()
        self.records.append(self._record("main", trial=False, better=False))
        self._against: Record | None = None
        self._family = self._family_of(self.records[0])

    def _noise(self) -> np.ndarray:
        day = 0.2 * self.random.standard_normal(DAYS)[self._day]
        return 0.5 * self.random.standard_normal(len(self._day)) + day

    def _rows(self, better: bool) -> Binary:
        """Return the rows as a setting scores them; settings have a part of their errors alike."""
        known = (self.kind.signal + (self.kind.gain if better else 0.0)) * self._truth
        score = 1 / (1 + np.exp(1.2 - known - self._alike - self._noise()))
        return Binary(self._happened, score > 0.5, score, np.ones(len(score)))

    def _record(self, name: str, *, trial: bool, better: bool) -> Record:
        """Return an experiment with the files that `evaluate` writes."""
        functions = {metric.name: metric for metric in self._metrics}
        found = leave_out(self._rows(better), self._groups, functions, list(functions))
        deleted = found.deleted.rename_axis("cluster")
        about = {
            "rows": "r", "definition": "d", "split": "valid", "task": "binary",
            "primary": METRICS[0], "n_rows": len(self._day), "effective_clusters": self._effective,
        }  # fmt: skip
        lines = ["metric,of,value,se,low,high"]
        lines += [f"{key},model,{value!r},0,0,1" for key, value in found.values.items()]
        texts = {
            PARAMS: json.dumps({"model": name, "compare": {}}),
            ABOUT: json.dumps(about),
            INTERVALS: "\n".join(lines) + "\n",
            JACKKNIFE: deleted.to_csv(lineterminator="\n", float_format="%.10g"),
        }
        files = {path: Blob(f"{name}{path}", text.encode()) for path, text in texts.items()}
        origin = Origin(name, f"{name:0>40}", None, "loop", len(self.records), "", trial)
        return Record(origin, files)

    def run(self, settings: Mapping[str, Any], against: str | None, why: str) -> dict[str, Any]:
        """Return what `crivo try --json` would say of a setting."""
        name = name_of(settings)
        known = {record.name: record for record in self.records}
        new = name not in known
        if new:
            better = self.kind.gain > 0 and settings.get("setting") == 0
            self.records.append(self._record(name, trial=True, better=better))
            known[name] = self.records[-1]
        record, reference = known[name], known[against or "main"]
        if new or reference is not self._against:
            self._against, self._family = reference, self._family_of(reference)
        verdicts = {
            metric.name: differ(
                record, reference, metric, self._family.critical(record, "r", [metric])
            ).verdict
            for metric in self._metrics
        }
        worse = [key for key, word in verdicts.items() if word == "worse" and key != METRICS[0]]
        return {"outcome": verdicts[METRICS[0]], "worse": worse, "experiment": name}

    def _family_of(self, reference: Record) -> Family:
        among = chosen_among(self.records, reference)
        return Family(self.records, lambda _: reference, lambda _: among)

    def foresee(self, settings: Mapping[str, Any], against: str | None, why: str) -> dict[str, Any]:
        """Draw a trial's predictions, and tell nothing.

        A verdict depends on the trials before it and on none that comes later (a test of
        `crivo.evaluation.sequence` says so), so that all of them may be drawn first.
        """
        better = self.kind.gain > 0 and settings.get("setting") == 0
        self.records.append(self._record(name_of(settings), trial=True, better=better))
        return {"outcome": "undecided", "worse": [], "experiment": name_of(settings)}

    def naive(self) -> tuple[bool, bool]:
        """Return whether any trial has a higher value than main, and one that a 95 % interval of
        a single comparison calls better.
        """
        metric = self._metrics[0]
        main, *trials = self.records
        higher = any(one.estimate(metric.name).value > main.estimate(metric.name).value
                     for one in trials)  # fmt: skip
        one_by_one = False
        for trial in trials:
            first, second = trial.estimate(metric.name), main.estimate(metric.name)
            gap = Estimate(
                first.value - second.value, first.deleted - second.deleted, self._effective
            )
            one_by_one |= interval(gap).low > 0
        return higher, one_by_one


def name_of(settings: Mapping[str, Any]) -> str:
    """Return a trial's name."""
    return "-".join(f"{key}={value}" for key, value in sorted(settings.items()))


@dataclass(frozen=True)
class Outcome:
    """What the loop kept in one world, and what two careless rules would have kept."""

    nothing: bool
    right: bool
    nothing_higher: bool
    nothing_single: bool


def one_world(loop: Any, kind: Kind, number: int) -> Outcome:
    """Run the loop in one world."""
    world = World(kind, np.random.default_rng(number))
    space = {"setting": list(range(TRIALS))}
    loop.search(space, world.foresee, TRIALS, seed=number)
    drawn = list(world.records)
    kept = loop.search(space, world.run, TRIALS, seed=number)
    world.records = drawn
    higher, single = world.naive()
    right = kept.settings.get("setting") == 0 and kind.gain > 0
    return Outcome(not kept.settings, right, not higher, not single)


def simulate(worlds: int) -> dict[Kind, list[Outcome]]:
    """Return what was kept in many worlds of each kind."""
    loop = load_loop()
    found = {}
    for kind in KINDS:
        found[kind] = [one_world(loop, kind, number) for number in range(worlds)]
        kept = np.mean([one.nothing for one in found[kind]])
        print(f"{kind.name}: nothing kept in {100 * kept:.1f} %", flush=True)
    return found


def report(found: dict[Kind, list[Outcome]], worlds: int) -> str:
    """Return the page."""
    error = 100 * sqrt(0.05 * 0.95 / worlds)
    lines = [
        "# What a loop keeps",
        "",
        f"Written by `benchmarks/loop.py`. Each row is the result of {worlds:,} simulated",
        f"searches, with a Monte-Carlo error of {error:.1f} points at 95 % and",
        f"{50 / sqrt(worlds):.1f} at 50 %.",
        "",
        "The loop in `examples/loop` proposes one setting after the other. It keeps a setting",
        "only if `crivo try --json` says that it is better and that no other metric is worse.",
        f"Here it runs {TRIALS} trials. The predictions of each setting are simulated, for {DAYS}",
        f"days of {ROWS} rows. The functions behind `crivo try` evaluate and compare them.",
        "",
        "*Nothing kept* is the share of searches that end with the settings they started with.",
        "In the first two rows, there is nothing to find, and the goal is at least",
        f"{100 * GOAL:.0f} %. The last two columns give this share for careless loops with the",
        "same predictions: one keeps every setting with a higher ROC AUC, the other every",
        "setting that a single 95 % interval calls better.",
        "",
        "| searches | nothing kept | the better one kept | by higher value | by single interval |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for kind, outcomes in found.items():
        shares = [
            100 * float(np.mean([getattr(one, name) for one in outcomes]))
            for name in ("nothing", "right", "nothing_higher", "nothing_single")
        ]
        cells = [f"{share:.1f}" for share in shares]
        cells[1] = cells[1] if kind.gain else "–"
        lines.append(f"| {kind.name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=500)
    parser.add_argument("--output", type=Path, help="the page to write")
    options = parser.parse_args()
    page = report(simulate(options.worlds), options.worlds)
    if options.output:
        options.output.write_text(page, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
