"""`crivo upgrade` on a small project: what it does, what it refuses, and what it says."""

import hashlib
import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from tests.crivo.project.wheels import FILES as PLACE
from tests.crivo.project.wheels import adding, packed, wheel_of

from crivo.core.errors import CrivoError
from crivo.core.git import git
from crivo.project.contents import new_files
from crivo.project.upgrade import read_release, read_wheel, upgrade
from crivo.project.wheel import Wheel

# A wheel says itself which files a project has: this one by a list.
CONTENTS = """\
import json, sys
from pathlib import Path

title, wheel, folder = sys.argv[1:]
for path, text in json.loads({files!r}).items():
    place = Path(folder, path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text.replace("TITLE", title))
Path(folder, "vendor").mkdir(exist_ok=True)
Path(folder, "vendor", Path(wheel).name).write_bytes(Path(wheel).read_bytes())
"""
PIPELINE = """\
stages:
  train: {cmd: python src/train.py, deps: [src/train.py], outs: [a.csv]}
  score: {cmd: python src/evaluate.py, deps: [src/evaluate.py], outs: [b.csv]}
  plot: {cmd: python src/plot.py, deps: [src/evaluate.py], outs: [c.csv]}
"""
TOLD = Path(__file__).with_name("upgrade.txt").read_text(encoding="utf-8")
DRY_RUN, CONFLICTS = TOLD.split("---\n")
FILES = {
    ".dvc/config": "",
    ".dvc/.gitignore": "/config.local\n/tmp\n/cache\n",
    "dvc.yaml": PIPELINE,
    "params.yaml": "model: forest\n",
    "README.md": "# TITLE\n\nText\n",
    "pyproject.toml": '[project]\nname = "TITLE"\n',
    "vendor/CHANGELOG.md": "# News\n\n- old\n",
    "Makefile": "all:\n",
    ".gitignore": "/.dvc/tmp\n.*.part\n",
    "src/train.py": "A = 1\n",
    "src/evaluate.py": "A = 1\n\n\n\nB = 1\n",
    "src/blocks/models/forest.py": "B = 1\n",
    "src/blocks/models/linear.py": "C = 1\n",
}


def small_wheel(version: str, files: dict[str, str], first: str = "") -> Wheel:
    code = first + CONTENTS.format(files=json.dumps(files))
    names = {"crivo/__init__.py": "", "crivo/project/__init__.py": ""}
    names["crivo/project/files/dvc.yaml"] = re.sub(r"deps: \[.*?\]", "deps: []", PIPELINE)
    names |= {"crivo/project/contents.py": code, f"crivo-{version}.dist-info/METADATA": version}
    return packed({name: text.encode() for name, text in names.items()})


def locked(wheel: Wheel) -> str:
    pin = f"./vendor/{wheel.name} \\\n    --hash=sha256:{wheel.sha256}\n"
    return f"{pin}    # via churn (pyproject.toml)\n"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Answer DVC's commands: `plot` is not up to date."""
    commands: list[str] = []

    def dvc(folder: Path, *words: str) -> str:
        commands.append(" ".join(words))
        return '{"plot": ["changed deps"]}'

    monkeypatch.setattr("crivo.project.upgrade.dvc", dvc)
    return commands


@pytest.fixture
def project(tmp_path: Path, asked: list[str]) -> Path:
    """Give a committed project of the first wheel."""
    wheel, folder = small_wheel("1", FILES), tmp_path / "folder"
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
    files |= {"src/train.py": "A = 2\n", "tests/project/test_new.py": "N = 1\n", ".a.part": ""}
    files["vendor/CHANGELOG.md"] = "# News\n\n- new\n- old\n"
    return saved(tmp_path, small_wheel("2", files))


def saved(folder: Path, wheel: Wheel) -> Path:
    (folder / wheel.name).write_bytes(wheel.content)
    return folder / wheel.name


