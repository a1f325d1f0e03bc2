"""An experiment whose files DVC can't read is refused."""

import pytest

from crivo.core.errors import CrivoError
from crivo.sharing import share
from tests.crivo.sharing.mini import Mini


def malformed(mini: Mini, path: str, content: str) -> None:
    """Record an experiment `bad`, one file of which is something else."""
    mini.write(path, content)
    mini.git("add", "--force", path)
    tree, head = mini.git("write-tree"), mini.git("rev-parse", "HEAD")
    commit = mini.git("commit-tree", tree, "-p", head, "-m", "Bad")
    mini.git("update-ref", f"refs/exps/{head[:2]}/{head[2:]}/bad", commit)
    mini.git("reset", "--quiet", "--hard")


@pytest.mark.parametrize("path", ["dvc.lock", "dvc.yaml", "raw.dvc", "b/c.dvc"])
def test_a_malformed_experiment_is_refused_and_the_others_are_shared(mini: Mini, path: str) -> None:
    (mini.folder / "b").mkdir()
    malformed(mini, path, "outs: hi\nstages: hi")
    with pytest.raises(CrivoError, match=f"{path}|has no record of"):
        share("bad", folder=mini.folder)
    assert share("trial", folder=mini.folder).name == "trial"
