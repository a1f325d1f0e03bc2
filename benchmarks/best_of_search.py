"""How often the end of a search is wrong: the verdict on its best trial, and what it calls luck.

    python benchmarks/best_of_search.py                            # 200 worlds of each kind
    python benchmarks/best_of_search.py --worlds 40
    python benchmarks/best_of_search.py --output docs/verdicts.md  # renews its part of that page

A world is a reference and fifty trials, one after the other, with a ROC AUC per cluster each. That
is what a jackknife's deleted values hold, so no rows are needed and no model is fitted. What
`crivo search` says at its end is worked out by the function that it calls (`result_of`).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from pages import renew

from crivo.evaluation import intervals, sequence
from crivo.experiments.history import History, read_history
from crivo.experiments.records import ABOUT, INTERVALS, JACKKNIFE, PARAMS, PREDICTIONS, Record
from crivo.experiments.search.result import SearchResult, result_of
from crivo.experiments.search.space import Space
from crivo.experiments.searches import KeptSearch, KeptTrial
from crivo.repository.commits import Origin
from crivo.repository.git import Blob
from crivo.repository.lock import LOCK

START = "## The best trial of a search"
TRIALS = 50
GOAL = 0.06
# Fewer than for people: what a critical value lacks in precision averages out over the worlds.
intervals.DRAWS = intervals.MIN_DRAWS = 2_000
sequence.MAX_DRAWS, sequence.MIN_DRAWS, sequence.MAX_CELLS = 200, 100, 4_000
# The reference's ROC AUC, the standard error that all models share, and that of a model's own part.
AUC, COMMON, OWN = 0.75, 0.015, 0.003
# That of a difference between two models.
ERROR = OWN * sqrt(2)
# The first so many trials are drawn at random; three in four of the later ones lie near the best.
RANDOM, NEAR, WIDTH = 10, 0.75, 0.08
WAVES = 6
SETTINGS = """seed: 1
model: boosting
evaluate:
  split: valid
  block: 5
models:
  boosting:
    learning_rate: {number}
"""
OUTPUTS = f"""stages:
  evaluate:
    outs:
    - path: {PREDICTIONS}
      md5: a{{number:031d}}
"""


@dataclass(frozen=True)
class World:
    """A kind of search.

    `vary`: the standard deviation of the settings' true effects; `peak`: how much better the best
    setting is than the reference; `first`: how much better one of the trials is, all of them in
    standard errors of a difference. `guided`: trials are proposed near the best one so far, and
    neighbours have most of their errors in common.
    """

    name: str
    clusters: int
    vary: float = 0.0
    peak: float = 0.0
    first: float = 0.0
    guided: bool = False


WORLDS = (
    World("50 equal models, 12 clusters", 12),
    World("50 equal models, 61 clusters", 61),
    World("50 equal models, proposed near the best so far, 61 clusters", 61, guided=True),
    World("effects of settings vary by 1 standard error, 61 clusters", 61, vary=1),
    World("effects of settings vary by 2 standard errors, 61 clusters", 61, vary=2),
    World("one of 50 better by 5 standard errors, 61 clusters", 61, first=5),
    World("one of 50 better by 5 standard errors, 12 clusters", 12, first=5),
    World("a peak of 5 standard errors, proposed near the best so far, 61 clusters", 61, peak=5,
          guided=True),
)  # fmt: skip


def draw(world: World, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the models' values per cluster (a column each, the reference's first), and the true.

    A guided search has one setting between 0 and 1, and the reference lies at 0.1.
    """
    size = sqrt(world.clusters)
    shared = COMMON * size * random.standard_normal((world.clusters, 1))
    if world.guided:
        return _guided(world, shared, random)
    gain = world.vary * random.standard_normal(1 + TRIALS)
    gain[0] = 0
    gain[1 + random.integers(TRIALS)] += world.first
    true = AUC + ERROR * gain
    own = OWN * size * random.standard_normal((world.clusters, 1 + TRIALS))
    return true + shared + own, true


