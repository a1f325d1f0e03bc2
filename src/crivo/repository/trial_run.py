"""Runs the pipeline of a checkout with changed settings, and records what comes out.

What is recorded is what `dvc exp run` would have recorded, byte by byte: DVC resolves the stages
and the settings, and this does the rest without its locks, stashes and indexes. One checkout
serves many trials, one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from crivo.core.artifacts import MODEL
from crivo.core.params import PARAMS_FILE
from crivo.core.timing import TIMES
from crivo.repository.cache_store import Files
from crivo.repository.checkout_files import CheckoutFiles
from crivo.repository.commits import EXPERIMENTS, NO_MESSAGE
from crivo.repository.definitions import PIPELINE, Definitions, Pipeline, Unsupported
from crivo.repository.dvc_project import open_dvc
from crivo.repository.git import Repository
from crivo.repository.lock import LOCK
from crivo.repository.overrides import apply_changes
from crivo.repository.pipeline_run import PipelineRun, Tools
from crivo.repository.recorded_stages import RecordedStages
from crivo.repository.run_cache import Entry, RunCache
from crivo.repository.stage_process import Show, StageProcess
from crivo.repository.times import Times, read_measured

# Several threads may run trials; DVC's own functions aren't made for that.
DVC = Lock()


class TrialRun:
    """A checkout of the project, made for this alone, in which trials are run.

    `remote`: where its files come from and go to, for a cache that nobody else sees. `times`: how
    long the model of the last trial took, as far as that was measured. Unsupported: DVC itself has
    to run the pipeline.
    """

    def __init__(
        self,
        checkout: Repository,
        environment: Mapping[str, str | None] | None = None,
        remote: Files | None = None,
    ) -> None:
        self.checkout, self.root = checkout, checkout.project
        self.base = checkout.commit("HEAD") or ""
        self._start = checkout.git("write-tree").strip()
        self._used = False
        self._pipeline: Pipeline | None = None
        self.times: Times = {}
        process = StageProcess(self.root, environment)
        process.start()
        try:
            self._open(process, remote)
        except BaseException:
            process.close()
            raise

    def _open(self, process: StageProcess, remote: Files | None) -> None:
        with DVC:
            self._repo = open_dvc(self.root)
            _require_plain(self._repo, self.checkout)
            self._tools = Tools(
                CheckoutFiles(self.root, self._repo, remote),
                RecordedStages(self.root / LOCK),
                RunCache(Path(self._repo.stage_cache.cache_dir)),
                process,
                self._track,
            )

    def close(self) -> None:
        """End what still runs."""
        self._tools.process.close()
        self._repo.close()

    def run(self, changes: Sequence[str], name: str, message: str, show: Show) -> str:
        """Run a trial, record it in the checkout, and return its reference.

        `show` is given each line that is printed. StageFailed: nothing is recorded.
        """
        self._reset()
        with DVC:
            apply_changes(self.root / PARAMS_FILE, changes)
            definitions = self._definitions()
        measured = self.root / ".dvc/tmp/crivo-times.jsonl"
        environment = {
            "DVC_EXP_BASELINE_REV": self.base, "DVC_EXP_NAME": name, TIMES: str(measured)
        }  # fmt: skip
        measured.parent.mkdir(parents=True, exist_ok=True)
        read_measured(measured)  # of a trial that failed
        entries = PipelineRun(self._tools, definitions, environment, show).entries()
        with DVC:
            self._tools.recorded.write(entries)
        measured_times, model = read_measured(measured), _model_of(entries)
        self.times = {model: measured_times} if measured_times and model else {}
        return self._record(name, message or NO_MESSAGE + _digest(entries))

    def _definitions(self) -> Definitions:
        if self._pipeline is None:  # all trials start from the same files
            prefix = self.checkout.prefix
            listed = self.checkout.git("ls-files", "-z", "--", prefix or ".").split("\0")
            self._tracked = {name.removeprefix(prefix) for name in listed if name}
            dvc_files = sorted(name for name in self._tracked if name.endswith(".dvc"))
            self._pipeline = Pipeline(self._repo, self.root, dvc_files)
        found = self._pipeline.definitions()
        self._tools.files.require_simple(found)
        self._uncached = found.uncached
        return found

    def _reset(self) -> None:
        """Take back what the last trial changed of git's files."""
        if self._used:
            self.checkout.git("read-tree", "--reset", "-u", self._start)
            self.checkout.git("clean", "--quiet", "-d", "--force", "--force")
            for path in self._uncached:
                self._tools.files.forget(path)
        self._used, self._uncached = True, set[str]()

    def _track(self, paths: Sequence[str]) -> None:
        """Let git know files; those that it knows are added when the trial is recorded."""
        if new := [path for path in paths if path not in self._tracked]:
            self.checkout.git("add", "--", *(self.checkout.prefix + path for path in new))

    def _record(self, name: str, message: str) -> str:
        git = self.checkout.git
        git("add", "--update", "--", ":/")
        self._track([LOCK])
        tree = git("write-tree").strip()
        commit = git("commit-tree", tree, "-p", self.base, "-m", message).strip()
        ref = f"{EXPERIMENTS}/{self.base[:2]}/{self.base[2:]}/{name}"
        git("update-ref", ref, commit)
        return ref


def _model_of(entries: Mapping[str, Entry]) -> str | None:
    """Return the hash of the model's file."""
    outs = (out for entry in entries.values() for out in entry["outs"])
    return next((out.get("md5") for out in outs if out["path"] == MODEL.as_posix()), None)


def _digest(entries: Mapping[str, Entry]) -> str:
    from dvc.utils import dict_sha256

    return str(dict_sha256(dict(entries)))


def _require_plain(repo: Any, checkout: Repository) -> None:
    """Leave to DVC what it does by configuration, and a pipeline in several files."""
    config = repo.config
    automatic = config.get("exp", {}).get("auto_push") or config["core"].get("autostage")
    files = checkout.lines("ls-files", "--", f":(glob){checkout.prefix}**/{PIPELINE}")
    if automatic or len(files) != 1:
        raise Unsupported("a pipeline in several files, or pushed by itself, is left to DVC.")
