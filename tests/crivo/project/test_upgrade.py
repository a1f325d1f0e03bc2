"""`crivo upgrade` on a small project: what it does, what it refuses, and what it says."""

import json
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.core.git import git
from crivo.project.upgrade import journal
from crivo.project.upgrade.run import upgrade
from crivo.project.wheel import Wheel, packed

# A wheel says itself which files a project has: this one by a list.
CONTENTS = """\
import json, sys
from pathlib import Path

title, wheel, folder = sys.argv[1:]
for path, text in json.loads({files!r}).items():
    place = Path(folder, path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text.replace("TITLE", title))
Path(folder, "vendor").mkdir()
Path(folder, "vendor", Path(wheel).name).write_bytes(Path(wheel).read_bytes())
"""
FILES = {
    "dvc.yaml": "stages: {}\n",
    "params.yaml": "model: forest\n",
    "README.md": "# TITLE\n\nText\n",
    "Makefile": "all:\n",
    ".gitignore": "/.dvc/tmp\n.*.part\n",
    "src/train.py": "A = 1\n",
    "src/blocks/models/forest.py": "B = 1\n",
    "src/blocks/models/linear.py": "C = 1\n",
}


def small_wheel(version: str, files: dict[str, str]) -> Wheel:
    code = CONTENTS.format(files=json.dumps(files))
    names = {"crivo/__init__.py": "", "crivo/project/__init__.py": ""}
    names |= {"crivo/project/contents.py": code, f"crivo-{version}.dist-info/METADATA": version}
    return packed({name: text.encode() for name, text in names.items()})


def locked(wheel: Wheel) -> str:
    pin = f"./vendor/{wheel.name} \\\n    --hash=sha256:{wheel.sha256}\n"
    return f"{pin}    # via churn (pyproject.toml)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Give a committed project of the first wheel."""
    wheel, folder = small_wheel("1", FILES), tmp_path / "churn"
    files = {path: text.replace("TITLE", "churn").encode() for path, text in FILES.items()}
    files |= {f"vendor/{wheel.name}": wheel.content, "requirements.txt": locked(wheel).encode()}
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


@pytest.fixture
def second(tmp_path: Path) -> Path:
    """Give a wheel with another stage script, a new file, and fewer blocks."""
    files = {path: text for path, text in FILES.items() if "blocks" not in path}
    files |= {"src/train.py": "A = 2\n", "tests/project/test_new.py": "N = 1\n"}
    return saved(tmp_path, small_wheel("2", files))


def saved(folder: Path, wheel: Wheel) -> Path:
    (folder / wheel.name).write_bytes(wheel.content)
    return folder / wheel.name


def commit(project: Path) -> None:
    who = ("-c", "user.name=T", "-c", "user.email=t@example.org")
    git(project, "add", "--all")
    git(project, *who, "commit", "--quiet", "--message", "Change something")


def silent(_: str) -> None:
    pass


def test_files_follow_and_a_block_in_use_stays(project: Path, second: Path) -> None:
    assert upgrade(project, second, silent) == []
    assert (project / "src/train.py").read_text() == "A = 2\n"
    assert (project / "tests/project/test_new.py").read_text() == "N = 1\n"
    assert (project / "src/blocks/models/forest.py").exists()
    assert not (project / "src/blocks/models/linear.py").exists()
    assert [path.name for path in (project / "vendor").iterdir()] == [second.name]


def test_of_a_conflict_both_versions_are_there(project: Path, second: Path) -> None:
    (project / "src/train.py").write_text("A = 3\n")
    commit(project)
    assert upgrade(project, second, silent) == ["src/train.py"]
    assert (project / "src/train.py").read_text() == "A = 3\n"
    assert (project / "src/train.py.new").read_text() == "A = 2\n"


def test_code_of_the_team_that_the_new_library_does_not_fit_is_named(
    project: Path, second: Path
) -> None:
    lines = [
        "import crivo.gone",
        "from crivo.gone.parts import part",
        "from crivo import old, project",
        "from crivo.project import *",
        "from crivo.project.contents import files, title, old as new",
        "from .beside import old",
    ]
    (project / "src/train.py").write_text("\n".join(lines))
    (project / "src/blocks/models/forest.py").write_text("from crivo.project import contents\n")
    (project / "src/blocks/models/broken.py").write_text("def")
    commit(project)
    said: list[str] = []
    upgrade(project, second, said.append, dry_run=True)
    _, missing = said[0].split(
        "Code that doesn't fit the new crivo; change it before you run it:\n"
    )
    assert missing.splitlines() == [
        "  src/train.py: there is no crivo.gone",
        "  src/train.py: there is no crivo.gone.parts",
        "  src/train.py: there is no `old` in crivo",
        "  src/train.py: there is no `files` in crivo.project.contents",
        "  src/train.py: there is no `old` in crivo.project.contents",
    ]
    (project / "src/train.py").write_text("A = 1\n")
    commit(project)
    upgrade(project, second, said.append)
    assert "doesn't fit" not in said[1]


def test_a_dry_run_says_all_and_changes_nothing(project: Path, second: Path) -> None:
    said: list[str] = []
    upgrade(project, second, said.append, dry_run=True)
    assert "  replaced  src/train.py" in said[0].splitlines()
    assert journal.changed_files(project) == []


def test_a_pipeline_that_does_not_fit_the_settings_is_a_conflict(
    project: Path, tmp_path: Path
) -> None:
    other = "stages:\n  one:\n    cmd: python src/train.py ${extra}\n"
    wheel = saved(tmp_path, small_wheel("2", FILES | {"dvc.yaml": other}))
    assert upgrade(project, wheel, silent) == ["dvc.yaml"]
    assert (project / "dvc.yaml").read_text() == FILES["dvc.yaml"]
    assert (project / "dvc.yaml.new").read_text() == other


def test_a_pipeline_that_dvc_cannot_read_is_refused(project: Path, second: Path) -> None:
    (project / "dvc.yaml").write_text("stages: 1\n")
    commit(project)
    with pytest.raises(CrivoError, match="dvc.yaml can't be read"):
        upgrade(project, second, silent)


def test_the_same_wheel_again_is_refused(project: Path) -> None:
    (wheel,) = (project / "vendor").iterdir()
    with pytest.raises(CrivoError, match="has this crivo already"):
        upgrade(project, wheel, silent)


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("requirements.txt", "pandas==3.0\n", "names no wheel of crivo"),
        ("vendor/crivo-1-py3-none-any.whl", None, "can't be read"),
        ("vendor/crivo-1-py3-none-any.whl", "other", "is not"),
        ("Makefile", "all: mine\n", "Makefile is not as in the last commit"),
        ("dvc.yaml", None, "no dvc.yaml"),
    ],
)
def test_what_can_t_be_upgraded_is_refused_in_a_sentence(
    project: Path, second: Path, path: str, text: str | None, message: str
) -> None:
    if text is None:
        (project / path).unlink()
    else:
        (project / path).write_text(text)
    with pytest.raises(CrivoError, match=message):
        upgrade(project, second, silent)


def test_another_upgrade_waits_until_the_stopped_one_is_finished(
    project: Path, second: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("crivo.project.upgrade.run.put_in_place", lambda *_: None)
        upgrade(project, second, silent)
    (project / "src/train.py").write_text("A = 2\n")  # the first file was in place
    with pytest.raises(CrivoError, match=f"upgrade to {second.name} was stopped"):
        upgrade(project, saved(tmp_path, small_wheel("3", FILES)), silent)
    upgrade(project, None, silent)
    assert (project / "tests/project/test_new.py").exists()
