"""Where each second of the pipeline goes, beside a plain script that does the same work.

Run in the project's folder, after `dvc repro`: `python benchmarks/stages.py`. It runs each stage
and `benchmarks/plain.py` on one core each, in turn, in a copy of the project, and takes the least
CPU seconds of several runs: they depend less on what else the machine does than those of the
clock. Then each stage runs once more, with its parts timed. The same is done once with the flights
of ten years: of one, with shifted dates (`--years 1` leaves this out; it takes 20 minutes). The
tables go to docs/performance.md.
"""

from __future__ import annotations

import argparse
import builtins
import functools
import importlib
import json
import os
import resource
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from crivo.core.lateimports import import_late
from crivo.core.start import spare_garbage_collection

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/performance.md"
TITLE = "## Where each second goes"
GOAL = 1.5
STAGES = ("prepare", "featurize", "train", "evaluate")
SAME, CHECKS, FILES = "the plain script's work", "checks", "files between stages"
IMPORTS, EXPLAINED, REST = "imports", "explanations, report", "the rest"
PARTS = (SAME, IMPORTS, FILES, CHECKS, EXPLAINED, REST)
# What is timed: a function or a method by its module, and the part that it belongs to.
TIMED = [
    ("crivo.core.artifacts", "read_table", FILES),
    ("crivo.core.artifacts", "read_split", FILES),
    ("crivo.core.artifacts", "write_table", FILES),
    ("crivo.core.stored_table", "StoredTable.__getitem__", FILES),
    ("crivo.core.stored_table", "StoredTable.take", FILES),
    ("crivo.core.artifacts", "write_files", FILES),
    ("crivo.core.modelfile", "save_model", FILES),
    ("crivo.core.modelfile", "load_model", FILES),
    ("crivo.core.environment", "require_locked_environment", CHECKS),
    ("crivo.core.findings", "Checks.review", CHECKS),
    ("crivo.core.inputs", "check_inputs", CHECKS),
    ("crivo.preparation.rawdata", "verify_raw", CHECKS),
    ("crivo.preparation.quarantine", "unusable_reasons", CHECKS),
    ("crivo.preparation.splits", "divide", SAME),
    ("crivo.preparation.profile", "missing_fractions", EXPLAINED),
    ("crivo.preparation.prepared", "usable_in_order", SAME),
    ("blocks.datasets.flights", "Flights.load", SAME),
    ("blocks.models.boosting", "Boosting.fit", SAME),
    ("blocks.evaluators.standard", "Standard.evaluate", SAME),
    ("crivo.featurization.typed", "TypedColumns.fit", SAME),
    ("crivo.featurization.typed", "TypedColumns.transform", SAME),
    ("crivo.featurization.features", "write_features", FILES),  # reads batches of many rows
    ("crivo.training.measure", "log_training", EXPLAINED),
    ("crivo.evaluation.predicting", "Predicting.tables", SAME),
    ("crivo.evaluation.inspection", "model_curves", EXPLAINED),
    ("crivo.evaluation.explanations", "explain", EXPLAINED),
    ("crivo.evaluation.outputs", "output_files", EXPLAINED),
]
# The modules of `TIMED` that each stage imports by itself; others would not be its imports.
USED = {
    "prepare": ("core.artifacts", "core.environment", "preparation", "datasets.flights"),
    "featurize": ("core.", "featurization"),
    "train": ("core.", "training", "models.boosting"),
    "evaluate": ("core.", "evaluation", "evaluators"),
}


class Clock:
    """CPU seconds of parts; what one part calls of another one counts for that one."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self.parts = [REST]
        self.since = 0.0  # of the whole process, so that Python's own start is among the rest

    def switch(self, *parts: str) -> None:
        """Count the time until now for the current part, and go on with others."""
        now = time.process_time()
        self.spent[self.parts[-1]] += now - self.since
        self.since, self.parts = now, [*parts]

    def timed(self, function: Callable[..., Any], part: str) -> Callable[..., Any]:
        """Return a function whose time counts for a part."""

        @functools.wraps(function)
        def call(*arguments: Any, **options: Any) -> Any:
            before = self.parts
            self.switch(*before, part)
            try:
                return function(*arguments, **options)
            finally:
                self.switch(*before)

        return call

    def patch(self, module: str, name: str, part: str) -> None:
        """Time a function or a method where it is defined."""
        *owner, own = name.split(".")
        home: Any = importlib.import_module(module)
        home = getattr(home, owner[0]) if owner else home
        setattr(home, own, self.timed(vars(home)[own], part))


def parts_of(stage: str) -> None:
    """Run a stage in this process and print the CPU seconds of its parts."""
    clock = Clock()
    spare_garbage_collection()
    import_late()
    builtins.__import__ = clock.timed(builtins.__import__, IMPORTS)  # type: ignore[assignment]
    sys.path.insert(0, str(Path("src").resolve()))
    sys.argv = [f"src/{stage}.py"]
    for module, name, part in TIMED:
        if any(f".{used}" in module for used in USED[stage]):
            clock.timed(importlib.import_module, IMPORTS)(module)
            clock.patch(module, name, part)
    if stage == "featurize":
        from crivo.featurization.row_checks.split_rows import SplitRows

        # Then a thread's work is not counted for what the stage does meanwhile.
        SplitRows.counting_equal_rows = lambda _: nullcontext()  # type: ignore[method-assign]
    runpy.run_path(sys.argv[0], run_name="__main__")
    clock.switch(REST)
    print(json.dumps(clock.spent))


def run(arguments: list[str], project: Path) -> tuple[float, str]:
    """Run Python on one core and return its CPU seconds and what it prints."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env |= {"OMP_NUM_THREADS": "1", "PATH": f"{Path(sys.executable).parent}:{env['PATH']}"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *arguments], cwd=project, env=env, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)} failed:\n{done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def own_copy(folder: Path) -> Path:
    """Return a clone of the project with its data and what its stages have written."""
    subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
    for place in ("data", "models", "metrics"):
        shutil.copytree(ROOT / place, folder / place, dirs_exist_ok=True)
    return folder


