"""An experiment whose files DVC can't read is refused; it would end some commands by a crash."""

import pytest

from crivo.core.errors import CrivoError
from crivo.sharing import share
from tests.crivo.sharing.mini import Mini

# The model, two plots and their listing, one raw file and its listing.
FILES = 6
DEEP = "[" * 200_000


def malformed(mini: Mini, path: str, content: str) -> None:
    """Record an experiment `bad`, one file of which is something else."""
    mini.write(path, content)
    mini.git("add", "--force", path)
    tree, head = mini.git("write-tree"), mini.git("rev-parse", "HEAD")
    commit = mini.git("commit-tree", tree, "-p", head, "-m", "Bad")
    mini.git("update-ref", f"refs/exps/{head[:2]}/{head[2:]}/bad", commit)
    mini.git("reset", "--quiet", "--hard")


@pytest.mark.parametrize("path", ["dvc.lock", "dvc.yaml", "params.yaml", "raw.dvc", "b/c.dvc"])
@pytest.mark.parametrize("content", [DEEP, "outs: hi\nstages: hi"])
def test_a_malformed_experiment_is_refused_and_the_others_are_shared(
    mini: Mini, path: str, content: str
) -> None:
    (mini.folder / "b").mkdir()
    malformed(mini, path, content)
    if path == "params.yaml" and content != DEEP:
        # What DVC reads of settings is recorded in dvc.lock.
        assert share("bad", folder=mini.folder).files == FILES
    else:
        with pytest.raises(CrivoError, match=f"{path}|has no record of"):
            share("bad", folder=mini.folder)
    assert share("trial", folder=mini.folder).name == "trial"
