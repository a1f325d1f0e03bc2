"""Parts of `benchmarks/search.py` that run in the project's environment, each in its own process.

`fit`: seconds of fit and scoring alone. `search`: a search, and where its trials' seconds go.
`driver`: a search whose workers answer at once, so that only the driver's own work is left. Each
prints one line of JSON; run it in a copy of the project.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

sys.path.insert(0, os.path.abspath("src"))  # noqa: PTH100  as for a stage

from crivo.core.artifacts import prepared, stored_table
from crivo.experiments import sandbox as sandboxes
from crivo.experiments.engine import local_engine
from crivo.experiments.engine.remote import RemoteEngine
from crivo.experiments.engine.worker import Answer
from crivo.experiments.history import History, read_history
from crivo.experiments.sandbox import Sandbox
from crivo.experiments.search import search as searching
from crivo.experiments.search.driver import Driver
from crivo.experiments.search.journal import About, begun
from crivo.experiments.search.space import changes_of, read_space
from crivo.repository.bundles import write_bundle
from crivo.repository.git import Repository
from crivo.repository.overrides import apply_changes
from crivo.repository.stage_process import StageProcess
from crivo.repository.times import Times
from crivo.repository.trial_run import TrialRun

KEY = "models.boosting.l2_regularization"


class Clock:
    """Adds up the seconds that functions take, in all threads together."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.begins: list[float] = []
        self.ends: list[float] = []
        self._lock = threading.Lock()

    def over(self, owner: Any, name: str, part: str | Callable[..., str]) -> None:
        """Measure each call of a function of a class or module; `part` may depend on the call."""
        function = getattr(owner, name)

        def measured(*arguments: Any, **named: Any) -> Any:
            begin = time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                end = time.perf_counter()
                self.add(part if isinstance(part, str) else part(*arguments, **named), end - begin)
                with self._lock:
                    self.begins.append(begin)
                    self.ends.append(end)

        setattr(owner, name, measured)

    def add(self, part: str, seconds: float) -> None:
        """Add seconds to a part."""
        with self._lock:
            self.seconds[part] = self.seconds.get(part, 0.0) + seconds

    @property
    def span(self) -> float:
        """Seconds from the first call's begin to the last one's end."""
        return max(self.ends) - min(self.begins)


def fit(iterations: int, times: int) -> dict[str, Any]:
    """Return the seconds of fit and scoring, without reading the rows: the median."""
    from plain import features_stored, fit_and_score

    from crivo.core.params import read_params

    params = read_params()
    params.models["boosting"] = {**(params.models["boosting"] or {}), "max_iter": iterations}
    read = features_stored()
    seconds = []
    for _ in range(times):
        begin = time.perf_counter()
        fit_and_score(params, *read)
        seconds.append(time.perf_counter() - begin)
    return {"seconds": statistics.median(seconds)}


def space_of(iterations: int) -> list[str]:
    """Return a space whose trials all fit for the same time."""
    return ["model=boosting", f"models.boosting.max_iter={iterations}", f"{KEY}=uniform(0.01, 0.1)"]


def options_of(trials: int, workers: int) -> searching.Options:
    """Return the options of a search."""
    return searching.Options(sampler="random", seed=1, trials=trials, workers=workers)


def stage_of(_: StageProcess, command: str, environment: Mapping[str, str], show: Any) -> str:
    """Return the part of a stage that is run."""
    return f"stage {environment['DVC_STAGE']}"


def note_fits(clock: Clock) -> None:
    """Add up the seconds that stages say that fits and predictions took."""
    keep = sandboxes.keep_times
    rows = len(stored_table(prepared("valid")))

    def noted(repository: Repository, times: Times) -> None:
        for told in times.values():
            clock.add("fit", told.get("fit", 0.0))
            clock.add("predict", rows * told.get("predict", 0.0))
        keep(repository, times)

    sandboxes.keep_times = noted  # type: ignore[assignment]