def measured(project: Path, times: int) -> dict[str, float]:
    """Return the least CPU seconds of each command, all of them run in turn."""
    commands = {
        "plain": [str(ROOT / "benchmarks/plain.py")],
        **{stage: [f"src/{stage}.py"] for stage in STAGES},
        "repro": ["-m", "dvc", "repro", "--force"],
    }
    runs = [{name: run(one, project)[0] for name, one in commands.items()} for _ in range(times)]
    return {name: min(one[name] for one in runs) for name in commands}


def parts_by_stage(project: Path) -> dict[str, dict[str, float]]:
    """Return the CPU seconds of the parts of each stage."""
    return {
        stage: json.loads(run([__file__, "--parts-of", stage], project)[1].splitlines()[-1])
        for stage in STAGES
    }


def table(seconds: dict[str, float], parts: dict[str, dict[str, float]]) -> list[str]:
    """Return the lines of a table; a stage's parts are scaled to its time without the clock."""
    scaled = {
        stage: {part: value * seconds[stage] / sum(spent.values()) for part, value in spent.items()}
        for stage, spent in parts.items()
    }
    dvc = max(0.0, seconds["repro"] - sum(seconds[stage] for stage in STAGES))

    def row(part: str) -> str:
        values = [scaled[stage].get(part, 0.0) for stage in STAGES]
        cells = " | ".join(f"{value:.1f}" for value in values)
        share = sum(values) / seconds["plain"]
        return f"| {part} | {cells} | {sum(values):.1f} | {share:.2f} |"

    return [
        "| part | prepare | featurize | train | evaluate | all, s | all / plain script |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(row(part) for part in PARTS),
        f"| DVC: start, hashes, cache, lock | – | – | – | – | {dvc:.1f} "
        f"| {dvc / seconds['plain']:.2f} |",
    ]


def section(seconds: dict[str, float], parts: dict[str, dict[str, float]], times: int) -> str:
    """Return the page's section on the flights of one year."""
    ratio = seconds["repro"] / seconds["plain"]
    lines = [
        TITLE,
        "",
        "`python benchmarks/stages.py` measures the stages on the flights and the plain script.",
        "These are CPU seconds, not seconds of the clock, with one thread each, on",
        f"{os.cpu_count()} cores that other processes may have used at the same time: the minimum",
        f"of {times} {'runs' if times > 1 else 'run'}. Only the ratios to the plain script "
        f"({seconds['plain']:.1f} s in the same run)",
        f"can be compared between machines. The pipeline takes {ratio:.2f} × the script; the goal,",
        f"{GOAL} ×, is {'met' if ratio <= GOAL else 'missed'}.",
        "",
        *table(seconds, parts),
        "",
        "The imports are those of four processes. The checks are mostly those that `featurize`",
        "makes of the rows. The explanations predict 1,000 rows in one call, and each again for",
        "each feature whose shuffling changes it.",
        "",
    ]
    return "\n".join(lines)


def section_of_years(years: int, folder: Path) -> str:
    """Return what the section says of the flights of so many years; each command runs once."""
    from pipeline import own_copy as own_copy_of_years  # here, as it imports pandas

    project = own_copy_of_years(folder, years)
    seconds, parts = measured(project, 1), parts_by_stage(project)
    ratio = seconds["repro"] / seconds["plain"]
    lines = [
        "",
        f"With {years} × the rows, measured once, the pipeline takes {ratio:.2f} × the script",
        f"({seconds['plain']:.0f} s). From 100 million values on, a table stays on disk: a stage",
        "reads a column, or some of the rows, at a time. The repeated flights are copies of each",
        "other, so the check for copies in `featurize` finds many and counts each of them.",
        "",
        *table(seconds, parts),
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="runs of each command")
    parser.add_argument("--years", type=int, default=10, help="of flights, for the last table")
    parser.add_argument("--parts-of", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.parts_of:
        parts_of(given.parts_of)
        return
    with tempfile.TemporaryDirectory() as folder:
        project = own_copy(Path(folder) / "project")
        text = section(measured(project, given.times), parts_by_stage(project), given.times)
        if given.years > 1:
            text += section_of_years(given.years, Path(folder) / "years")
    from small import with_section  # here, as it imports pandas

    page = with_section(PAGE.read_text(encoding="utf-8"), text)
    PAGE.write_text(page, encoding="utf-8", newline="\n")
    print(text)


if __name__ == "__main__":
    main()
