"""Loads the predictor of a project's folder or of a file, and writes that file (`crivo export`).

The file is a zip archive of schema, fitted featurizer, model, threshold and version, and of what
the dataset keeps to turn raw rows into features. Equal models give equal bytes, and loading
one runs no code from it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import platform
import sys
import zipfile
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from statistics import median
from timeit import repeat
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from crivo.core.artifacts import (
    EVALUATION,
    FEATURIZER,
    MODEL,
    REFIT_MODEL,
    SCHEMA,
    prepared,
    read_table,
    written,
)
from crivo.core.cache import md5_of
from crivo.core.codepath import find_project
from crivo.core.errors import CrivoError
from crivo.core.parsing import Model, ParseError, parse_json, validated
from crivo.core.schema import Schema
from crivo.evaluation.thresholds import NOTHING
from crivo.modelfile.archives import read_members, write_member
from crivo.prediction.fitted import Isolated, load_fitted
from crivo.prediction.predictor import Predictor
from crivo.prediction.raw import RawRows, raw_rows_of
from crivo.repository.lock import LOCK, parse_lock

log = logging.getLogger(__name__)

# In the place of the trial's model, where the evaluation in the folder refitted it.
REFIT = "refit.skops"
# The name in the archive -> where the pipeline writes it.
PLACES = {
    "schema.json": SCHEMA,
    "featurizer.skops": FEATURIZER,
    "model.skops": MODEL,
    "threshold.json": EVALUATION / "threshold.json",
    REFIT: REFIT_MODEL,
}
VERSION = "version.json"
# Packages whose version shows in a model's state.
PACKAGES = ("numpy", "pandas", "scikit-learn", "skops")
# How often one row is scored to measure the time of it.
REPEATS = 20

# Gives the content of one of a project's files by its path; None where there is none.
Reader = Callable[[str], bytes | None]


def load_predictor(source: str | Path = ".", *, sha256: str | None = None) -> Predictor:
    """Return what scores raw rows: from a project's folder, or a file of `crivo export`.

    No code of the files is run. A folder's files whose hashes its `dvc.lock` names are used in this
    process if the project's code runs here anyway, a file if `sha256` is its hash; others in a
    process of their own, with limits. CrivoError: a file is missing, damaged, holds types that
    are not trusted, or has another hash.

    >>> load_predictor("nowhere")
    Traceback (most recent call last):
    crivo.core.errors.CrivoError: There is no nowhere; give a project's folder or a file that \
`crivo export` wrote.
    """
    source = Path(source)
    if source.is_dir():
        if sha256 is not None:
            raise CrivoError(f"{source} is a folder; sha256 is the hash of a file: leave it out.")
        root = source.resolve()
        here = root == find_project() or str(root / "src") in sys.path

        def read(path: str) -> bytes | None:
            return (source / path).read_bytes() if (source / path).is_file() else None

        return load_project(read, source, str(source), ours=here)
    if not source.is_file():
        raise CrivoError(
            f"There is no {source}; give a project's folder or a file that `crivo export` wrote."
        )
    if sha256 is not None:
        found = hashlib.sha256(source.read_bytes()).hexdigest()
        if found != sha256.lower():
            raise CrivoError(
                f"{source} has the SHA-256 {found}, but {sha256!r} was expected; it isn't the "
                "right file."
            )
    parts, raw = _read_file(source)
    return _made_of(parts, str(source), raw, ours=sha256 is not None)


def load_project(read: Reader, root: Path, source: str, *, ours: bool) -> Predictor:
    """Return what a project's files score with, and the raw files in its folder `root`.

    `source` names them in sentences; `ours`: models whose hashes `dvc.lock` has are used in this
    process.
    """
    parts = {name: data for name, place in PLACES.items() if (data := read(place.as_posix()))}
    if REFIT in parts:
        parts.pop("model.skops", None)
    try:
        stages = parse_lock(read(LOCK) or "stages: {}")
    except ParseError as error:
        raise CrivoError(f"{LOCK} of {source} {error}; restore it with git.") from None
    locked = {(out["path"], out["md5"]) for stage in stages.values() for out in stage["outs"]}
    models = {(path, md5) for path, md5 in _digests(parts).items() if path.endswith(".skops")}
    ours = ours and models <= locked
    raw = raw_rows_of(stages["prepare"], root) if "prepare" in stages else None
    return _made_of(parts, source, raw, ours=ours)


def export_predictor(path: str | Path, root: str | Path = ".") -> str:
    """Write the predictor of a project's folder as one file; return its version.

    CrivoError: something is missing, or can't be loaded again.
    """
    predictor = load_predictor(root)
    about = {"packages": _packages(), **predictor.about}
    members = {
        name: Path(root, place).read_bytes()
        for name, place in PLACES.items()
        if place.as_posix() in predictor.about["files"]
    }
    if (raw := predictor.raw) is not None:
        about["dataset"] = {"name": raw.name, "settings": raw.settings, "code": raw.code}
        members |= {f"raw/{name}": data for name, data in raw.kept().items()}
    members[VERSION] = (json.dumps(about, indent=2, sort_keys=True) + "\n").encode()
    with written(Path(path)) as beside, zipfile.ZipFile(beside, "w") as file:
        for name, data in members.items():
            write_member(file, name, data)
    return predictor.version


def milliseconds_per_row(root: Path = Path()) -> float:
    """Return the median time that the trained model of a project takes for one raw row.

    A validation row is used; the first call, which loads libraries, doesn't count.
    """
    predictor = load_predictor(root)
    row = read_table(root / prepared("valid"), predictor.columns).head(1)
    _, *times = repeat(lambda: predictor.predict(row), number=1, repeat=REPEATS + 1)
    return 1000 * median(times)


def named(predictor: Predictor) -> str:
    """Return which model a predictor has: its version, and the rows that it was fitted on."""
    return f"{predictor.version}, fitted on {predictor.about['fitted_on']}"


def files_of(source: Path) -> list[Path]:
    """Return the files that a predictor is read from: those of a project's folder, or the one."""
    return [source / place for place in PLACES.values()] if source.is_dir() else [source]


