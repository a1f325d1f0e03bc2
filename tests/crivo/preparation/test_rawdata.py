"""Raw data are verified against the last commit, whatever DVC has made of its file since."""

import hashlib
import subprocess
from pathlib import Path

import pytest
import yaml
from dvc_data.hashfile.hash_info import HashInfo
from dvc_data.hashfile.tree import Tree

from crivo.core.errors import CrivoError
from crivo.preparation.rawdata import verify_raw


class Repository:
    """A git repository with raw files, whose `.dvc` file is written as DVC writes it."""

    def __init__(self, root: Path) -> None:
        self.root, self.raw = root, root / "data/raw/mine"
        self.dvc_file = self.raw.with_name("mine.dvc")
        self.git("init", "--quiet")
        (root / ".gitignore").write_text("/data/raw/mine\n/.dvc/cache\n")
        self.write("one.csv", "a\n1\n")
        self.write("deep/two.csv", "b\n2\n")

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.root, check=True)

    def write(self, name: str, text: str) -> None:
        path = self.raw / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def dvc_add(self) -> None:
        tree = Tree()
        for path in self.raw.rglob("*.csv"):
            md5 = hashlib.md5(path.read_bytes()).hexdigest()
            tree.add(path.relative_to(self.raw).parts, None, HashInfo("md5", md5))
        tree.digest()
        out = {"md5": tree.hash_info.value, "hash": "md5", "path": self.raw.name}
        self.dvc_file.write_text(yaml.safe_dump({"outs": [out]}))

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Keep the data")

    def verify(self) -> None:
        verify_raw(self.raw, self.dvc_file)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_a_single_file_is_verified_too(repository: Repository) -> None:
    file = repository.raw.with_name("table.csv")
    file.write_text("a\n1\n")
    out = {"md5": hashlib.md5(b"a\n1\n").hexdigest(), "path": "table.csv"}
    dvc_file = file.with_name("table.csv.dvc")
    dvc_file.write_text(yaml.safe_dump({"outs": [out]}))
    verify_raw(file, dvc_file)
    file.write_text("a\n2\n")
    with pytest.raises(CrivoError, match=r"table\.csv differs"):
        verify_raw(file, dvc_file)


def test_an_altered_folder_is_refused_with_both_ways_on(repository: Repository) -> None:
    repository.dvc_add()
    repository.commit()
    repository.write("one.csv", "a\n1\n\n")
    with pytest.raises(CrivoError, match=r"--granular.*delete .*mine, and run `crivo fetch`"):
        repository.verify()


def test_a_record_that_dvc_rewrote_does_not_count_until_it_is_committed(
    repository: Repository,
) -> None:
    repository.dvc_add()
    repository.commit()
    repository.verify()
    repository.write("one.csv", "a\n9\n")
    with pytest.raises(CrivoError, match=r"`dvc add .*mine` and commit .*mine\.dvc"):
        repository.verify()
    repository.dvc_add()  # as `dvc repro` does before it runs a stage
    repository.git("add", "--all")  # as `dvc exp run` does
    with pytest.raises(CrivoError, match=r"To keep the change, commit .*mine\.dvc"):
        repository.verify()
    repository.commit()
    repository.verify()


def test_a_record_that_was_never_committed_counts(repository: Repository) -> None:
    repository.dvc_add()
    repository.verify()
    repository.write("one.csv", "a\n9\n")
    with pytest.raises(CrivoError, match="differs"):
        repository.verify()
    for text in ("<<<<<<< HEAD\nouts:\n- md5: 1\n=======\n", "outs:\n- path: mine\n"):
        repository.dvc_file.write_text(text)  # in conflict, or without a hash
        with pytest.raises(CrivoError, match=r"mine\.dvc doesn't say which bytes mine must have"):
            repository.verify()


def test_outside_of_git_no_record_counts(repository: Repository) -> None:
    """DVC has written the file that lies there anew: it agrees with whatever the data are."""
    repository.dvc_add()
    repository.commit()
    (repository.root / ".git").rename(repository.root / "no-git")
    with pytest.raises(CrivoError, match=r"isn't in a git repository.*clone.*`git init`"):
        repository.verify()


def test_data_that_nobody_keeps_are_refused(repository: Repository) -> None:
    repository.commit()
    with pytest.raises(CrivoError, match=r"`dvc add .*mine` and commit .*mine\.dvc"):
        repository.verify()


def test_git_may_keep_the_data_itself(repository: Repository) -> None:
    (repository.root / ".gitignore").unlink()
    repository.commit()
    repository.verify()
    repository.write("one.csv", "a\n99\n")
    with pytest.raises(CrivoError, match=r"from the last commit \(data/raw/mine/one\.csv\)"):
        repository.verify()


def test_missing_data_are_told_with_what_brings_them(repository: Repository) -> None:
    with pytest.raises(CrivoError, match="is not there.*`crivo fetch`"):
        verify_raw(repository.raw.with_name("other"), repository.raw.with_name("other.dvc"))


def test_what_dvc_ignores_does_not_count(repository: Repository) -> None:
    repository.dvc_add()
    (repository.root / ".dvc").mkdir()
    (repository.root / ".dvcignore").write_text(".DS_Store\n")
    repository.commit()
    repository.write(".DS_Store", "left by a file manager")
    repository.verify()
    repository.write("more.csv", "not ignored")
    with pytest.raises(CrivoError, match="differs"):
        repository.verify()