def commit(project: Path) -> None:
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "Change something")


def told(said: list[str]) -> str:
    return re.sub(r"[0-9a-f]{64}", "HASH", "\n".join([*said, ""]))


def status(project: Path) -> list[str]:
    return git(project, "status", "--porcelain", "--untracked-files=all").splitlines()


def test_files_follow_and_a_block_in_use_stays(
    project: Path, second: Path, asked: list[str]
) -> None:
    assert upgrade(project, second, print) == []
    assert asked == ["status --json score plot", "commit --quiet --force score"]
    assert (project / "src/train.py").read_text() == "A = 2\n"
    assert (project / "tests/project/test_new.py").read_text() == "N = 1\n"
    assert (project / ".a.part").is_file()  # what git ignores comes as well
    assert (project / "src/blocks/models/forest.py").exists()
    assert not (project / "src/blocks/models/linear.py").exists()
    assert {one.name for one in (project / "vendor").iterdir()} == {second.name, "CHANGELOG.md"}


def test_deleted_and_edited_files_stay_so_and_git_undoes_it(project: Path, tmp_path: Path) -> None:
    script, linear = project / "src/evaluate.py", project / "src/blocks/models/linear.py"
    script.unlink()
    linear.write_text("C = 3\n")
    (project / "pyproject.toml").unlink()
    readme = project / "README.md"
    readme.write_text(readme.read_text().replace("churn", "folder"))
    commit(project)
    files = FILES | {"src/evaluate.py": "A = 2\n", "README.md": "# TITLE\n\nOther\n"}
    del files["src/blocks/models/linear.py"]
    assert upgrade(project, saved(tmp_path, small_wheel("2", files)), print) == []
    assert (script.exists(), linear.read_text()) == (False, "C = 3\n")
    assert readme.read_text() == "# folder\n\nOther\n"  # known by its folder without a name
    git(project, "reset", "--hard", "--quiet")
    assert status(project) == []


def test_lines_that_both_sides_changed_are_named(project: Path, tmp_path: Path) -> None:
    for path, text in (("params.yaml", "model: linear\n"), ("src/train.py", "A = 3\n")):
        (project / path).write_text(text)
    commit(project)
    files = FILES | {"params.yaml": "model: boosting\n", "src/train.py": "A = 2\n"}
    wheel, said = saved(tmp_path, small_wheel("2", files)), list[str]()
    assert upgrade(project, wheel, said.append) == ["params.yaml", "src/train.py"]
    assert told(said) == CONFLICTS


def test_a_project_in_a_folder_of_a_repository_is_upgraded(project: Path, second: Path) -> None:
    inner = project / "inner"
    inner.mkdir()
    for path in [path for path in project.iterdir() if path.name not in (".git", "inner")]:
        path.rename(inner / path.name)
    commit(project)
    assert upgrade(inner, second, print) == []
    assert (inner / "src/train.py").read_text() == "A = 2\n"
    assert {line[3:9] for line in status(project)} == {"inner/"}


