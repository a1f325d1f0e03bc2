"""Does the continuous integration notice a failing test, and a result that isn't reproduced?"""

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[1]
METRICS = "metrics/evaluation/metrics.json"

# `make test` prints what pytest prints; `make repro` writes the results that `results` holds.
MAKEFILE = f"""\
test: ; @echo '===== 3 passed in 0.10s ====='
repro: ; @mkdir -p .venv/bin && ln -s '{sys.executable}' .venv/bin/python && sh results
"""


class Project:
    """A git repository with this project's CI, and a pipeline that takes no time."""

    def __init__(self, folder: Path):
        self.folder = folder
        shutil.copytree(ROOT / ".ci", folder / ".ci")
        self.write("Makefile", MAKEFILE)
        self.write(".gitignore", ".venv/\n")
        self.write("dvc.lock", "hash: 1\n")
        self.write("results", "true\n")
        self.write(METRICS, json.dumps({"roc_auc": 0.7, "prior": {"roc_auc": 0.5}}))
        self.git("init", "--quiet")
        self.commit()

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *arguments: str) -> None:
        who = ["-c", "user.name=crivo", "-c", "user.email=crivo@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=self.folder, check=True)

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Try")

    def run_giving(self, results: str = "true") -> tuple[int, str]:
        """Run the CI where the pipeline does this; return its exit status and what it says."""
        self.write("results", f"{results}\n")
        self.git("commit", "--quiet", "--all", "--message", "Results", "--allow-empty")
        command = ["bash", str(self.folder / ".ci" / "run")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "a project")


def metrics(roc_auc: float) -> str:
    """Return the command that writes other bytes and these metrics."""
    text = json.dumps({"roc_auc": roc_auc, "prior": {"roc_auc": 0.5}})
    return f"echo 'hash: 2' > dvc.lock; echo '{text}' > {METRICS}"


def test_unchanged_results_are_the_same_bytes(project):
    status, said = project.run_giving()
    assert (status, "reproduced: the same bytes" in said) == (0, True)


def test_closing_line_of_the_tests_ends_the_log(project):
    _, said = project.run_giving()
    assert said.splitlines()[-1] == "===== 3 passed in 0.10s ====="


def test_metrics_within_the_tolerance_are_equal(project):
    status, said = project.run_giving(metrics(0.7000005))
    assert (status, "reproduced: equal metrics within 1e-06" in said) == (0, True)


@pytest.mark.parametrize(
    ("results", "why"),
    [
        (metrics(0.70001), "roc_auc: 0.7 → 0.70001"),
        (f"echo 'hash: 2' > dvc.lock; echo '{{}}' > {METRICS}", "prior.roc_auc: 0.5 → None"),
        ("touch left", "running left changes in git: ?? left"),
        (f"echo '{{}}' > {METRICS}", f"running left changes in git:  M {METRICS}"),
        ("exit 1", "not reproduced: make repro failed"),
    ],
)
def test_other_results_fail_and_say_why(project, results, why):
    status, said = project.run_giving(results)
    assert (status, why in said) == (1, True)


def test_results_that_were_never_committed_fail(project):
    project.git("rm", "--quiet", "dvc.lock")
    status, said = project.run_giving()
    assert (status, "dvc.lock isn't committed" in said) == (1, True)


@pytest.mark.parametrize(
    "recipe", ["echo '== 1 failed, 2 passed in 0.10s =='; exit 1", "echo 'no closing line'"]
)
def test_failing_tests_fail_though_the_results_are_reproduced(project, recipe):
    project.write("Makefile", MAKEFILE.replace("echo '===== 3 passed in 0.10s ====='", recipe))
    status, said = project.run_giving()
    assert (status, "reproduced: the same bytes" in said) == (1, True)


def test_workflow_runs_the_same_on_every_python_without_secrets():
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    (job,) = yaml.safe_load(text)["jobs"].values()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    allowed = SpecifierSet(project["requires-python"])
    pythons = [f"3.{minor}" for minor in range(9, 20) if f"3.{minor}.0" in allowed]
    assert job["strategy"]["matrix"]["python"] == pythons
    assert ".ci/run" in [step.get("run") for step in job["steps"]]
    assert "secrets." not in text
