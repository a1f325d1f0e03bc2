"""A command imports what it needs: what only says something starts in a tenth of a second."""

import pytest

from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.tried import MAIN
from tests.crivo.processes import SRC, python

HEAVY = {"pandas", "numpy", "scipy", "sklearn", "skops", "pyarrow", "dvc"}
DVC = {"dvc", "scmrepo", "hydra", "omegaconf", "pygit2", "dulwich", "gto"}
# Runs the command line, and says at its end what was imported.
PROBE = """\
import atexit, sys
sys.argv[0] = "crivo"
from crivo.cli import main
atexit.register(lambda: sys.stderr.write(" ".join(["IMPORTED", *sys.modules])))
main()
"""
SHELL = {"_CRIVO_COMPLETE": "complete_bash", "COMP_WORDS": "crivo compare ma", "COMP_CWORD": "2"}


@pytest.mark.parametrize(
    ("arguments", "variables", "without"),
    [
        (["--version"], {}, HEAVY),
        (["compare", "--help"], {}, HEAVY),
        (["comapre"], {}, HEAVY),
        ([], SHELL, HEAVY),
        ([], SHELL | {"COMP_WORDS": "crivo try model=bo"}, HEAVY),
        (["trace", "HEAD"], {}, {"sklearn", "skops"} | DVC),
        # What was recorded is compared on a machine that has no DVC.
        (["compare", "HEAD"], {}, DVC),
        (["board"], {}, DVC),
    ],
    ids=["version", "help", "misspelt", "completion", "settings", "trace", "compare", "board"],
)
def test_a_command_imports_only_what_it_needs(
    project: Project, arguments: list[str], variables: dict[str, str], without: set[str]
) -> None:
    project.commit(MAIN)
    (project.folder / ".dvc").mkdir()
    told = {"PYTHONPATH": str(SRC), "TERM": "dumb"} | variables
    done = python("-c", PROBE, *arguments, folder=project.folder, **told)
    said, _, names = done.stderr.partition("IMPORTED")
    assert names, said
    assert {name.partition(".")[0] for name in names.split()} & without == set()
