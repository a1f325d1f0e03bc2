"""Does the Makefile set up the environment once, with a Python that works, and run the rest?"""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = ["requirements.txt", *(f"requirements/{name}.txt" for name in ("build", "dev", "extras"))]

# Stands for Python: says that it fits, makes an environment, and notes what else it is asked.
FAKE_PYTHON = """#!/bin/sh
case "$1 $2" in
  -c*) exit 0 ;;
  "-m venv") mkdir -p .venv/bin; cp "$0" .venv/bin/python; echo "venv by ${0##*/}" >> calls ;;
  *) echo "${0##*/} $*" >> calls; exit "${EXIT:-0}" ;;
esac
"""
FAILING = "#!/bin/sh\necho 'not installed' >&2\nexit 127\n"
FAKE_TOOL = '#!/bin/sh\necho "${0##*/} $* with $(command -v python)" >> calls\n'


def executable(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Clone:
    """A folder with the Makefile, and with stand-ins for the Pythons on the path."""

    def __init__(self, folder: Path):
        self.folder = folder / "a clone"
        self.pythons = folder / "pythons"
        self.folder.mkdir()
        for name in ["Makefile", "tests/crivo/library.mk", "pyproject.toml", *LOCKS]:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.folder / name)
        for name in ["python3.11", "python3.12", "python3.13", "python3", "python"]:
            executable(self.pythons / name, FAILING)

    def make(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        # Nothing of a make that runs these tests, and none of this machine's Pythons.
        environment = {"PATH": f"{self.pythons}:{os.defpath}", **environment}
        command = ["make", *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=60
        )

    def calls(self) -> list[str]:
        """Return what the stand-ins were asked since the last time."""
        path = self.folder / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def age(self, name: str, seconds: int) -> None:
        when = time.time() + seconds
        os.utime(self.folder / name, (when, when))


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


@pytest.fixture
def ready(clone: Clone) -> Clone:
    """A clone with a Python that fits, and the environment's tools."""
    executable(clone.pythons / "python3.11", FAKE_PYTHON)
    for tool in ["dvc", "crivo"]:
        executable(clone.folder / ".venv" / "bin" / tool, FAKE_TOOL)
    for name in ["pyproject.toml", *LOCKS]:
        clone.age(name, -60)
    return clone


def test_without_a_python_that_fits_one_sentence_says_so(clone):
    failed = clone.make("repro")
    assert failed.returncode != 0
    sentences = [line for line in failed.stderr.splitlines() if not line.startswith("make")]
    assert len(sentences) == 1
    assert sentences[0].startswith("No Python 3.11, 3.12 or 3.13 with venv was found")


@pytest.mark.parametrize("target", ["install", ".venv/dev.installed", "extras"])
def test_nothing_is_installed_without_hashes_or_built_with_what_is_not_pinned(ready, target):
    """What is built is built with the tools of requirements/build.txt, installed before."""
    assert ready.make(target).returncode == 0
    build, *others = [call for call in ready.calls() if " install " in call]
    assert build.endswith("--require-hashes --only-binary :all: -r requirements/build.txt")
    for call in others:
        assert "--no-build-isolation" in call
        assert "--require-hashes -r" in call or "--no-deps --editable ." in call


def test_repro_ends_with_the_result_and_where_the_report_is(ready):
    folder = ready.folder / "metrics" / "evaluation"
    folder.mkdir(parents=True)
    (folder / "report.md").write_text("## boosting on flights\n\nroc_auc is 0.7.\n\nMore.\n")
    done = ready.make("repro")
    assert f"dvc repro --quiet with {ready.folder}/.venv/bin/python" in ready.calls()
    assert done.stdout.endswith(
        "boosting on flights: roc_auc is 0.7.\nThe report: metrics/evaluation/report.html\n"
    )
    subprocess.run(["git", "init", "--quiet"], cwd=ready.folder, check=True)
    assert "Commit the results" in ready.make("repro").stdout
    executable(ready.folder / ".venv" / "bin" / "dvc", "#!/bin/sh\nexit 1\n")
    failed = ready.make("repro")
    assert failed.returncode != 0
    assert "The report" not in failed.stdout


def test_repro_fetches_the_data_when_missing_or_changed(ready):
    pointer = ready.folder / "data" / "raw" / "flights.dvc"
    pointer.parent.mkdir(parents=True)
    pointer.touch()

    def fetches() -> bool:
        assert ready.make("repro").returncode == 0
        return any(call.startswith("crivo fetch") for call in ready.calls())

    assert fetches()
    assert fetches()  # there are still no files
    executable(pointer.parent / "flights" / "flights.csv.zip", "")
    assert not fetches()
    ready.age("data/raw/flights.dvc", +60)
    assert fetches()


def test_an_installation_is_repeated_only_when_it_failed_or_a_lock_changed(ready):
    def installed(**environment: str) -> list[str]:
        ready.make("install", **environment)
        return [call.split()[-1] for call in ready.calls() if "-r requirements.txt" in call]

    assert installed(EXIT="1") == []  # it fails before, at the tools for building
    assert installed() == ["requirements.txt"]
    assert installed() == []
    ready.age("requirements.txt", +60)
    assert installed() == ["requirements.txt"]
