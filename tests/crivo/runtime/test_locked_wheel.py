"""A package that is locked as a file: which wheel is installed?"""

import hashlib
import json
import sys
import zipfile
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.runtime.environment import lock_differences, require_locked_environment

WHEEL = "vendor/my_lib-1.2-py3-none-any.whl"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a project with a wheel, and what an installer makes of it on the path."""
    project, site = tmp_path / "project", tmp_path / "site"
    (project / "vendor").mkdir(parents=True)
    with zipfile.ZipFile(project / WHEEL, "w") as file:
        file.writestr("my_lib/__init__.py", "ONE = 1")
        file.writestr("my_lib-1.2.dist-info/METADATA", "Name: my-lib")
    sha256 = hashlib.sha256((project / WHEEL).read_bytes()).hexdigest()
    (project / "requirements.txt").write_text(f"./{WHEEL} \\\n    --hash=sha256:{sha256}\n")
    info = site / "my_lib-1.2.dist-info"
    info.mkdir(parents=True)
    noted = {"archive_info": {"hashes": {"sha256": sha256}}, "url": "file:///"}
    (info / "direct_url.json").write_text(json.dumps(noted))
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    monkeypatch.chdir(project)
    monkeypatch.delenv("CRIVO_ENVIRONMENT", raising=False)
    return project


def site() -> Path:
    return Path(sys.path[0])


def test_the_installed_wheel_is_the_locked_one(project: Path) -> None:
    assert require_locked_environment() == "locked"


def test_a_wheel_of_another_version_is_told_before_any_work(project: Path) -> None:
    (site() / "my_lib-1.2.dist-info").rename(site() / "my_lib-1.1.dist-info")
    with pytest.raises(CrivoError, match=r"my-lib is 1\.1 \(locked 1\.2\)"):
        require_locked_environment()


def test_another_wheel_of_the_same_version_is_told_before_any_work(project: Path) -> None:
    text = (project / "requirements.txt").read_text()
    (project / "requirements.txt").write_text(f"{text[:-4]}abc\n")
    with pytest.raises(CrivoError, match=r"my-lib was installed from another file than .*whl"):
        require_locked_environment()


def test_an_installer_that_notes_no_hash_is_believed_its_version(project: Path) -> None:
    (site() / "my_lib-1.2.dist-info/direct_url.json").unlink()
    assert require_locked_environment() == "locked"


@pytest.mark.parametrize("line", [f"./{WHEEL}", "./vendor/strange.whl --hash=sha256:" + 64 * "a"])
def test_a_line_that_pins_no_wheel_is_told(project: Path, line: str) -> None:
    (project / "requirements.txt").write_text(f"{line}\n")
    with pytest.raises(CrivoError, match=r"The lock names vendor/"):
        lock_differences()
