"""Commands killed at random moments; `tests.crivo.faults.kill` does it on the real stages."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from tests.crivo.faults.killing import JOBS, Job, kill_and_go_on, undisturbed
from tests.crivo.faults.tiny import copy_of
from tests.crivo.pipeline.project import Project


def other_setting(project: Project) -> None:
    project.write("params.yaml", "a: 4\n")


QUICK = [
    replace(JOBS["repro"], prepare=other_setting),
    Job(
        "temp",
        ("dvc", "exp", "run", "--temp", "--name", "four", "-S", "a=4"),
        changes_workspace=True,
    ),
    replace(JOBS["share"], command=("crivo", "share", "trial")),
]


@pytest.mark.plain_path
@pytest.mark.parametrize("job", QUICK, ids=lambda job: job.name)
def test_what_is_killed_leaves_nothing_wrong_and_comes_out_the_same(
    job: Job, made: Project, tmp_path: Path
) -> None:
    expected, seconds = undisturbed(job, copy_of(made, tmp_path / "undisturbed"))
    rng = random.Random(job.name)
    for child in (False, True):
        project = copy_of(made, tmp_path / f"killed-{child}")
        moment = rng.uniform(0.2, 1) * seconds
        found = kill_and_go_on(job, project, moment, expected, child=child)
        assert found.fine, f"killed after {moment} s: {found.text}"
