"""Files get into the cache as DVC would put them there, whole or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.repository.cache import Cache
from crivo.repository.cache_store import Content, Store, write_whole

ONE = "b026324c6904b2a9cb4b88d6d61c81d1"  # md5 of "1\n"
TWO = "26ab0db90d72e28ad0ba1e22ee510510"  # md5 of "2\n"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / ".dvc").mkdir()
    return Store(Cache(tmp_path), lambda folder: filter(Path.is_file, folder.rglob("*")))


class Shared(dict[str, bytes]):
    """What several caches share, in memory."""

    name = "storage"

    def has(self, md5: str) -> bool:
        return md5 in self

    def put(self, md5: str, place: Path) -> None:
        self[md5] = place.read_bytes()

    def get(self, md5: str, place: Path) -> None:
        place.write_bytes(self[md5])


def sharing(folder: Path, shared: Shared) -> Store:
    (folder / ".dvc").mkdir(parents=True)
    return Store(Cache(folder), lambda one: filter(Path.is_file, one.rglob("*")), remote=shared)


def folder_of(tmp_path: Path) -> Path:
    place = tmp_path / "both"
    (place / "a").mkdir(parents=True)
    (place / "a/x").write_text("1\n")
    (place / "y").write_text("2\n")
    return place


def test_a_folder_is_kept_with_its_files_and_comes_back(store: Store, tmp_path: Path) -> None:
    content = store.content(folder_of(tmp_path), keep=True)
    assert (content.size, content.nfiles, content.md5[-4:]) == (4, 2, ".dir")
    assert store.cache.listing(content.md5) == {"a/x": ONE, "y": TWO}
    assert store.has(content.md5)
    store.fetch(content.md5, tmp_path / "back")
    assert (tmp_path / "back/a/x").read_text() == "1\n"


def test_the_hash_of_a_folder_is_dvc_s(store: Store, tmp_path: Path) -> None:
    import json
    from hashlib import md5

    listing = [{"md5": ONE, "relpath": "a/x"}, {"md5": TWO, "relpath": "y"}]
    expected = md5(json.dumps(listing).encode(), usedforsecurity=False).hexdigest()
    assert store.content(folder_of(tmp_path)).md5 == f"{expected}.dir"


def test_an_executable_file_is_recorded_as_one(store: Store, tmp_path: Path) -> None:
    place = tmp_path / "run"
    place.write_text("1\n")
    place.chmod(0o755)
    assert store.content(place) == Content(ONE, 2, isexec=True)
    assert store.content(place).entry("run")["isexec"] is True


def test_a_damaged_file_is_not_trusted_and_is_mended(store: Store, tmp_path: Path) -> None:
    content = store.content(folder_of(tmp_path), keep=True)
    damaged = store.cache.place(ONE)
    damaged.chmod(0o644)
    damaged.write_text("other")
    assert not store.has(content.md5)
    store.content(tmp_path / "both", keep=True)
    assert store.has(content.md5)
    assert damaged.read_text() == "1\n"


def test_what_the_cache_lacks_is_one_clear_sentence(store: Store, tmp_path: Path) -> None:
    for md5 in (ONE, f"{ONE}.dir"):
        with pytest.raises(CrivoError, match=r"model is not in this clone's DVC cache .*dvc pull"):
            store.fetch(md5, tmp_path / "model")


def test_a_file_that_can_t_be_written_to_its_end_is_not_there(tmp_path: Path) -> None:
    def fail(place: Path) -> None:
        place.write_text("half")
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        write_whole(tmp_path / "file", fail)
    assert list(tmp_path.iterdir()) == []


def test_what_one_cache_keeps_another_has_by_what_they_share(tmp_path: Path) -> None:
    shared = Shared()
    here, there = (sharing(tmp_path / name, shared) for name in ("here", "there"))
    md5 = here.content(folder_of(tmp_path), keep=True).md5
    assert list(shared)[-1] == md5, "a listing is the proof that its files are there"
    assert there.has(md5)
    assert not there.cache.place(ONE).exists(), "it is downloaded when a stage reads it"
    there.fetch(md5, tmp_path / "back")
    assert (tmp_path / "back/a/x").read_text() == "1\n"


def test_what_a_cache_had_before_is_shared_once_it_counts(tmp_path: Path) -> None:
    shared = Shared()
    alone = sharing(tmp_path / "here", shared)
    md5 = replace(alone, remote=None).content(folder_of(tmp_path), keep=True).md5
    assert not shared
    assert alone.has(md5)
    assert [*shared][-1:] == [md5]
    assert sharing(tmp_path / "there", shared).has(md5)


def test_what_neither_has_is_not_there(tmp_path: Path) -> None:
    store = sharing(tmp_path / "here", Shared())
    assert not store.has(ONE)
    assert not store.has(f"{ONE}.dir")
    with pytest.raises(CrivoError, match="not in this clone's DVC cache"):
        store.fetch(ONE, tmp_path / "back")
