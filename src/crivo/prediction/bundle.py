"""Loads the predictor of a project's folder or of a file, and writes that file (`crivo export`).

The file is a zip archive of schema, fitted featurizer, model, threshold and version, and of what
the dataset keeps to turn raw rows into model rows. Equal models give equal bytes, and loading one
runs no code from it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import platform
import sys
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from crivo.core.artifacts import (
    EVALUATION,
    FEATURIZER,
    MODEL,
    REFIT_MODEL,
    SCHEMA,
    parse_schema,
    prepared,
    read_table,
    written,
)
from crivo.core.cache import md5_of
from crivo.core.codepath import find_project
from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_json
from crivo.core.schema import Schema
from crivo.evaluation.thresholds import NOTHING
from crivo.modelfile.archives import read_members, write_member
from crivo.prediction.fitted import Isolated, load_fitted
from crivo.prediction.predictor import TrainedPredictor
from crivo.prediction.raw import RawRows, raw_rows_of
from crivo.repository.lock import LOCK, read_lock

log = logging.getLogger("crivo.prediction")

THRESHOLD = EVALUATION / "threshold.json"
# In the place of the trial's model, where the evaluation in the folder refitted it.
REFIT = "refit.skops"
# The name in the archive -> where the pipeline writes it.
PLACES = {
    "schema.json": SCHEMA,
    "featurizer.skops": FEATURIZER,
    "model.skops": MODEL,
    "threshold.json": THRESHOLD,
    REFIT: REFIT_MODEL,
}
FITTED_ON = {REFIT: "training and validation rows", "model.skops": "training rows"}
VERSION = "version.json"
# Packages whose version shows in a model's state.
PACKAGES = ("numpy", "pandas", "scikit-learn", "skops")
# How often one row is scored to measure the time of it.
REPEATS = 20


def load_predictor(source: str | Path = ".", *, sha256: str | None = None) -> TrainedPredictor:
    """Return what scores raw rows: from a project's folder, or a file of `crivo export`.

    No code of the files is run. A folder's files whose hashes its `dvc.lock` names are used in this
    process if the project's code runs here anyway, a file if `sha256` is its hash; others in a
    process of their own, with limits. CrivoError: a file is missing, damaged, holds types that
    are not trusted, or has another hash.

    >>> load_predictor("nowhere")
    Traceback (most recent call last):
    crivo.core.errors.CrivoError: There is no nowhere; give a project's folder or a file of `crivo \
export`.
    """
    source = Path(source)
    if source.is_dir():
        if sha256 is not None:
            raise CrivoError(f"{source} is a folder; sha256 is the hash of a file, leave it out.")
        return load_folder(source, ours=_runs_here(source))
    if source.is_file():
        found = None if sha256 is None else hashlib.sha256(source.read_bytes()).hexdigest()
        if found is not None and found != str(sha256).lower():
            raise CrivoError(
                f"{source} has the SHA-256 {found}, and {sha256!r} was expected; it isn't the file "
                "that you mean."
            )
        parts, raw = _read_file(source)
        return _made_of(parts, str(source), raw, ours=sha256 is not None)
    raise CrivoError(f"There is no {source}; give a project's folder or a file of `crivo export`.")


def load_folder(root: Path, *, ours: bool) -> TrainedPredictor:
    """Return what a folder's files score with; `ours` says whether its `dvc.lock` is believed."""
    parts = _read_folder(root)
    ours = ours and _is_locked(root, parts)
    return _made_of(parts, str(root), raw_rows_of(root), ours=ours)


def _runs_here(root: Path) -> bool:
    """Whether the project's code runs in this process: it is worked in, or its `src` imported."""
    root = root.resolve()
    return root == find_project() or str(root / "src") in sys.path


def _is_locked(root: Path, parts: Mapping[str, bytes]) -> bool:
    """Whether the folder's `dvc.lock` names the hashes of featurizer and model."""
    try:
        outs = read_lock((root / LOCK).read_bytes()).outs
    except (OSError, CrivoError):
        return False
    digests = _digests({name: parts[name] for name in _models(parts)})
    return all(path in outs and outs[path].md5 == md5 for path, md5 in digests.items())


def _models(parts: Mapping[str, bytes]) -> tuple[str, str]:
    """Return the names of the featurizer and of the model that predicts."""
    return "featurizer.skops", REFIT if REFIT in parts else "model.skops"


def export_predictor(path: str | Path, root: str | Path = ".") -> str:
    """Write the predictor of a project's folder as one file; return its version.

    CrivoError: something is missing, or can't be loaded again.
    """
    parts, predictor = _read_folder(Path(root)), load_predictor(Path(root))
    kept: dict[str, bytes] = {}
    about = dict(predictor.about)
    if (raw := predictor.raw) is not None:
        kept = {f"raw/{name}": data for name, data in raw.kept().items()}
        about["dataset"] = {"name": raw.name, "settings": raw.settings, "code": raw.code}
        about["kept"] = {name: md5_of(data) for name, data in kept.items()}
    text = json.dumps(about, indent=2, sort_keys=True) + "\n"
    with written(Path(path)) as beside, zipfile.ZipFile(beside, "w") as file:
        for name, data in (parts | {VERSION: text.encode()} | kept).items():
            write_member(file, name, data)
    return predictor.version


