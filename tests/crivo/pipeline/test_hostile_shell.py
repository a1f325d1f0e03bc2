"""What a user's shell or home says, or the number of cores, changes no byte of a result."""

import sys
from pathlib import Path

from tests.crivo.pipeline.project import Project
from tests.crivo.runtime.test_start import LIBRARIES, PYTHON

STAGES = ("prepare", "featurize", "train", "evaluate")


def test_every_stage_gives_the_same_bytes_in_any_shell_on_one_core(
    project: Project, tmp_path: Path
) -> None:
    """The stages are run as DVC runs them; DVC itself is asked in an ordinary shell."""
    home = tmp_path / "home"
    (home / ".config/matplotlib").mkdir(parents=True)
    (home / ".config/matplotlib/matplotlibrc").write_text("lines.linewidth: 7\n")
    shell = LIBRARIES | PYTHON | {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}
    one_core = ["taskset", "--cpu-list", "0"] if sys.platform == "linux" else []
    for stage in STAGES:
        project.run(*one_core, "python", f"src/{stage}.py", **shell)
    assert project.dvc("status") == "Data and pipelines are up to date.\n"
    assert project.status() == ""
