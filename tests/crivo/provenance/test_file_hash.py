"""The hash of a file on this disk; an export has that of its model."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from crivo.provenance.trace import file_hash
from tests.crivo.modelfile.crafted import archive, attacks


def md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


@pytest.mark.parametrize("model", [b"model", *attacks(Path("ran")).values()])
def test_an_export_has_the_hash_of_its_model(tmp_path: Path, model: bytes) -> None:
    file = tmp_path / "model.zip"
    file.write_bytes(archive({"schema.json": b"{}", "model.skops": model}))
    assert file_hash(file) == md5(model)


# Made when needed: 100 MB, more than such a file may hold, take a while to be packed.
FILES = {
    "plain": lambda: b"no archive",
    "other": lambda: archive({"other": b"model"}),
    "large": lambda: archive({"model.skops": b" " * 100_000_000}),
    "packed otherwise": lambda: archive({"model.skops": b"model"}, zipfile.ZIP_LZMA),
    "damaged": lambda: archive({"model.skops": b"model" * 100}).replace(b"model", b"modal", 1),
}


@pytest.mark.parametrize("name", FILES)
def test_any_other_file_has_its_own(tmp_path: Path, name: str) -> None:
    file, data = tmp_path / "file", FILES[name]()
    file.write_bytes(data)
    assert file_hash(file) == md5(data)