def test_only_the_wheel_that_was_asked_for_is_run(project: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    odd = saved(tmp_path, small_wheel("2", FILES, first="raise ValueError('odd')\n"))
    with pytest.raises(CrivoError, match="can't say which files a project has: ValueError: odd"):
        upgrade(project, odd, print)
    marking = f"from pathlib import Path\nPath({str(ran)!r}).touch()\n"
    wheel = saved(tmp_path, small_wheel("2", FILES, first=marking))
    with pytest.raises(CrivoError, match="it isn't that wheel, and no code from it was run"):
        upgrade(project, wheel, print, sha256="0" * 64)
    assert not ran.exists()
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest().upper()
    assert upgrade(project, wheel, print, sha256=digest) == []
    assert ran.exists()


def test_a_dry_run_says_all_and_changes_nothing(project: Path, second: Path) -> None:
    said: list[str] = []
    upgrade(project, second, said.append, dry_run=True)
    assert told(said) == DRY_RUN
    assert status(project) == []
    assert git(project, "worktree", "list").count("\n") == 1
    (project / "dvc.yaml").write_text("stages: 1\n")
    commit(project)
    with pytest.raises(CrivoError, match="^dvc.yaml: "):
        upgrade(project, second, print, dry_run=True)


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("requirements.txt", "pandas==3.0\n", "names no wheel of crivo"),
        ("requirements.txt", None, "names no wheel of crivo"),
        ("vendor/crivo-1-py3-none-any.whl", None, "can't be read"),
        ("vendor/crivo-1-py3-none-any.whl", "other", "is not"),
        ("Makefile", "all: mine\n", "Some files differ from the last commit: Makefile"),
        ("src/é 1.py", "", "Some files differ from the last commit: src/é 1.py. Commit"),
        ("dvc.yaml", None, "no dvc.yaml"),
        ("params.yaml", None, "no dvc.yaml or params.yaml here"),
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
        upgrade(project, second, print)


def test_the_same_crivo_again_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = project / "vendor/crivo-1-py3-none-any.whl"
    said = r"^The project already has this crivo \(crivo-1-py3-none-any.whl\)"
    with pytest.raises(CrivoError, match=rf"{said}\.$"):
        upgrade(project, wheel, print)
    running = Wheel(wheel.name, wheel.read_bytes())
    monkeypatch.setattr("crivo.project.upgrade.running_wheel", lambda: running)
    with pytest.raises(CrivoError, match=rf"{said}; give the file of a newer one\.$"):
        upgrade(project, None, print)


def test_a_wheel_says_its_files_with_nothing_installed(tmp_path: Path) -> None:
    wheel = wheel_of("7.0", {f"{PLACE}/Makefile": adding("# seven\n")})
    found = read_release(wheel, "Churn", tmp_path / "seven")
    written = [path for path in found.files.rglob("*") if path.is_file()]
    files = {path.relative_to(found.files).as_posix(): path.read_bytes() for path in written}
    assert files["Makefile"].endswith(b"# seven\n")
    assert files[f"vendor/{wheel.name}"] == wheel.content
    assert files.keys() == new_files("Churn", wheel).keys()
    assert files["pyproject.toml"] == new_files("Churn", wheel)["pyproject.toml"]


def test_what_is_no_wheel_of_crivo_is_refused(tmp_path: Path) -> None:
    empty = packed({"crivo/__init__.py": b"# code", "crivo-2.dist-info/METADATA": b""})
    names = ("pandas-3-py3-none-any.whl", "crivo-2-none-any.whl", "crivo-2-py3-none-any.zip")
    for name, content in ((empty.name, b"damaged"), *((name, empty.content) for name in names)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(CrivoError, match="is not a wheel of crivo"):
            read_wheel(tmp_path / name)
    damaged = Wheel(empty.name, empty.content.replace(b"# code", b"# core"))
    with pytest.raises(CrivoError, match="^crivo-2-py3-none-any.whl can't be unpacked: Bad CRC"):
        read_release(damaged, "Churn", tmp_path / "damaged")
    with pytest.raises(CrivoError, match="can't be read"):
        read_wheel(tmp_path / "missing.whl")
    with pytest.raises(CrivoError, match="can't say which files a project has"):
        read_release(empty, "Churn", tmp_path / "empty")


def test_a_wheel_that_unpacks_to_hundreds_of_megabytes_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name in ("crivo/__init__.py", "other/table.bin"):
            file.writestr(name, bytes(51 * 2**20))
    wheel = Wheel("crivo-2-py3-none-any.whl", buffer.getvalue())
    assert len(wheel.content) < 2**20
    with pytest.raises(CrivoError, match="unpacks to more than 100 MB"):
        read_release(wheel, "Churn", tmp_path / "large")
    assert not (tmp_path / "large/library").exists()
