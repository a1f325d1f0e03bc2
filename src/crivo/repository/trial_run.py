"""Runs the pipeline of a checkout with changed settings by DVC, and records what comes out.

DVC works in this process, stage by stage, and the experiment is a commit of git's plumbing. So
nothing of DVC's queue, stashes or branches is used, and one checkout serves many trials, one after
the other. This process must be in no other folder meanwhile, and prints nothing else.
"""

from __future__ import annotations

import json
import logging
import os
import re
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

from crivo.core.artifacts import EVALUATION, MODEL
from crivo.core.errors import CrivoError, NotRun
from crivo.core.params import PARAMS_FILE
from crivo.repository.commits import EXPERIMENTS
from crivo.repository.dvc_project import explained, open_dvc, path_of
from crivo.repository.git import Repository
from crivo.repository.lock import LOCK, covers
from crivo.repository.overrides import apply_changes
from crivo.repository.remembered import digest
from crivo.repository.stage_process import StageProcess
from crivo.runtime.timing import TIMES

# Seconds to `fit` a model, and to `predict` one row among many, by the hash of its file.
Times = Mapping[str, Mapping[str, float]]


class StageFailed(CrivoError):
    """A stage ended with another status than 0, or without writing what it declares."""


class TrialRun:
    """A checkout of the project, made for this alone, in which trials are run.

    `turns`: a folder that those share who run trials at once, so that one of them makes what
    several need. `times`: how long the model of the last trial took, as far as it was measured.
    """

    def __init__(
        self,
        checkout: Repository,
        environment: Mapping[str, str | None] | None = None,
        turns: Path | None = None,
    ) -> None:
        self.checkout, self.root, self.turns = checkout, checkout.project, turns
        self.base = checkout.git("rev-parse", "HEAD").strip()
        self._start = checkout.git("write-tree").strip()
        self.times: Times = {}
        self._process = StageProcess(self.root, environment)
        try:
            self._repo = open_dvc(self.root)
            with chdir(self.root), _dvc_s_words(), explained():
                # What stages build on; where a file is missing, the stage that needs it says so.
                self._repo.checkout(force=True, allow_missing=True)
        except BaseException:
            self._process.close()
            raise

    def close(self) -> None:
        """End what still runs."""
        self._process.close()
        self._repo.close()

    def run(self, changes: Sequence[str], name: str, message: str) -> str:
        """Run a trial, record it in the checkout, and return its reference.

        Stages and DVC print to this process's output. StageFailed: nothing is recorded.
        """
        self._reset()
        apply_changes(self.root / PARAMS_FILE, changes)
        measured = self.root / ".dvc/tmp/crivo-times.jsonl"
        measured.unlink(missing_ok=True)  # of a trial that failed
        environment = {
            **self._process.environment,
            "DVC_EXP_BASELINE_REV": self.base, "DVC_EXP_NAME": name, TIMES: str(measured),
        }  # fmt: skip
        with chdir(self.root), _dvc_s_words():
            outs = {path_of(out): out for out in self._reproduce(environment)}
        times, model = read_measured(measured), outs.get(MODEL.as_posix())
        self.times = {model.hash_info.value: times} if times and model else {}
        return self._record(name, message, outs.values())

    def _reset(self) -> None:
        """Take back what the last trial changed of git's files; DVC takes care of its own."""
        self.checkout.git("read-tree", "--reset", "-u", self._start)
        self.checkout.git("clean", "--quiet", "-d", "--force", "--force")

    def _reproduce(self, environment: Mapping[str, str]) -> list[Any]:
        """Have DVC run every stage that needs it; return the outputs of all, as DVC's objects."""
        from dvc.repo import lock_repo
        from dvc.repo.reproduce import get_active_graph, plan_repro

        # As `Repo.reproduce`, which would read and write all of DVC's files again for each stage.
        made: list[Any] = []
        with lock_repo(self._repo):
            with explained():
                graph = get_active_graph(self._repo.index.graph)
                # As `dvc repro`: raw data that no stage reads may be missing.
                stages = plan_repro(graph, [one for one in graph if not one.is_data_source])
            _require_evaluation(stages)
            for stage in stages:
                try:
                    _require_thawed(stage)
                    with self._turn(stage):
                        if stage.reproduce(run_env=environment):
                            made.append(stage)
                            # DVC itself doesn't remember runs with outputs that git keeps.
                            if not all(out.use_cache for out in stage.outs):
                                self._repo.stage_cache.save(stage)
                except NotRun:
                    raise
                except Exception as error:  # as DVC itself does
                    raise _failure(stage.addressing, error) from None
            for path in {stage.path for stage in made}:
                same = [stage for stage in made if stage.path == path]
                if same[0].is_data_source:
                    same[0].dump()
                else:
                    same[0].dvcfile.dump_stages(same, update_pipeline=False)
        return [out for stage in stages for out in stage.outs]

    @contextmanager
    def _turn(self, stage: Any) -> Iterator[None]:
        """Let one trial at a time run a stage of the same: the others find its result."""
        if self.turns is None:
            yield
            return
        from filelock import FileLock

        read = [(str(one), str(one.get_hash())) for one in stage.deps if one.exists]
        self.turns.mkdir(exist_ok=True)
        with FileLock(self.turns / digest(repr([stage.addressing, stage.cmd, read]))):
            yield

    def _record(self, name: str, message: str, outs: Iterable[Any]) -> str:
        """Record what a trial is; of other files that a stage has changed, those that one reads."""
        git, prefix = self.checkout.git, self.checkout.prefix
        made = [path_of(out) for out in outs if not out.use_cache]
        read = {path_of(dep) for out in outs for dep in out.stage.deps}
        for kind, wanted in {"--modified": [*made, *read], "--others": made}.items():
            listed = git("ls-files", kind, "--exclude-standard", "-z").split("\0")[:-1]
            if new := [path for path in dict.fromkeys(listed) if is_recorded(path, prefix, wanted)]:
                git("add", "--", *new)
        tree = git("write-tree").strip()
        commit = git("commit-tree", tree, "-p", self.base, "-m", message).strip()
        ref = f"{EXPERIMENTS}/{self.base[:2]}/{self.base[2:]}/{name}"
        git("update-ref", ref, commit)
        return ref


