"""What a small table costs: CPU seconds of `dvc repro` and `crivo check` on 344 rows.

Run in the repository's folder: `python benchmarks/small.py`. CPU seconds depend less on what
else the machine does than those of the clock; of several runs the least counts. Each line is also
told as a multiple of `import pandas` in the same run, which can be compared between machines. The
table goes to docs/performance.md. It takes a minute and a half on a quiet machine.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/performance.md"
TITLE = "## A small table"
STAGES = ("prepare", "featurize", "train", "evaluate")
DVC = [sys.executable, "-m", "dvc"]
CRIVO = [sys.executable, "-m", "crivo.cli"]
# What a stage on a small table imports, as it imports it: most of what it takes.
LIBRARIES = {
    "prepare": "import pandas, pydantic",
    "featurize": "import sklearn.linear_model, sklearn.tree",
    "train": "import sklearn.linear_model, sklearn.metrics",
    "evaluate": "import sklearn.linear_model, sklearn.metrics",
}
AS_A_STAGE = (
    "from crivo.core.start import spare_garbage_collection; spare_garbage_collection();"
    "from crivo.core.lateimports import import_late; import_late();"
)
# The parts are measured once less often: they only divide what the whole takes.
WHOLE = ("import pandas", "repro", "nothing", "plain", "check")
PLAIN = """
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import train_test_split
rows = pd.read_csv({file!r})
for name in ("island", "sex"):
    rows[name] = rows[name].astype("category")
train, valid = train_test_split(rows, test_size=0.2, random_state=0, stratify=rows["species"])
model = HistGradientBoostingClassifier(max_iter=50, categorical_features="from_dtype")
model.fit(train.drop(columns="species"), train["species"])
inputs = valid.drop(columns="species")
print(log_loss(valid["species"], model.predict_proba(inputs)))
print(accuracy_score(valid["species"], model.predict(inputs)))
"""


def small_table(path: Path, rows: int = 344) -> None:
    """Write a made-up table of penguins: three kinds, numbers, two categories, some gaps."""
    rng = np.random.default_rng(0)
    kind = rng.choice(3, rows, p=[0.44, 0.2, 0.36])
    table = pd.DataFrame(
        {
            "species": np.array(["Adelie", "Chinstrap", "Gentoo"])[kind],
            "island": rng.choice(["Biscoe", "Dream", "Torgersen"], rows),
            "bill_length_mm": np.array([38.8, 48.8, 47.5])[kind] + rng.normal(0, 3, rows),
            "bill_depth_mm": np.array([18.3, 18.4, 15.0])[kind] + rng.normal(0, 1.1, rows),
            "flipper_length_mm": np.array([190, 196, 217])[kind] + rng.normal(0, 6.5, rows),
            "body_mass_g": np.array([3700, 3733, 5076])[kind] + rng.normal(0, 450, rows),
            "sex": rng.choice(["male", "female", None], rows, p=[0.49, 0.48, 0.03]),
            "year": rng.choice([2007, 2008, 2009], rows),
        }
    ).round(1)
    table.loc[[3, 271], "bill_length_mm"] = np.nan
    table.to_csv(path, index=False)


def small_project(folder: Path) -> Path:
    """Return a clone of the project that reads the small table, run and committed once."""
    table = folder / "penguins.csv"
    small_table(table)
    project = folder / "project"
    git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    subprocess.run([*git, "clone", "-q", str(ROOT), str(project)], check=True)
    cpu([*CRIVO, "init", str(table), "--target", "species"], project)
    cpu([*DVC, "repro"], project)
    subprocess.run([*git, "add", "-A"], cwd=project, check=True)
    subprocess.run([*git, "commit", "-qm", "run"], cwd=project, check=True)
    return project


def cpu(command: list[str], folder: Path) -> float:
    """Run a command and return the CPU seconds of it and of all that it starts."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measured(project: Path, times: int) -> dict[str, float]:
    """Return the least CPU seconds of each command, all of them run in turn."""
    plain = PLAIN.format(file=str(project.parent / "penguins.csv"))
    commands = {
        "import pandas": ["-c", "import pandas"],
        "repro": ["-m", "dvc", "repro", "--force"],
        "nothing": ["-m", "dvc", "repro"],
        "plain": ["-c", plain],
        "check": ["-m", "crivo.cli", "check"],
        **{stage: [f"src/{stage}.py"] for stage in STAGES},
        **{f"{stage}'s libraries": ["-c", AS_A_STAGE + LIBRARIES[stage]] for stage in STAGES},
    }
    runs = [
        {
            name: cpu([sys.executable, *args], project)
            for name, args in commands.items()
            if name in WHOLE or number < max(1, times - 1)
        }
        for number in range(times)
    ]
    return {name: min(run[name] for run in runs if name in run) for name in commands}


def section(seconds: dict[str, float], times: int) -> str:
    """Return the page's section."""
    unit = seconds["import pandas"]

    def row(what: str, value: float, goal: str = "") -> str:
        return f"| {what} | {value:.2f} | {value / unit:.1f} | {goal} |"

    stages = sum(seconds[stage] for stage in STAGES)
    lines = [
        TITLE,
        "",
        "`python benchmarks/small.py` measures 344 rows of eight columns, three classes. These",
        f"are CPU seconds of all processes together, the minimum of {times} runs, and the same as",
        "multiples of `import pandas` in the same run, which says how fast the machine is. The",
        "goals are those of a quiet machine of two cores, where `import pandas` takes 0.46 s: 15.1",
        "and 6.5 times as long.",
        "",
        "| what | CPU s | × `import pandas` | goal |",
        "| --- | --- | --- | --- |",
        row("`dvc repro --force`, all four stages", seconds["repro"], "≤ 7 s"),
        row("`crivo check`", seconds["check"], "≤ 3 s"),
        row("a plain script: read, fit, score", seconds["plain"]),
        row("`dvc repro` with nothing to do", seconds["nothing"]),
        "",
        "Where it goes:",
        "",
        "| part | CPU s | of which importing libraries | the stage's own |",
        "| --- | --- | --- | --- |",
        *(
            f"| {stage} | {seconds[stage]:.2f} | {seconds[f'{stage}{chr(39)}s libraries']:.2f} "
            f"| {seconds[stage] - seconds[f'{stage}{chr(39)}s libraries']:.2f} |"
            for stage in STAGES
        ),
        f"| DVC: start, hashes, cache, lock | {max(0.0, seconds['repro'] - stages):.2f} | – | – |",
        "",
    ]
    return "\n".join(lines)


def with_section(page: str, text: str) -> str:
    """Return a page with its section of the same title replaced; it comes last where it is new."""
    title = text.partition("\n")[0]
    old = re.compile(rf"^{re.escape(title)}\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
    if old.search(page):
        return old.sub(lambda match: f"{text}\n".rstrip("\n") + "\n\n", page).rstrip("\n") + "\n"
    return f"{page.rstrip()}\n\n{text}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="runs of each command")
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as temporary:
        text = section(measured(small_project(Path(temporary)), times), times)
    PAGE.write_text(
        with_section(PAGE.read_text(encoding="utf-8"), text), encoding="utf-8", newline="\n"
    )
    print(text)


if __name__ == "__main__":
    main()
