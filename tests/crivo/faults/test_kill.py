"""`crivo share` that is killed at random moments, or run twice at once.

CRIVO_KILLS=30 kills it thirty times, at other moments each time.
"""

import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crivo.faults.killing import finish, kill, start
from tests.crivo.faults.sound import experiments, wrong
from tests.crivo.pipeline.project import ROOT
from tests.crivo.sharing.mini import CONFIG, Mini, make_mini

TIMES = int(os.environ.get("CRIVO_KILLS", "0"))
SHARE = ("crivo", "share", "trial")

pytestmark = pytest.mark.pipeline


@pytest.fixture(scope="session")
def copy_to(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Give what copies a project with its bare repository and remote to a new folder."""
    made = make_mini(tmp_path_factory.mktemp("mini"))
    shutil.copy(ROOT / ".gitignore", made.folder / ".git/info/exclude")

    def copy_to(parent: Path) -> Path:
        shutil.copytree(made.folder.parent, parent, symlinks=True)
        project = Mini(parent / made.folder.name, parent / "store")
        project.write(".dvc/config.local", CONFIG.format(store=project.store))
        return project.folder

    return copy_to


def shared(folder: Path) -> tuple[list[str], list[str]]:
    """Return what arrived: experiments, and files in the remote."""
    store = folder.parent / "store"
    files = sorted(path.name for path in store.rglob("*") if path.is_file())
    return experiments(folder.parent / "hub.git"), files


@pytest.mark.plain_path
@pytest.mark.timeout(300 + 60 * TIMES)
def test_what_is_killed_leaves_nothing_wrong_and_comes_out_the_same(
    copy_to: Callable[[Path], Path], tmp_path: Path
) -> None:
    whole = copy_to(tmp_path / "undisturbed")
    beginning = time.monotonic()
    assert finish(start(SHARE, whole, tmp_path))[0] == 0
    seconds = time.monotonic() - beginning
    rng = random.Random(None if TIMES else "share")
    for number in range(TIMES or 1):
        folder = copy_to(tmp_path / f"killed-{number}")
        moment = rng.uniform(0.2, 1) * seconds
        kill(start(SHARE, folder, tmp_path), moment)
        assert wrong(folder) == [], f"killed after {moment} s"
        status, words = finish(start(SHARE, folder, tmp_path))
        assert status == 0, words
        assert wrong(folder) == []
        assert shared(folder) == shared(whole), f"killed after {moment} s"


def test_two_at_once_leave_nothing_wrong(copy_to: Callable[[Path], Path], tmp_path: Path) -> None:
    folder = copy_to(tmp_path / "all")
    both = [start(SHARE, folder, tmp_path) for _ in range(2)]
    ends = [finish(one) for one in both]
    assert 0 in [status for status, _ in ends], ends
    for status, words in ends:
        assert "Traceback" not in words
        assert status == 0 or "Unable to acquire lock" in words or "busy" in words, words
    assert wrong(folder) == []
    assert finish(start(SHARE, folder, tmp_path))[0] == 0
    assert wrong(folder) == []
    assert len(shared(folder)[0]) == 1