def is_recorded(path: str, prefix: str, outs: Iterable[str]) -> bool:
    """Return whether a trial's commit may have a file otherwise than what it started from.

    `path`: in the repository; `prefix`: the project's folder there; `outs`: paths in the project.
    DVC writes a .gitignore beside an output, and records changed raw data in a .dvc file.
    """
    noted = Path(path).name == ".gitignore" or path.endswith(".dvc")
    return noted or any(covers(prefix + one, path) for one in (str(PARAMS_FILE), LOCK, *outs))


def _require_evaluation(stages: Sequence[Any]) -> None:
    """Raise NotRun where no stage makes an evaluation: the committed one would be recorded."""
    made = [path_of(out) for stage in stages for out in stage.outs]
    wanted = (EVALUATION / "evaluation.json").as_posix()
    if not any(covers(path, wanted) for path in made):
        raise NotRun(
            f"No stage of dvc.yaml makes {wanted}, so there is nothing to run; `git checkout HEAD "
            "dvc.yaml` restores a dvc.yaml that was removed or changed."
        )


def _require_thawed(stage: Any) -> None:
    """Raise NotRun for a frozen stage whose outputs are old, and would be recorded, or missing."""
    if not stage.frozen or stage.is_data_source:
        return
    stage.frozen = False
    changed, old = stage.changed(), stage.changed(allow_missing=True)
    stage.frozen = True
    if changed:
        # `dvc unfreeze` refuses a stage whose entry has `${…}`.
        thaw = f"remove `frozen: true` from the stage {stage.addressing} in dvc.yaml"
        raise NotRun(
            f"A frozen stage has old outputs, which aren't this trial's; {thaw}."
            if old
            else f"Outputs of a frozen stage are missing; fetch them with `dvc pull`, or {thaw}."
        )


def read_measured(place: Path) -> dict[str, float]:
    """Return what stages noted in a file, see `crivo.runtime.timing`, and remove it.

    `fit`: seconds; `predict`: seconds per row, of the first rows that were predicted.
    """
    found: dict[str, float] = {}
    if place.exists():
        for line in place.read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            rows = 1 if one["what"] == "fit" else max(one["rows"], 1)
            found.setdefault(one["what"], one["seconds"] / rows)
        place.unlink()
    return found


class _Printed(logging.Handler):
    """Prints what DVC says of its stages, and its warnings, between the lines of the stages."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("dvc.stage") or record.levelno >= logging.WARNING:
            os.write(1, f"{record.getMessage()}\n".encode(errors="replace"))


@contextmanager
def _dvc_s_words() -> Iterator[None]:
    log = logging.getLogger("dvc")
    before = log.handlers, log.level, log.propagate
    log.handlers, log.propagate = [_Printed()], False
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.handlers, log.propagate = before[0], before[2]
        log.setLevel(before[1])


def _words(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".")


def _failure(stage: str, error: Exception) -> CrivoError:
    words = _words(error)
    if type(error).__name__ == "MissingDataSource":  # neither here nor in the cache
        return NotRun(
            f"The stage {stage} can't be run, because DVC finds {words} in this clone; fetch what "
            "is missing with `dvc pull`, or raw data with `make data`, and run it again."
        )
    status = re.search(r"exited with (-?\d+)$", words)
    if status:
        return StageFailed(f"the stage {stage} {_how_it_ended(int(status[1]))}")
    return StageFailed(f"the stage {stage} can't be run: {words}")


def _how_it_ended(status: int) -> str:
    """Return what became of a command, by its exit status as a shell gives it.

    >>> _how_it_ended(1), _how_it_ended(137)
    ('failed', 'was ended by the signal SIGKILL, perhaps because memory ran out')
    """
    try:
        name = signal.Signals(-status if status < 0 else status - 128).name
    except ValueError:
        return "failed"
    why = ", perhaps because memory ran out" if name == "SIGKILL" else ""
    return f"was ended by the signal {name}{why}"
