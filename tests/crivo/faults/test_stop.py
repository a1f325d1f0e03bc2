"""Commands that run experiments, stopped at several moments: what is not committed stays."""

from __future__ import annotations

import json
import re
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.toy import made_toy
from tests.crivo.experiments.untouched import state_of
from tests.crivo.faults.killing import PATIENCE, finish, start, wait_for
from tests.crivo.faults.sound import experiments, wrong_files

TRY = ("crivo", "try", "models.boosting.learning_rate=0.2")
# What is there when a trial is stopped: its clone; what its stage writes.
CLONED, BEGUN = "temporary/crivo-*/*/project/dvc.yaml", "begun"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project whose stages have run; don't change it."""
    return made_toy(tmp_path_factory)


@pytest.fixture
def edited(made: Project, tmp_path: Path) -> Iterator[Project]:
    """Give a copy with changes of every kind, which must be there at the end."""
    folder = tmp_path / "edited"
    shutil.copytree(made.folder, folder)
    copy = Project(folder)
    # A trial must last until it is stopped, however slow the machine is.
    last = (
        f"pathlib.Path({str(tmp_path / 'begun')!r}).touch()\n"
        f"if not pathlib.Path({str(tmp_path / 'quick')!r}).exists():\n    time.sleep(600)\n"
    )
    for name, more in (("src/train.py", f"import time\n{last}"), ("params.yaml", "")):
        (folder / name).write_text(f"{(folder / name).read_text()}{more}# mine\n")
    (folder / "src/helper.py").write_text("# mine\n")
    copy.git("add", "src/helper.py")
    (folder / "notes.txt").write_text("mine\n")
    before = state_of(folder)
    yield copy
    assert state_of(folder) == before
    copy.git("fsck")


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
    [
        (signal.SIGKILL, BEGUN),
        (signal.SIGINT, CLONED),
        (signal.SIGTERM, BEGUN),
    ],
)
def test_a_stopped_trial_leaves_the_workspace_as_it_was(
    edited: Project, number: signal.Signals, moment: str
) -> None:
    stop(edited, number, moment)
    assert experiments(edited.folder) == []
    assert list(wrong_files(edited.folder / ".dvc/cache")) == []
    assert not list((edited.folder / ".git").rglob("*.lock"))


def test_two_trials_at_once_are_both_recorded(edited: Project) -> None:
    """Though both have one name; each command shows its own."""
    (edited.folder.parent / "quick").touch()
    rates = (0.3, 0.4)
    options = ("--name", "same", "--json", "--quiet")
    both = [
        start(
            ("crivo", "try", f"models.boosting.learning_rate={rate}", *options),
            edited.folder,
            edited.folder.parent,
        )
        for rate in rates
    ]
    words = [finish(one)[1] for one in both]
    found = [json.JSONDecoder().raw_decode(text[text.index("{") :])[0] for text in words]
    assert {one["experiment"] for one in found} == {"same", "same-2"}
    for one, rate in zip(found, rates, strict=True):
        assert one["changed"].startswith(f"learning_rate={rate}")
    refs = experiments(edited.folder)
    assert len(refs) == 2
    for ref in refs:
        assert edited.git("show", f"{ref}:src/train.py").endswith("# mine")
        assert edited.git("show", f"{ref}:src/helper.py") == "# mine"
