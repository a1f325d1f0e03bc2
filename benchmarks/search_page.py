"""The tables and sentences of `benchmarks/search.py` for docs/performance.md."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean
from textwrap import fill

# How many workers are thought of.
MOST_WORKERS = 256


@dataclass
class Way:
    """One way to run trials: how many, in how many seconds, so many at once.

    `fits`: seconds of fit and scoring alone, measured before and after.
    """

    name: str
    trials: int
    seconds: float
    fits: list[float]
    at_once: int = 1

    @property
    def minute(self) -> float:
        """Trials a minute."""
        return 60 * self.trials / self.seconds

    @property
    def beyond(self) -> float:
        """Seconds of a trial beyond fit and scoring, where so many run at once."""
        return self.at_once * self.seconds / self.trials - mean(self.fits)

    def row(self) -> str:
        """Return its line of the table."""
        each = self.seconds / self.trials
        return (
            f"| {self.name} | {self.trials} | {each:.2f} | {self.beyond:.2f} | {self.minute:.1f} |"
        )


def own_rest(numbers: dict[str, float]) -> float:
    """Return the seconds of a trial with one worker that aren't its own fit."""
    return sum(numbers[part] for part in ("train", "evaluate", "recording"))


def goals(ways: list[Way], numbers: dict[str, float]) -> list[str]:
    """Return the lines of the table of goals."""
    single, _, double, *optuna, apart, queue = ways
    dvc = max(apart.minute, queue.minute)
    other = max(way.minute for way in optuna)
    kept, own = max(single.minute, double.minute), own_rest(numbers) - numbers["predict"]
    found = [
        ("seconds of a trial beyond a fit and its scoring alone", single.beyond, "≤ 1.5",
         single.beyond <= 1.5),
        ("beyond its own fit, which shared bins make faster, and prediction", own, "≤ 1.5",
         own <= 1.5),
        ("of these, recording", numbers["recording"], "≤ 0.3", numbers["recording"] <= 0.3),
        ("2 workers / 1 worker on one core", double.minute / single.minute, "≥ 1.7 ×",
         double.minute >= 1.7 * single.minute),
        ("trials a minute / the faster of DVC's ways", kept / dvc, "≥ 3 ×", kept >= 3 * dvc),
        ("trials a minute / the faster of Optuna's", kept / other, "≥ 1 ×", kept >= other),
    ]  # fmt: skip
    return [
        f"| {what} | {value:.2f} | {goal} | {'yes' if met else 'no'} |"
        for what, value, goal, met in found
    ]


TEXT = """
`python benchmarks/search.py` measures this on the flights, on two cores. The model is small, so
that what comes besides its fit shows: boosting with {iterations} steps, whose fit and scoring alone
take {one:.2f} s on one core and {both:.2f} s on both, once the rows are read. Time is measured from
the start of the first trial to the end of the last. The searches and Optuna ran {rounds} times, in
turn, and the table has the means. "Beyond a fit alone" is what a trial takes more than that; where
two trials run at once, it is the time of one of them. A machine like this one gets faster and
slower by a third within minutes, so the lines are good to a tenth, and a ratio near its goal may
fall on either side in another run.

| way | trials | s per trial | s beyond a fit alone | trials a minute |
| --- | ---: | ---: | ---: | ---: |
{ways}

| what | found | goal | met |
| --- | ---: | --- | --- |
{goals}

With one worker on one core, a trial takes {trial:.2f} s:

- {fit:.2f} s: the fit in `train`,
- {train:.2f} s: the rest of `train`, which is checks, the training curve and writing the model,
- {evaluate:.2f} s: `evaluate`, which is scoring, intervals, slices, explanations and the report,
- {recording:.2f} s: recording, which is settings, hashes, DVC's cache, `dvc.lock` and git.

So {rest:.2f} s of a trial aren't its fit; of these, {predict:.2f} s are the prediction of the
validation rows. The parts include the first trial, which imports all libraries. The fit of a trial
takes less time than a fit alone: trials share the bins of the features
([how](decisions/0065-trials-share-binned-values.md)), and a model gets categories in a form that
costs less ([how](decisions/0063-levels-of-a-category-are-shared.md)). The fit alone and those of
Optuna are plain scikit-learn.

The process that stages are forked from parses the tables that trials read. It does so once, before
the second trial ([why that is safe](decisions/0054-what-trials-share-in-memory.md)).

Each worker needs {clone:.1f} s once for its clone. A search needs {once:.1f} s before its first
trial and after its last one, mostly to compare.

Optuna with MLflow reads the rows once and runs all trials in one process. Of each it keeps the
settings, four metrics and the model, but no intervals, slices, explanations or report, and no hash
of data or code.

{limit}
"""


def page(ways: list[Way], numbers: dict[str, float], iterations: int, rounds: int) -> str:
    """Return the part of the page."""
    trial, driver = numbers["trial"], numbers["driver"]
    where = (
        f"it is the limit from {trial / driver:.0f} workers on"
        if trial / driver < MOST_WORKERS
        else f"it isn't the limit up to {MOST_WORKERS} workers"
    )
    limit = (
        f"On a cluster, the driver needs {driver:.2f} s for a trial: it proposes it, fetches its "
        f"commit, reads the commit and writes its journal. For trials of {trial:.1f} s, {where}. "
        f"With trials of one minute, {60 / driver:.0f} workers keep it busy."
    )
    text = TEXT.format(
        **numbers,
        rest=own_rest(numbers),
        iterations=iterations,
        rounds=rounds,
        ways="\n".join(way.row() for way in ways),
        goals="\n".join(goals(ways, numbers)),
        limit=fill(limit, 100),
    )
    return f"## A trial of a search\n{text}"
