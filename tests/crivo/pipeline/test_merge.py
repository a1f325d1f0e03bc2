"""Two people change settings on two branches: what the page says brings the branches together."""

import re
import shutil
from pathlib import Path

from tests.crivo.pipeline.pages import commands_of
from tests.crivo.pipeline.project import ROOT, Project
from tests.crivo.provenance.toy import plant

PAGE = (ROOT / "docs/team.md").read_text(encoding="utf-8")
(SECTION,) = re.findall(r"^## When two changes meet\n(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)
SETTINGS = """\
seed: 1
# Lines between, as in a longer file: git merges the two changes.
#
rate: 1
"""


def change(project: Project, old: str, new: str) -> None:
    """Change a setting, run the pipeline and commit the result."""
    project.replace("params.yaml", old, new)
    project.dvc("repro")
    project.commit(new)


def test_the_commands_of_the_page_end_with_everything_clean(
    finished_toy: Project, tmp_path: Path
) -> None:
    project = Project(tmp_path / "toy")
    shutil.copytree(finished_toy.folder, project.folder, symlinks=True)
    project.write("params.yaml", SETTINGS)
    project.replace("dvc.yaml", "params: [seed]", "params: [seed, rate]")
    plant(project, 'value *= yaml.safe_load(open("params.yaml"))["rate"]')
    project.dvc("repro")
    project.commit("Add a setting")
    project.git("branch", "theirs")
    change(project, "seed: 1", "seed: 2")
    project.git("checkout", "--quiet", "theirs")
    project.dvc("checkout")
    change(project, "rate: 1", "rate: 3")
    project.git("checkout", "--quiet", "main")
    project.dvc("checkout")

    merge, *rest = commands_of(SECTION)
    assert "CONFLICT (content): Merge conflict in dvc.lock" in project.run(
        *merge.split(), fails=True
    )
    project.dvc("status", fails=True)  # DVC can't read a file with both sides in it
    project.run("bash", "-ec", "\n".join(rest))

    assert project.status() == ""
    assert "up to date" in project.dvc("status")
    assert len(project.git("log", "-1", "--format=%P").split()) == 2
    assert float(project.read("models/model.skops")) == (0.5 + 0.02) * 3
    lock = project.read("dvc.lock")
    assert lock not in (project.git("show", f"{side}:dvc.lock") for side in ("HEAD^1", "HEAD^2"))
