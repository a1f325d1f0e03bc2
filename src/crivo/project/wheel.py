"""Finds or builds the wheel of the running crivo, and finds the project files and pages in it.

It has the library, the documentation, and the files that a team's project starts with as they are
in the repository.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import crivo
from crivo.core.errors import CrivoError
from crivo.repository.git import Repository

# What a team owns; the wheel carries these files as they are in crivo's repository.
PROJECT = (
    "src/*.py",
    "src/blocks/**/*.py",
    "tests/__init__.py",
    "tests/project/**/*.py",
    "notebooks/*.ipynb",
    "dvc.yaml",
    "params.yaml",
    "metrics/incumbent.json",
    "Makefile",
    ".ci/run",
    ".github/workflows/ci.yml",
    ".gitignore",
    ".gitattributes",
    ".dvcignore",
    ".dvc/.gitignore",
    ".dvc/config",
    ".dvc/plots/*.json",
    ".dvc/plots/offline.html",
    "requirements.txt",
    "requirements/*.txt",
    "LICENSE",
    "AGENTS.md",
    "CHANGELOG.md",
    "data/raw/flights.dvc",
)
# The documentation, which `crivo docs` shows, and what its pages lead to.
PAGES = (
    "docs/[a-z]*.md",
    "docs/reference/*.md",
    "docs/decisions/*.md",
    "docs/assets/board.png",
    "docs/assets/report.png",
    "docs/examples/report.html",
    "docs/json-schema-2.json",
)
# Where the wheel has them.
FILES = "crivo/project/files"
SITE = Path(crivo.__file__).parents[1]
# Of files in a wheel that say no date: the first that a zip file knows.
EPOCH = "315532800"
BUILDING = "import sys, setuptools.build_meta as build; build.build_wheel(sys.argv[1])"


@dataclass(frozen=True)
class Wheel:
    """A wheel of crivo: its file name and its bytes."""

    name: str
    content: bytes

    @property
    def sha256(self) -> str:
        """The hash by which a lock pins it, in hexadecimal digits."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def version(self) -> str:
        """The version that its name says."""
        return self.name.split("-")[1]


def repository() -> Path | None:
    """Return crivo's own repository when the code that runs stands in it."""
    root = SITE.parent
    return root if SITE.name == "src" and (root / "pyproject.toml").is_file() else None


def shipped() -> Path:
    """Return the folder with a project's files and the pages.

    CrivoError: this crivo came without them.
    """
    root = repository() or SITE / FILES
    if not (root / "dvc.yaml").is_file():
        raise CrivoError(
            "This crivo was installed without a project's files and pages; install the wheel that "
            "`make wheel` makes in crivo's repository."
        )
    return root


def project_files(root: Path, patterns: Iterable[str] = PROJECT) -> list[str]:
    """Return the files of a project below `root`, sorted, as paths with slashes."""
    paths = {path for pattern in patterns for path in root.glob(pattern) if path.is_file()}
    return sorted(path.relative_to(root).as_posix() for path in paths)


def running_wheel() -> Wheel:
    """Return the wheel of the crivo that runs.

    CrivoError: it can't be built, or the file that was installed is missing or changed.
    """
    root = repository()
    return built(root) if root else installed()


def built(root: Path) -> Wheel:
    """Build the wheel from the files of crivo's repository that git tracks, as they are now."""
    with tempfile.TemporaryDirectory() as folder:
        copy, out = Path(folder, "copy"), Path(folder, "out")
        for path in filter(lambda path: (root / path).is_file(), Repository(root).files()):
            copy_file(root / path, copy / path)
        for path in project_files(copy, PROJECT + PAGES):
            copy_file(copy / path, copy / "src" / FILES / path)
        (copy / "MANIFEST.in").write_text(f"graft src/{FILES}\n", encoding="utf-8")
        command = [sys.executable, "-c", BUILDING, str(out)]
        env = os.environ | {"SOURCE_DATE_EPOCH": EPOCH}
        done = subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True)
        if done.returncode:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            raise CrivoError(f"The wheel of crivo could not be built: {last}")
        (made,) = out.glob("*.whl")
        return Wheel(made.name, made.read_bytes())


def installed() -> Wheel:
    """Return the wheel that the running crivo was installed from: the installer notes its place."""
    found = next(iter(distributions(name="crivo", path=[str(SITE)])), None)
    noted = json.loads((found and found.read_text("direct_url.json")) or "{}")
    place = Path(url2pathname(urlsplit(noted.get("url", "")).path))
    if place.suffix != ".whl" or not place.is_file():
        raise CrivoError(
            f"The wheel from which the crivo in {SITE} was installed no longer exists, so a "
            "project can't get it; install the one that `make wheel` makes in crivo's repository, "
            "and keep its file."
        )
    wheel = Wheel(place.name, place.read_bytes())
    if wheel.sha256 != noted.get("archive_info", {}).get("hashes", {}).get("sha256", wheel.sha256):
        raise CrivoError(
            f"{place} is not the file from which crivo was installed; install it again."
        )
    return wheel


def copy_file(source: Path, target: Path) -> None:
    """Copy a file, and make the folders that its copy needs."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def main() -> None:
    """Write the wheel into `dist`: `python -m crivo.project.wheel`."""
    wheel = running_wheel()
    path = Path("dist", wheel.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(wheel.content)
    print(f"{path}  {len(wheel.content):,} bytes  sha256 {wheel.sha256}")


if __name__ == "__main__":
    main()
