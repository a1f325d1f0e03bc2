"""Does the continuous integration notice a failing test, and a result that isn't reproduced?"""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# `make test` prints what pytest prints; `make repro` runs the pipeline and brings `crivo`.
MAKEFILE = """\
test: ; @echo '===== 3 passed in 0.10s ====='
test-slow: ; @echo '===== 2 passed in 60.10s ====='
data: ; @:
repro: ; @mkdir -p .venv/bin && cp crivo .venv/bin/crivo && sh results
"""
CRIVO = """\
#!/bin/sh
echo "crivo $* in $(basename "$PWD")"
[ "$1" != "$(cat refused)" ]
"""


class Project:
    """A git repository with this project's CI, and a pipeline that takes no time."""

    def __init__(self, folder: Path):
        self.folder = folder
        shutil.copytree(ROOT / ".ci", folder / ".ci")
        self.write("Makefile", MAKEFILE)
        self.write("crivo", CRIVO)
        (folder / "crivo").chmod(0o755)
        self.write("refused", "nothing\n")
        self.write("results", "true\n")
        self.git("init", "--quiet")
        self.git("add", "--all")

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.folder, check=True)

    def run(self) -> tuple[int, list[str]]:
        """Run the CI of what is written; return its end."""
        self.git("commit", "--quiet", "--all", "--message", "Results")
        command = ["bash", str(self.folder / ".ci" / "run")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return done.returncode, (done.stdout + done.stderr).splitlines()


VERIFIED = "crivo verify --workspace in clone"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "a project")


def test_the_fresh_clone_s_own_results_are_verified(project):
    status, lines = project.run()
    assert (status, VERIFIED in lines) == (0, True)
    # The closing lines of the tests end the log.
    assert lines[-2:] == ["===== 3 passed in 0.10s =====", "===== 2 passed in 60.10s ====="]


@pytest.mark.parametrize("command", ["verify", "check"])
def test_other_results_and_findings_fail(project, command):
    project.write("refused", f"{command}\n")
    status, lines = project.run()
    assert (status, VERIFIED in lines) == (1, True)


def test_a_pipeline_that_fails_is_said_and_not_verified(project):
    project.write("results", "exit 1\n")
    status, lines = project.run()
    assert (status, VERIFIED in lines) == (1, False)
    assert any("not reproduced: make repro failed" in line for line in lines)


@pytest.mark.parametrize("recipe", ["echo '== 1 failed, 2 passed =='; exit 1", "echo 'no line'"])
@pytest.mark.parametrize("passing", ["3 passed in 0.10s", "2 passed in 60.10s"])
def test_failing_tests_fail_though_the_results_are_reproduced(project, recipe, passing):
    project.write("Makefile", MAKEFILE.replace(f"echo '===== {passing} ====='", recipe))
    status, lines = project.run()
    assert (status, VERIFIED in lines) == (1, True)
