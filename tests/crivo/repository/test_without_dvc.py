"""What was recorded is compared, traced and verified on a machine that has no DVC."""

import json
from collections.abc import Sequence
from pathlib import Path

from tests.crivo.experiments.repository import Project
from tests.crivo.processes import SRC, python

COMMANDS = (
    ("compare", "HEAD", "--against", "slow"),
    ("trace", "models/model.skops"),
    ("trace", "slow"),
    ("board",),
)

# DVC, its parts and what comes with it: without DVC nobody installs them.
SCRIPT = """
import json, sys
GONE = ("dvc", "scmrepo", "hydra", "omegaconf", "pygit2", "dulwich", "gto")
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(GONE):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Gone())
try:
    import dvc
except ModuleNotFoundError:
    pass
else:
    raise SystemExit("DVC is there")
from typer.testing import CliRunner
from crivo.cli import app
done = [CliRunner().invoke(app, list(command)) for command in json.loads(sys.argv[1])]
print(json.dumps([[one.exit_code, one.output] for one in done]))
"""


def results(folder: Path, *commands: Sequence[str]) -> list[tuple[int, str]]:
    """Return the exit status and the output of each command without DVC."""
    done = python("-c", SCRIPT, json.dumps(commands), folder=folder, PYTHONPATH=str(SRC))
    assert done.returncode == 0, done.stderr
    return [(status, output) for status, output in json.loads(done.stdout.splitlines()[-1])]


def test_recorded_results_are_read_without_dvc(toy: Project) -> None:
    head = toy.head()
    commit = toy.git("commit-tree", "HEAD^{tree}", "-p", head, "-m", "A slow one")
    toy.git("update-ref", f"refs/exps/{head[:2]}/{head[2:]}/slow", commit)
    found = results(toy.folder, *COMMANDS)
    assert [status for status, _ in found] == [0] * len(COMMANDS), found
    assert "main" in found[0][1]
    assert "models/model.skops" in found[1][1]
