"""Commands that run experiments, stopped at several moments: what is not committed stays."""

import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.untouched import state_of
from tests.crivo.faults.killing import PATIENCE, start, wait_for
from tests.crivo.faults.sound import experiments, wrong_files

pytestmark = pytest.mark.pipeline

TRY = ("crivo", "try", "models.boosting.learning_rate=0.2")
# What is there when a trial is stopped: its clone; what its stage writes.
CLONED, BEGUN = "temporary/crivo-*/*/project/dvc.yaml", "begun"


@pytest.fixture
def edited(toy: Project, tmp_path: Path) -> Iterator[Project]:
    """Give a project with changes of every kind, which must be there at the end."""
    folder = toy.folder
    # A trial must last until it is stopped, however slow the machine is.
    last = f"pathlib.Path({str(tmp_path / 'begun')!r}).touch()\ntime.sleep(600)\n"
    for name, more in (("src/train.py", f"import time\n{last}"), ("params.yaml", "")):
        (folder / name).write_text(f"{(folder / name).read_text()}{more}# mine\n")
    (folder / "src/helper.py").write_text("# mine\n")
    toy.git("add", "src/helper.py")
    (folder / "notes.txt").write_text("mine\n")
    before = state_of(folder)
    yield toy
    assert state_of(folder) == before
    toy.git("fsck")


def stop(project: Project, number: signal.Signals, moment: str) -> None:
    """Send a signal once there is a file of this name beside the project."""
    temporary = project.folder.parent / "temporary"
    temporary.mkdir()
    running = start(TRY, project.folder, temporary)
    family = [psutil.Process(running.pid)]
    while not any(project.folder.parent.glob(moment)):
        assert running.poll() is None
        time.sleep(0.001)
    family += family[0].children(recursive=True)
    running.send_signal(number)
    said, _ = running.communicate(timeout=PATIENCE)
    wait_for(family)
    todo = re.findall("Run the command again|`dvc repro`", said)
    assert todo == ["Run the command again"] * (number is not signal.SIGKILL)
    assert running.returncode != 0
    if number is not signal.SIGKILL:
        assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "moment"),
    [(signal.SIGKILL, BEGUN), (signal.SIGINT, CLONED), (signal.SIGTERM, BEGUN)],
)
def test_a_stopped_trial_leaves_the_workspace_as_it_was(
    edited: Project, number: signal.Signals, moment: str
) -> None:
    stop(edited, number, moment)
    assert experiments(edited.folder) == []
    assert list(wrong_files(edited.folder / ".dvc/cache")) == []
    assert not list((edited.folder / ".git").rglob("*.lock"))
