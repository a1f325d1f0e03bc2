"""An engine that records an experiment at once, whose metric is made of the settings."""

import json
import random
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.parsing import parse_yaml
from crivo.records.history import History
from crivo.trials.engine import Made
from tests.crivo.experiments.repository import ONE_WAY, OTHER_WAY, Project, evaluated
from tests.crivo.settings import SETTINGS

PARAMS: dict[str, Any] = parse_yaml(SETTINGS)
RATE, TREES = "models.boosting.learning_rate", "models.forest.trees"
FAMILIES = ["model=boosting,forest", f"{RATE}=log(0.01, 0.9)", f"{TREES}=int(20, 60)"]
# A failing setting, and one whose trial is evaluated on other rows.
UNLUCKY, ELSEWHERE = 7, 8


def value_of(settings: Mapping[str, Any]) -> float:
    """Return the metric of a trial: the rate, or a little of the trees; less with fewer rows."""
    value = settings["models"]["forest"]["trees"] / 100
    if settings["model"] == "boosting":
        value = float(settings["models"]["boosting"]["learning_rate"])
    share = settings["train"].get("fraction", 1)
    share -= 0.1 * (settings["evaluate"]["split"] == "test")
    dealt = settings["splitters"][settings["splitter"]]
    begins = dealt.get("valid_from", dealt.get("fold"))
    step = 10 * begins if isinstance(begins, int | float) else 0
    return value * (0.9 + share / 10) + (step + settings["seed"] - PARAMS["seed"]) / 1000


def files_of(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the files of a trial, whose lock names the code that it read."""
    value = value_of(settings)
    pattern = ONE_WAY if settings["model"] == "boosting" else OTHER_WAY
    trees = settings["models"]["forest"]["trees"]
    split = settings["evaluate"]["split"]
    rows = "r2" if settings["model"] == "forest" and trees == ELSEWHERE else f"r-{split}"
    files = evaluated(value, value * 0.003, pattern, settings=settings, rows=rows, split=split)
    lock = json.loads(files["dvc.lock"])
    lock["stages"]["train"] = {"deps": [{"path": "src/train.py", "md5": "1"}]}
    return {**files, "dvc.lock": json.dumps(lock), "src/train.py": "code\n"}


def start(project: Project) -> Project:
    """Commit a first evaluation, and check its files out."""
    project.commit(files_of(PARAMS))
    project.git("reset", "--quiet", "--hard")
    return project


class FakeEngine(ThreadPoolExecutor):
    """Records what is submitted; `delays`: the seed of how long each takes, None for none.

    `lost`: what comes of all trials after the first two, None for nothing. `base`: the settings
    that trials change.
    """

    def __init__(
        self, project: Project, workers: int, delays: int | None = None,
        lost: Exception | None = None, base: Mapping[str, Any] = PARAMS, seconds: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(workers)
        self.project, self.workers, self.lost = project, workers, lost
        self.ran: list[str] = []
        self.base, self.seconds = base, seconds
        self.futures: list[Future[Made]] = []
        self._delays = None if delays is None else random.Random(delays)
        self._git = threading.Lock()

    def submit(
        self, name: str, settings: Sequence[str], message: str = "", live: bool = False
    ) -> Future[Made]:
        delay = 0.0 if self._delays is None else self._delays.random() / 30
        if message.startswith("search-"):  # each has a worker of its own at once
            assert sum(not one.done() for one in self.futures) < self.workers
        future = super().submit(self._run, name, settings, message, delay)
        self.futures.append(future)
        if self._delays is None:
            wait([future])
        return future

    def _run(self, name: str, settings: Sequence[str], message: str, delay: float) -> Made:
        time.sleep(delay)
        if self.lost and len(self.ran) >= 2:
            raise self.lost
        changed = json.loads(json.dumps(self.base))
        for text in settings:
            key, _, value = text.lstrip("+").partition("=")
            *sections, last = key.split(".")
            place = changed
            for section in sections:
                place = place.setdefault(section, {})
            place[last] = parse_yaml(value)
        self.ran.append(name)
        if changed["model"] == "forest" and changed["models"]["forest"]["trees"] == UNLUCKY:
            raise CrivoError(f"The experiment {name} failed: the stage train failed.\nwhy")
        head = self.project.git("rev-parse", "HEAD")
        with self._git:
            self.project.trial(name, files_of(changed), message=message)
        return Made(f"refs/exps/{head[:2]}/{head[2:]}/{name}", self.seconds)


class Engines:
    """Makes the engines of a test, and keeps them."""

    def __init__(self, project: Project, **options: Any) -> None:
        self.project, self.options = project, options
        self.made: list[FakeEngine] = []

    def __call__(self, history: History, workers: int | None) -> FakeEngine:
        self.made.append(FakeEngine(self.project, workers or 2, **self.options))
        return self.made[-1]

    @property
    def ran(self) -> list[str]:
        """The names of all experiments that were run, in their order."""
        return [name for engine in self.made for name in engine.ran]


def trees_of(project: Project) -> dict[str, str]:
    """Return the tree of each experiment by its name."""
    form = "--format=%(refname) %(tree)"
    lines = project.git("for-each-ref", form, "refs/exps").splitlines()
    return {line.split()[0].split("/")[-1]: line.split()[1] for line in lines}
