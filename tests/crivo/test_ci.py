"""Does the continuous integration notice a failing test, and a result that isn't reproduced?"""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.crivo.pipeline.project import ROOT, Project

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


VERIFIED = "crivo verify --workspace in clone"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Give a git repository with this project's CI, and a pipeline that takes no time."""
    project = Project(tmp_path / "a project")
    shutil.copytree(ROOT / ".ci", project.folder / ".ci")
    for name, text in (("Makefile", MAKEFILE), ("crivo", CRIVO), ("refused", "nothing\n"),
                       ("results", "true\n")):  # fmt: skip
        project.write(name, text)
    (project.folder / "crivo").chmod(0o755)
    project.git("init", "--quiet")
    return project


def result(project: Project) -> tuple[int, list[str]]:
    """Run the CI of what is written; return its end."""
    project.commit()
    command = ["bash", str(project.folder / ".ci/run")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, (done.stdout + done.stderr).splitlines()


def test_the_fresh_clone_s_own_results_are_verified(project):
    status, lines = result(project)
    assert (status, VERIFIED in lines) == (0, True)
    # The closing lines of the tests end the log.
    assert lines[-2:] == ["===== 3 passed in 0.10s =====", "===== 2 passed in 60.10s ====="]


@pytest.mark.parametrize("command", ["verify", "check"])
def test_other_results_and_findings_fail(project, command):
    project.write("refused", f"{command}\n")
    status, lines = result(project)
    assert (status, VERIFIED in lines) == (1, True)


def test_a_pipeline_that_fails_is_said_and_not_verified(project):
    project.write("results", "exit 1\n")
    status, lines = result(project)
    assert (status, VERIFIED in lines) == (1, False)
    assert any("not reproduced: make repro failed" in line for line in lines)


@pytest.mark.parametrize("recipe", ["echo '== 1 failed, 2 passed =='; exit 1", "echo 'no line'"])
@pytest.mark.parametrize("passing", ["3 passed in 0.10s", "2 passed in 60.10s"])
def test_failing_tests_fail_though_the_results_are_reproduced(project, recipe, passing):
    project.write("Makefile", MAKEFILE.replace(f"echo '===== {passing} ====='", recipe))
    status, lines = result(project)
    assert (status, VERIFIED in lines) == (1, True)
