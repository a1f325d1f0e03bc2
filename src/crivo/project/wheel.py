"""The wheel of the crivo that runs: built from its repository, or put together again.

It has the library, and the files that a team's project starts with as they are in the repository.

A wheel of ours has one form: files sorted, not compressed, no dates. So the same commit gives
the same bytes, and so does an installation of the wheel: nobody has to keep the file.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePosixPath

import crivo
from crivo.core.errors import CrivoError
from crivo.repository.git import run_git

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
# Where the wheel has them.
FILES = "crivo/project/files"
SITE = Path(crivo.__file__).parents[1]
# What an installer adds to a wheel's own description.
FROM_THE_WHEEL = ("METADATA", "WHEEL", "entry_points.txt", "top_level.txt")
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


def project_files(root: Path) -> list[str]:
    """Return the files of a project below `root`, sorted, as paths with slashes."""
    paths = {path for pattern in PROJECT for path in root.glob(pattern) if path.is_file()}
    return sorted(path.relative_to(root).as_posix() for path in paths)


def running_wheel() -> Wheel:
    """Return the wheel of the crivo that runs.

    CrivoError: it can't be built, or installed files are missing or changed.
    """
    root = repository()
    return built(root) if root else installed()


def built(root: Path) -> Wheel:
    """Build the wheel from the files of crivo's repository that git tracks, as they are now."""
    with tempfile.TemporaryDirectory() as folder:
        copy, out = Path(folder, "copy"), Path(folder, "out")
        tracked = _tracked(root)
        for path in tracked:
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / path, copy / path)
        command = [sys.executable, "-c", BUILDING, str(out)]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            raise CrivoError(f"The wheel of crivo could not be built: {last}")
        (made,) = out.glob("*.whl")
        with zipfile.ZipFile(made) as file:
            library = {name: file.read(name) for name in file.namelist()}
        return packed(
            library
            | {f"{FILES}/{path}": (copy / path).read_bytes() for path in project_files(copy)}
        )


def installed() -> Wheel:
    """Put the wheel together from the installed files, each verified by the installer's record."""
    # Not `files`, which leaves out those that are missing, from Python 3.12 on.
    crivo_distributions = [
        one for one in distributions(name="crivo", path=[str(SITE)]) if one.read_text("RECORD")
    ]
    if not crivo_distributions:
        raise CrivoError(
            f"The crivo in {SITE} was not installed from a wheel, so there is none to give to a "
            "project; install the one that `make wheel` makes in crivo's repository."
        )
    return packed(dict(_installed_files(crivo_distributions[0])))


def packed(files: Mapping[str, bytes]) -> Wheel:
    """Return the wheel that holds these files, by their paths in it, in our form."""
    content = {path: data for path, data in sorted(files.items()) if not path.endswith("/RECORD")}
    (info,) = {PurePosixPath(path).parts[0] for path in content if ".dist-info/" in path}
    lines = [f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in content.items()]
    content[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"]).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as file:
        for path, data in content.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            file.writestr(entry, data)
    return Wheel(f"{info.removesuffix('.dist-info')}-py3-none-any.whl", buffer.getvalue())


def _installed_files(distribution: Distribution) -> Iterator[tuple[str, bytes]]:
    record = (distribution.read_text("RECORD") or "").splitlines()
    for path, digest, _ in csv.reader(record):
        if not _belongs(path):
            continue
        try:
            data = Path(str(distribution.locate_file(path))).read_bytes()
        except OSError:
            data = b""
        if digest != f"sha256={_digest(data)}":
            raise CrivoError(
                f"The installed {path} is not as it was installed; install crivo again: "
                "`python -m pip install --force-reinstall --no-deps WHEEL`."
            )
        yield path, data


def _belongs(path: str) -> bool:
    """Say whether an installed file came from the wheel, rather than from the installer."""
    if path.startswith("..") or path.endswith(".pyc"):
        return False
    folder, _, name = path.partition("/")
    if folder.endswith(".dist-info"):
        return name in FROM_THE_WHEEL or name.startswith("licenses/")
    return True


def _tracked(root: Path) -> list[str]:
    done = run_git(["ls-files", "-z"], root)
    if done.returncode:
        raise CrivoError(f"{root} is not a git repository; the wheel is built in a clone.")
    return [path for path in done.stdout.decode().split("\0") if path and (root / path).is_file()]


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def main() -> None:
    """Write the wheel into `dist`: `python -m crivo.project.wheel`."""
    wheel = running_wheel()
    path = Path("dist", wheel.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(wheel.content)
    print(f"{path}  {len(wheel.content):,} bytes  sha256 {wheel.sha256}")


if __name__ == "__main__":
    main()
