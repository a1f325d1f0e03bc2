"""Does a stage notice that it runs in another environment than the lock's?"""

import hashlib
import json
import sys
import zipfile
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.runtime import environment

LOCK = Path(__file__).with_name("lock.txt").read_text()


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "requirements.txt"
    path.write_text(LOCK)
    return path


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Make the named folders all that is installed."""
    monkeypatch.delenv("CRIVO_ENVIRONMENT", raising=False)

    def installing(*folders: str) -> None:
        site = tmp_path / "site-packages"
        for name in folders:
            (site / name).mkdir(parents=True)
            version = name.removesuffix(".dist-info").rpartition("-")[2]
            (site / name / "METADATA").write_text(f"Version: {version}\n")
        monkeypatch.setattr(sys, "path", [str(tmp_path / "missing"), str(site)])

    return installing


AS_LOCKED = ("alpha-1.0.dist-info", "ruamel.yaml-0.18.6.dist-info", "forked-2.5.dist-info")


def test_missing_lock_is_told(tmp_path):
    with pytest.raises(CrivoError, match=r"There is no lock .*make lock"):
        environment.lock_differences(tmp_path / "requirements.txt")


@pytest.mark.parametrize("line", ["alpha>=1.0", "a==1.0,!=1.1", "not a line", "./vendor/odd.whl"])
def test_line_that_pins_nothing_is_told(lock, line):
    lock.write_text(f"{line} \\\n    --hash=sha256:00\n")
    with pytest.raises(CrivoError, match="expected a lock"):
        environment.lock_differences(lock)


def test_other_and_missing_versions_are_named(lock, install):
    install("alpha-1.1.dist-info", "forked-2.5.dist-info")
    expected = ["alpha is 1.1 (locked 1.0)", "ruamel-yaml is missing (locked 0.18.6)"]
    assert environment.lock_differences(lock) == expected
    assert environment.environment_state(lock) == {"environment": "differs"}


def test_stage_refuses_another_environment_and_says_how_to_mend_it(lock, install):
    install("alpha-1.1.dist-info", "ruamel_yaml-0.18.6.dist-info", "forked-2.5.dist-info")
    lock.write_text(LOCK + "".join(f"{name}==1 \\\n    --hash=sha256:00\n" for name in "xyz"))
    with pytest.raises(CrivoError) as refusal:
        environment.require_locked_environment(lock)
    said = str(refusal.value)
    assert "alpha is 1.1 (locked 1.0), x is missing (locked 1), y is missing (locked 1)" in said
    assert "1 more" in said
    assert "-m pip install --require-hashes -r" in said


def test_switch_turns_the_refusal_into_a_warning(lock, install, monkeypatch, capsys):
    install("alpha-1.1.dist-info")
    monkeypatch.setenv("CRIVO_ENVIRONMENT", "warn")
    environment.require_locked_environment(lock)
    told = capsys.readouterr()
    assert told.err.startswith("Warning: This environment differs")
    assert told.out == ""


def test_misspelt_switch_is_told(lock, install, monkeypatch):
    install(*AS_LOCKED)
    monkeypatch.setenv("CRIVO_ENVIRONMENT", "wran")
    with pytest.raises(CrivoError, match="'wran'; expected `warn`"):
        environment.require_locked_environment(lock)


def test_pandas_computes_with_no_package_that_the_lock_does_not_name():
    import pandas as pd

    names = ("compute.use_bottleneck", "compute.use_numexpr")
    with environment.locked_packages_only():
        assert [pd.get_option(name) for name in names] == [False, False]


# ---- A package that is locked as a file: which wheel is installed?

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
    (info / "METADATA").write_text("Name: my-lib\nVersion: 1.2\n")
    (info / "direct_url.json").write_text(json.dumps(noted))
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    monkeypatch.chdir(project)
    monkeypatch.delenv("CRIVO_ENVIRONMENT", raising=False)
    return project


def test_another_wheel_of_the_same_version_is_told_before_any_work(project: Path) -> None:
    environment.require_locked_environment()
    assert environment.environment_state() == {"environment": "locked"}
    text = (project / "requirements.txt").read_text()
    (project / "requirements.txt").write_text(f"{text[:-4]}abc\n")
    with pytest.raises(
        CrivoError, match=r"my-lib was installed from a file other than .* vendor/m"
    ):
        environment.require_locked_environment()


def test_an_installer_that_notes_no_hash_is_believed_its_version(project: Path) -> None:
    (Path(sys.path[0]) / "my_lib-1.2.dist-info/direct_url.json").unlink()
    environment.require_locked_environment()