def run_search(iterations: int, trials: int, workers: int) -> dict[str, Any]:
    """Run a search, and return the seconds of its trials and of their parts."""
    clock = Clock()
    clock.over(StageProcess, "run", stage_of)
    clock.over(TrialRun, "run", "trial")
    clock.over(Sandbox, "run", "whole")
    clock.over(Sandbox, "_bring_home", "home")
    clock.over(sandboxes, "keep_times", "home")
    note_fits(clock)
    for name in ("_read", "keep"):
        clock.over(searching, name, "driver")
    begin = time.perf_counter()
    searching.search(space_of(iterations), options_of(trials, workers), engine_of=local_engine)
    whole = time.perf_counter() - begin
    spent = {part: seconds / trials for part, seconds in clock.seconds.items()}
    stages = sum(seconds for part, seconds in spent.items() if part.startswith("stage "))
    return {
        "seconds": clock.span,
        "trial": spent["whole"] + spent["driver"],
        "fit": spent["fit"],
        "predict": spent["predict"],
        "train": spent["stage train"] - spent["fit"],
        "evaluate": stages - spent["stage train"],
        "recording": spent["trial"] - stages + spent["home"] + spent["driver"],
        "clone": (spent["whole"] - spent["trial"] - spent["home"]) * trials / workers,
        "once": whole - clock.span,
    }


class Answering(Executor):
    """Workers that answer at once, with experiments that were made before."""

    def __init__(self, answers: dict[tuple[str, ...], bytes], base: str) -> None:
        self.answers, self.base = answers, base

    def submit(self, function: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """Give the answer."""
        request = given[1]
        ref = f"refs/exps/{self.base[:2]}/{self.base[2:]}/{request.name}"
        future: Future[Any] = Future()
        future.set_result(Answer(ref, self.answers[request.settings], {}))
        return future


def bundles(project: Repository, requests: Sequence[Sequence[str]]) -> dict[Any, bytes]:
    """Return experiments with these settings as a worker sends them; only the settings differ."""
    head, params = project.commit("HEAD") or "", project.project / "params.yaml"
    before = params.read_bytes()
    answers = {}
    with tempfile.TemporaryDirectory() as folder:
        for changes in requests:
            apply_changes(params, changes)
            beside = project.index_beside(Path(folder) / "index")
            project.git("add", "--", f"{project.prefix}params.yaml", environment=beside)
            params.write_bytes(before)
            tree = project.git("write-tree", environment=beside).strip()
            commit = project.git("commit-tree", tree, "-p", head, "-m", "made").strip()
            place = Path(folder) / "bundle"
            write_bundle(project, place, commit, (head,))
            answers[tuple(changes)] = place.read_bytes()
    return answers


def run_driver(trials: int) -> dict[str, Any]:
    """Return the seconds that the driver of a cluster takes for a trial."""
    history = read_history(Path())
    project, head = history.repository, history.head or ""
    given = space_of(9)
    space = read_space(dict(history.find("HEAD").settings), given)
    about = About("asked", "random", 1, 3, space.texts(), "")
    with begun(project.project, about, space) as journal:
        requests = [changes_of(journal.ask().values) for _ in range(trials)]
    with contextlib.suppress(OSError):
        shutil.rmtree(project.project / ".dvc/tmp/crivo/searches")
    answers = bundles(project, requests)
    clock = Clock()
    clock.over(Driver, "run", "driver")

    @contextlib.contextmanager
    def engine_of(history: History, workers: int | None) -> Iterator[RemoteEngine]:
        state: Any = None
        with RemoteEngine(history.repository, state, Answering(answers, head), 4) as engine:
            yield engine

    searching.search(given, options_of(trials, 4), engine_of=engine_of)
    return {"trials": trials, "seconds": clock.span / trials}


def main() -> None:
    """Run the part that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("fit", "search", "driver"))
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--trials", type=int, default=8)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--cores", type=int, default=0, help="how many may be used; 0: all")
    given = parser.parse_args()
    logging.disable(logging.INFO)
    if given.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: given.cores])
    if given.part == "fit":
        os.environ["OMP_NUM_THREADS"] = str(given.cores or len(os.sched_getaffinity(0)))
        found = fit(given.iterations, given.trials)
    elif given.part == "search":
        found = run_search(given.iterations, given.trials, given.workers)
    else:
        found = run_driver(given.trials)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
