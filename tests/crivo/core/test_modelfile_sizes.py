"""A model file that is larger, deeper or packed otherwise than it says is refused in a sentence."""

import io
import json
import tracemalloc
import zipfile
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from crivo.core import archives
from crivo.core.modelfile import dump_model, parse_model

from .crafted import archive, holding, node, plain, reads, redescribed, sequence
from .fitted import refused, spoilt


def packed(schema: bytes) -> bytes:
    return archive(reads(dump_model(DummyClassifier())) | {"schema.json": schema})


def peak(data: bytes) -> float:
    """Return how many megabytes it took at most to refuse a file."""
    tracemalloc.start()
    try:
        refused(data, "unpacks to more than")
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def test_a_small_file_does_not_fill_the_memory_with_blanks() -> None:
    assert peak(packed(b" " * 100_000_000 + b"{}")) < 60


def test_a_small_file_does_not_fill_the_memory_with_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST", 2**20)
    data = dump_model(spoilt(DummyClassifier(), zeros_=np.zeros(10**6)))
    refused(data, "unpacks to more than")


def test_members_count_as_often_as_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST", 10**6)
    monkeypatch.setattr(archives, "TIMES", 0)
    data = dump_model(spoilt(DummyClassifier(), zeros_=np.zeros(10**4)))
    parse_model(data)

    def often(schema: dict[str, Any]) -> None:
        attributes = schema["content"]["content"]
        copies = [attributes["zeros_"] | {"__id__": 5000 + i} for i in range(20)]
        attributes["zeros_"] = sequence(*copies)

    refused(redescribed(data, often), "unpacks to more than")


def npy(header: str, numbers: bytes = b"") -> bytes:
    start = f"{{'descr': {header}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(start).to_bytes(2, "little") + start.encode() + numbers


@pytest.mark.parametrize(
    "array",
    [
        npy("'<f8', 'fortran_order': False, 'shape': (1000000000000,)"),
        npy("'<U0', 'fortran_order': False, 'shape': (1000000000000,)"),
        npy("'<f8', 'fortran_order': False, 'shape': (0, 1000000000000)"),
        npy("'<f8', 'fortran_order': False, 'shape': (-1, -1)", bytes(8)),
        npy("'|O', 'fortran_order': False, 'shape': (1,)", bytes(8)),
        npy("'<f8', 'fortran_order': False, 'shape': (1,)", bytes(9)),
        b"PK\x05\x06" + bytes(18),
        b"",
    ],
)
def test_an_array_is_as_large_as_it_says(array: bytes) -> None:
    held = node("NdArrayNode", "numpy", "ndarray", type="numpy", file="a.npy")
    refused(archive(reads(holding(held)) | {"a.npy": array}), "")


@pytest.mark.parametrize("start", [b"[", b'{"a":', b'{"protocol":2,"content":['])
def test_a_description_nested_without_end_is_refused(start: bytes) -> None:
    refused(packed(start * 100_000), "Recursion")


def test_objects_nested_too_deeply_are_refused() -> None:
    held = sequence()
    for _ in range(200):
        held = sequence(held)
    refused(holding(held), "nested more than 100 deep")


def test_lists_that_hold_each_other_many_times_are_refused() -> None:
    """A few lines would stand for ten thousand million objects."""
    lists = [sequence(plain(1), __id__=9000)]
    for i in range(1, 11):
        again = [{**lists[-1], "content": []}] * 9
        lists.append(sequence(lists[-1], *again, __id__=9000 + i))
    refused(holding(lists[-1]), "objects")


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_is_unpacked_at_one_go_is_refused(packing: int) -> None:
    refused(archive(reads(dump_model(DummyClassifier())), packing), "neither stored nor deflated")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused() -> None:
    target = io.BytesIO(dump_model(DummyClassifier()))
    with zipfile.ZipFile(target, "a") as file:
        file.writestr("schema.json", json.dumps({}))
    refused(target.getvalue(), "the same name")