def _guided(
    world: World, shared: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    size = sqrt(world.clusters)
    parts = random.standard_normal((world.clusters, 2 * WAVES))
    settings, columns, true = [0.1], [], []
    for number in range(1 + TRIALS):
        if number:
            near = number > RANDOM and random.random() < NEAR
            best = settings[int(np.argmax([column.mean() for column in columns]))]
            draw_one = random.normal(best, WIDTH) if near else random.random()
            settings.append(float(np.clip(draw_one, 0, 1)))
        at = settings[-1]
        true.append(AUC + ERROR * world.peak * max(0.0, 1 - abs(at - 0.7) / 0.3))
        turns = np.pi * at * np.arange(1, WAVES + 1)
        smooth = parts @ np.r_[np.sin(turns), np.cos(turns)] / sqrt(WAVES)
        own = sqrt(0.8) * smooth + sqrt(0.2) * random.standard_normal(world.clusters)
        columns.append(true[-1] + shared[:, 0] + OWN * size * own)
    return np.column_stack(columns), np.array(true)


def record(numbers: np.ndarray, number: int, revision: str, parent: str | None) -> Record:
    """Return an experiment whose ROC AUC has these values per cluster; number 0 is a commit."""
    clusters, value = len(numbers), float(numbers.mean())
    deleted = (clusters * value - numbers) / (clusters - 1)
    about = {"rows": "r", "definition": "d", "split": "valid", "task": "binary", "n_rows": 1000,
             "primary": "roc_auc", "effective_clusters": float(clusters)}  # fmt: skip
    table = [f"{place},{one!r}" for place, one in enumerate(deleted.tolist())]
    texts = {
        PARAMS: SETTINGS.format(number=number),
        LOCK: OUTPUTS.format(number=number),
        ABOUT: json.dumps(about),
        INTERVALS: f"metric,of,value,se,low,high\nroc_auc,model,{value!r},.01,.7,.8\n",
        JACKKNIFE: "\n".join(["cluster,roc_auc", *table]) + "\n",
    }
    files = {path: Blob(f"{path} {number}", text.encode()) for path, text in texts.items()}
    name = f"trial-{number}" if number else "main"
    origin = Origin(name, revision, parent, "Ana", 1_700_000_000 + 60 * number, "", number > 0)
    return Record(origin, files)


def ended(numbers: np.ndarray, empty: History) -> SearchResult:
    """Return what a search says at its end: the reference's numbers come first."""
    head = str(empty.head)
    main, *trials = (
        record(column, number, f"{number:040x}" if number else head, head if number else None)
        for number, column in enumerate(numbers.T)
    )
    history = History(empty.repository, tuple(trials), (main,))
    kept = tuple(
        KeptTrial(number, {}, "done", one.name, one.origin.revision)
        for number, one in enumerate(trials)
    )
    search = KeptSearch("search-1", "random", 1, 1, {}, kept)
    return result_of(search, Space({}, {}), main, "main", history, wanted=TRIALS)


@dataclass(frozen=True)
class Result:
    """Shares of worlds, and mean errors in standard errors of a difference.

    `better` and `worse`: the verdict on the best trial; `gain`: what it truly gains; `raw` and
    `after`: how much greater the raw gain and the gain after selection are than that; `covered`:
    how often the interval after selection holds the best trial's true value, `difference`: how
    often the corrected interval of the difference holds the true gain.
    """

    better: float
    worse: float
    gain: float
    raw: float
    after: float
    covered: float
    difference: float


def simulate(world: World, worlds: int, empty: History) -> Result:
    """Return what became of the end of many searches."""
    found = []
    for number in range(worlds):
        numbers, true = draw(world, np.random.default_rng(number))
        result = ended(numbers, empty)
        assert result.best is not None
        assert result.gain is not None
        assert result.comparison is not None
        gain, row = result.gain, result.comparison.table.iloc[0]
        best = true[1 + result.best.number]
        gained = best - true[0]
        found.append(
            (
                result.verdict == "better",
                result.verdict == "worse",
                gained / ERROR,
                (gain.raw - gained) / ERROR,
                (gain.after - gained) / ERROR,
                gain.low <= best <= gain.high,
                row["difference_low"] <= gained <= row["difference_high"],
            )
        )
    return Result(*map(float, np.mean(found, axis=0)))


def empty_history(folder: Path) -> History:
    """Return the history of a repository with one commit and nothing in it."""
    git = ("git", "-c", "user.name=Ana", "-c", "user.email=a@b")
    for command in (("init", "--quiet", "--initial-branch=main"),
                    ("commit", "--quiet", "--allow-empty", "--message=Start")):  # fmt: skip
        subprocess.run([*git, *command], cwd=folder, check=True)
    return read_history(folder)


def report(results: dict[World, Result], worlds: int) -> str:
    """Return the results as Markdown, from `START` on."""
    error = 100 * sqrt(0.05 * 0.95 / worlds)
    lines = [
        START,
        "",
        "Written by `benchmarks/best_of_search.py`. Each row is the result of",
        f"{worlds:,} simulated searches of {TRIALS} trials, with a Monte-Carlo error of",
        f"{error:.1f} points at 5 % and {50 / sqrt(worlds):.1f} at 50 %.",
        "",
        "The table is about the best trial, as the end of `crivo search` describes it, in an open",
        "sequence of trials. *Better* and *worse* are the shares of searches with this verdict.",
        "Where all models are equal, the goal is at most 6 % for the two together; values that",
        "miss it are bold. *True gain* is how much better the best trial really is than the",
        "reference. *Raw gain too high by* and *after selection* say by how much the raw gain and",
        "the gain after selection are too high on average. These three are in standard errors of",
        "the difference between two models. *Value covered* is how often the interval after",
        "selection contains the trial's true value, and *difference covered* is how often the",
        "corrected interval of the difference contains the true gain.",
        "",
        "| data | better | worse | true gain | raw gain too high by | after selection "
        "| value covered | difference covered |",
        "| --- |" + " ---: |" * 7,
    ]
    for world, one in results.items():
        equal = not (world.vary or world.peak or world.first)
        missed = equal and one.better + one.worse > GOAL
        verdicts = [f"{100 * share:.1f}" for share in (one.better, one.worse)]
        cells = [f"**{text}**" if missed else text for text in verdicts]
        cells += [f"{one.gain:.2f}", *(f"{value:+.2f}" for value in (one.raw, one.after))]
        cells += [f"{100 * share:.1f}" for share in (one.covered, one.difference)]
        lines.append(f"| {world.name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("--output", type=Path, help="the page whose part is renewed")
    options = parser.parse_args(arguments)
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        empty = empty_history(Path(folder))
        for world in WORLDS:
            results[world] = simulate(world, options.worlds, empty)
            print(world.name, results[world], flush=True)
    if options.output:
        renew(options.output, report(results, options.worlds))


if __name__ == "__main__":
    main()