def _read_file(path: Path) -> tuple[dict[str, bytes], RawRows | None]:
    """Return the parts of an archive, and how raw rows become rows of the model."""
    try:
        parts = read_members(path, [*PLACES, VERSION])
        about = json.loads(parts.pop(VERSION))
        made_with, here = set(about["packages"].items()), _packages()
        raw = RawRows(**about["dataset"], source=path) if "dataset" in about else None
    except Exception as error:  # zipfile and its decompressors raise many kinds for a broken file
        raise CrivoError(
            f"{path} isn't a file that `crivo export` wrote ({type(error).__name__}: {error}); "
            "write it again."
        ) from None
    others = [f"{name} {was} (here {here.get(name)})" for name, was in made_with - here.items()]
    if others:
        log.warning("%s was made with %s; predictions may differ.", path, ", ".join(sorted(others)))
    return parts, raw


def _made_of(
    parts: Mapping[str, bytes], source: str, raw: RawRows | None, *, ours: bool
) -> Predictor:
    files, model = _digests(parts), REFIT if REFIT in parts else "model.skops"
    for name in ("schema.json", "featurizer.skops", model):
        if name not in parts:
            where = "in a project, or name a project or an exported file (--model)"
            raise CrivoError(f"{name} of {source} doesn't exist yet; run `dvc repro` {where}.")
    text = json.dumps(files, sort_keys=True)
    version = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
    rows = "training and validation rows" if model == REFIT else "training rows"
    schema, threshold = _parsed(parts, "schema.json", Schema, source), None
    if "threshold.json" in parts:
        threshold = _parsed(parts, "threshold.json", _Threshold, source).threshold
    make = load_fitted if ours else Isolated
    return Predictor(
        schema=schema,
        threshold=threshold,
        version=version,
        about={"version": version, "files": files, "fitted_on": rows},
        fitted=make(parts["featurizer.skops"], parts[model], schema, source),
        raw=raw,
    )


def _reachable(threshold: float) -> float:
    if threshold > 1 and threshold != NOTHING:
        raise ValueError(f"expected a score, or {NOTHING} to act on no row")
    return threshold


class _Threshold(BaseModel):
    threshold: Annotated[float, Field(ge=0, strict=True), AfterValidator(_reachable)] | None


def _digests(parts: Mapping[str, bytes]) -> dict[str, str]:
    return {PLACES[name].as_posix(): md5_of(data) for name, data in parts.items()}


def _packages() -> dict[str, str]:
    python = ".".join(platform.python_version_tuple()[:2])
    return {"python": python} | {name: metadata.version(name) for name in PACKAGES}


def _parsed(parts: Mapping[str, bytes], name: str, kind: type[Model], source: str) -> Model:
    try:
        return validated(kind, parse_json(parts[name]))
    except ParseError as error:
        raise CrivoError(f"{name} of {source} {error}; make it again with `dvc repro`.") from None
