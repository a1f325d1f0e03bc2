"""Two commands at once in one project: both do their work, or one says who is in its way."""

import subprocess

import pytest

from tests.crivo.faults.killing import start
from tests.crivo.faults.sound import experiments, wrong
from tests.crivo.pipeline.project import Project

PAIRS = {
    "repro": [["dvc", "repro"]] * 2,
    "share": [["crivo", "share", "trial"]] * 2,
}


def finish(running: subprocess.Popen[str]) -> tuple[int, str]:
    words, _ = running.communicate(timeout=120)
    return running.returncode, words


@pytest.mark.parametrize("name", PAIRS)
def test_two_at_once_leave_nothing_wrong(quick: Project, name: str) -> None:
    quick.write("params.yaml", "a: 4\n")
    both = [start(command, quick.folder, quick.folder.parent) for command in PAIRS[name]]
    ends = [finish(one) for one in both]
    assert 0 in [status for status, _ in ends], ends
    for status, words in ends:
        assert "Traceback" not in words
        assert status == 0 or "Unable to acquire lock" in words or "busy" in words, words
    assert wrong(quick) == []
    quick.run(*PAIRS[name][0])
    assert wrong(quick) == []
    if name == "share":
        assert len(experiments(quick.folder.parent / "hub.git")) == 1
    else:
        assert "up to date" in quick.dvc("status")