def milliseconds_per_row(root: Path = Path()) -> float:
    """Return the median time that the trained model of a project takes for one raw row.

    A validation row is used; the first call, which loads libraries, doesn't count.
    """
    predictor = load_predictor(root)
    row = read_table(root / prepared("valid"), predictor.columns).head(1)
    predictor.predict(row)
    times = []
    for _ in range(REPEATS):
        start = perf_counter()
        predictor.predict(row)
        times.append(perf_counter() - start)
    return 1000 * median(times)


def named(predictor: TrainedPredictor) -> str:
    """Return which model a predictor has: its version, and the rows that it was fitted on."""
    rows = predictor.about.get("fitted_on", FITTED_ON["model.skops"])
    return f"{predictor.version}, fitted on {rows}"


def files_of(source: Path) -> list[Path]:
    """Return the files that a predictor is read from: those of a project's folder, or the one."""
    return [source / place for place in PLACES.values()] if source.is_dir() else [source]


def _read_folder(root: Path) -> dict[str, bytes]:
    paths = {name: root / place for name, place in PLACES.items()}
    parts = {name: path.read_bytes() for name, path in paths.items() if path.is_file()}
    for name in ("schema.json", *_models(parts)):
        if name not in parts:
            raise CrivoError(f"{paths[name]} doesn't exist yet; run `dvc repro`.")
    if REFIT in parts:
        parts.pop("model.skops", None)
    return parts


def _read_file(path: Path) -> tuple[dict[str, bytes], RawRows | None]:
    """Return the parts of an archive; CrivoError unless they are those that were written."""
    try:
        parts = read_members(path, [*PLACES, VERSION])
        about = json.loads(parts.pop(VERSION))
        kept = dict(about.get("kept", {}))
        whole = about["files"] == _digests(parts) and kept == {
            name: md5_of(data) for name, data in read_members(path, kept).items()
        }
        made_with = dict(about["packages"])
        raw = RawRows(**about["dataset"], source=path) if "dataset" in about else None
    except Exception as error:  # zipfile and its decompressors raise many kinds for a broken file
        raise CrivoError(
            f"{path} isn't a file of `crivo export` ({type(error).__name__}: {error}); make it "
            "again."
        ) from None
    if not whole:
        raise CrivoError(f"{path} was changed after `crivo export` wrote it; make it again.")
    for name, here in _packages().items():
        if made_with.get(name) not in (None, here):
            log.warning(
                f"{path} was made with {name} {made_with[name]}, but {here} is installed here: "
                "predictions may "
                "differ."
            )
    return parts, raw


def _made_of(
    parts: Mapping[str, bytes], source: str, raw: RawRows | None = None, *, ours: bool
) -> TrainedPredictor:
    about = _about(parts)
    schema = _schema(parts["schema.json"], source)
    featurizer, model = (parts[name] for name in _models(parts))
    make = load_fitted if ours else Isolated
    return TrainedPredictor(
        schema=schema,
        threshold=_threshold(parts.get("threshold.json"), source),
        version=about["version"],
        about=about,
        fitted=make(featurizer, model, schema, source),
        raw=raw,
    )


def _about(parts: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the version, and the MD5 of each part by which `dvc.lock` knows it."""
    files = _digests(parts)
    text = json.dumps(files, sort_keys=True)
    return {
        "version": hashlib.blake2b(text.encode(), digest_size=6).hexdigest(),
        "files": files,
        "fitted_on": FITTED_ON[REFIT if REFIT in parts else "model.skops"],
        "packages": _packages(),
    }


def _digests(parts: Mapping[str, bytes]) -> dict[str, str]:
    return {PLACES[name].as_posix(): md5_of(data) for name, data in parts.items()}


def _packages() -> dict[str, str]:
    python = ".".join(platform.python_version_tuple()[:2])
    return {"python": python} | {name: version(name) for name in PACKAGES}


def _schema(data: bytes, source: str) -> Schema:
    try:
        values = parse_json(data)
    except ParseError as error:
        raise CrivoError(
            f"The schema of {source} {error}; make it again with `dvc repro`."
        ) from None
    return parse_schema(values, f"The schema of {source}")


def _threshold(data: bytes | None, source: str) -> float | None:
    if data is None:
        return None
    with suppress(ParseError, TypeError, LookupError):
        value = parse_json(data)["threshold"]
        if value is None:
            return None
        if not isinstance(value, bool) and (0 <= value <= 1 or value == NOTHING):
            return float(value)
    raise CrivoError(
        f'The threshold of {source} is broken; expected {{"threshold": 0.3}}, a probability from 0 '
        f"to 1, or {NOTHING} to act on no row; run `dvc repro`."
    )
