"""The hashes of all that a commit of the project has DVC keep."""

from __future__ import annotations

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_yaml
from crivo.repository.git import Repository
from crivo.repository.lock import LOCK


def recorded_hashes(repository: Repository, revision: str) -> list[str]:
    """Return the hashes that `dvc.lock` and the `.dvc` files of a commit name as outputs.

    Those of files that git itself keeps are among them. CrivoError: a file can't be read.
    """
    listed = repository.git("ls-tree", "-r", "-z", "--name-only", "--full-tree", revision)
    own = repository.prefix
    inside = [path.removeprefix(own) for path in listed.split("\0") if path.startswith(own)]
    names = [path for path in inside if path == LOCK or path.endswith(".dvc")]
    found: list[str] = []
    for (_, path), blob in repository.blobs((revision, path) for path in names).items():
        try:
            recorded = parse_yaml(blob.content)
            parts = recorded["stages"].values() if path == LOCK else [recorded]
            found += [str(out["md5"]) for part in parts for out in part.get("outs") or ()]
        except (ParseError, LookupError, TypeError, AttributeError):
            raise CrivoError(
                f"{path} can't be read, so workers would lack what it records; make it again with "
                "`dvc repro` or `dvc add`, and commit it."
            ) from None
    return list(dict.fromkeys(found))
