"""Reads UBJSON as XGBoost writes it, and nothing that it would not write."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

DEPTH = 100
CONSTANTS = {b"Z": None, b"T": True, b"F": False}
NUMBERS = {
    b"i": ">i1", b"U": ">u1", b"I": ">i2", b"l": ">i4", b"L": ">i8", b"d": ">f4", b"D": ">f8",
}  # fmt: skip


def parse_ubjson(data: bytes) -> Any:
    """Return what the bytes describe; an array of one type of numbers is one of numpy.

    ValueError: they are cut, go on, name a key twice, or are nested too deeply.
    """
    reader = _Reader(data)
    value = reader.value(0)
    if reader.at != len(data):
        raise ValueError("its UBJSON goes on after its end")
    return value


class _Reader:
    """Reads values one after the other; `at` is the place of the next."""

    def __init__(self, data: bytes) -> None:
        self.data = bytes(data)
        self.at = 0

    def value(self, depth: int) -> Any:
        if depth > DEPTH:
            raise ValueError(f"its UBJSON is nested more than {DEPTH} deep")
        mark = self._take(1)
        if mark == b"{":
            return self._object(depth)
        if mark == b"[":
            return self._array(depth)
        if mark == b"S":
            return self._text()
        if mark in NUMBERS:
            return self._numbers(mark, 1)[0].item()
        if mark in CONSTANTS:
            return CONSTANTS[mark]
        raise ValueError(f"its UBJSON has no value at byte {self.at - 1}")

    def _object(self, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        while not self._skip(b"}"):
            key = self._text()
            if key in members:
                raise ValueError(f"its UBJSON has {key[:40]!r} twice")
            members[key] = self.value(depth + 1)
        return members

    def _array(self, depth: int) -> Any:
        if self._skip(b"$"):
            mark = self._take(1)
            if mark not in NUMBERS or not self._skip(b"#"):
                raise ValueError(f"its UBJSON has no array at byte {self.at}")
            return self._numbers(mark, self._size())
        if self._skip(b"#"):
            return [self.value(depth + 1) for _ in range(self._size())]
        elements = []
        while not self._skip(b"]"):
            elements.append(self.value(depth + 1))
        return elements

    def _numbers(self, mark: bytes, count: int) -> np.ndarray:
        kind = np.dtype(NUMBERS[mark])
        return np.frombuffer(self._take(count * kind.itemsize), kind)

    def _text(self) -> str:
        return self._take(self._size()).decode()

    def _size(self) -> int:
        if not self._skip(b"L"):
            raise ValueError(f"its UBJSON has no size at byte {self.at}")
        (size,) = struct.unpack(">q", self._take(8))
        if not 0 <= size <= len(self.data) - self.at:
            raise ValueError("its UBJSON is cut")
        return int(size)

    def _skip(self, mark: bytes) -> bool:
        is_mark = self.data[self.at : self.at + 1] == mark
        self.at += is_mark
        return is_mark

    def _take(self, count: int) -> bytes:
        part = self.data[self.at : self.at + count]
        if len(part) < count:
            raise ValueError("its UBJSON is cut")
        self.at += count
        return part
