"""Two clones, a bare repository, a DVC remote: one shares an experiment, the other goes on with it.

The remote is a folder behind a real SSH server; the tutorial does the same with a folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crivo.pipeline.project import Project
from tests.crivo.sharing.ssh_server import ssh_server, sshd

NAME = "linear"


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Give the settings of a DVC remote: its address, and each user's own key."""
    if sshd() is None:
        pytest.skip("OpenSSH's server (sshd) is not installed")
    folder = tmp_path / "ssh"
    folder.mkdir()
    with ssh_server(folder) as server:
        yield {"url": server.url(tmp_path / "store"), "keyfile": str(server.key)}


@pytest.fixture
def ana(project: Project, remote: dict[str, str], tmp_path: Path) -> Project:
    """Give the clone of one who trained an experiment, and pushed what it started from."""
    project.git("clone", "--quiet", "--bare", ".", str(tmp_path / "hub.git"))
    project.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    project.dvc("remote", "add", "--default", "storage", remote["url"])
    use_key(project, remote)
    project.commit("Name the remote")
    project.git("push", "--quiet", "--set-upstream", "origin", "main")
    project.dvc("push")
    project.dvc("exp", "run", "--temp", "--name", NAME, "-S", "model=linear")
    return project


def use_key(project: Project, remote: dict[str, str]) -> None:
    """Name the key that opens the remote in this clone's own configuration."""
    project.dvc("remote", "modify", "--local", "storage", "keyfile", remote["keyfile"])


def crivo(project: Project, *command: str) -> str:
    return project.run("crivo", *command)


def digest(project: Project, path: str) -> str:
    return hashlib.sha256((project.folder / path).read_bytes()).hexdigest()


@pytest.mark.plain_path
def test_an_experiment_goes_from_one_clone_to_another(
    ana: Project, remote: dict[str, str], tmp_path: Path
) -> None:
    printed = crivo(ana, "share", NAME)
    assert f"{NAME} is shared" in printed
    assert "note:" not in printed

    bob = Project(tmp_path / "bob")
    ana.git("clone", "--quiet", str(tmp_path / "hub.git"), str(bob.folder))
    use_key(bob, remote)
    bob.dvc("pull")
    bob.dvc("exp", "pull", "origin", NAME)
    assert f"{NAME} " in crivo(bob, "compare", NAME)
    bob.dvc("exp", "apply", NAME)
    assert "up to date" in bob.dvc("status")
    assert "Running stage" not in bob.dvc("repro")

    ana.dvc("exp", "apply", NAME)
    for path in ("models/model.skops", "metrics/evaluation/predictions.parquet", "dvc.lock"):
        assert digest(bob, path) == digest(ana, path)
    assert "model: linear" in bob.read("params.yaml")
