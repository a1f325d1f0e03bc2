"""What a remote holds is read back: a bit that flipped there, or on its way, is found."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest
from dvc_objects.fs.local import LocalFileSystem

from crivo.core.errors import CrivoError
from crivo.repository.dvc_remote import Storage
from crivo.repository.experiment_files import StoredFile
from crivo.sharing import share
from tests.crivo.sharing.mini import Mini
from tests.crivo.sharing.ssh_server import ssh_server, sshd
from tests.crivo.sharing.test_share import refused, trial


def flip(place: Path) -> bytes:
    """Change one bit of a stored file, and return what it was."""
    whole = place.read_bytes()
    place.chmod(0o644)
    place.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
    return whole


@pytest.fixture(params=["folder", "ssh"])
def anywhere(request: pytest.FixtureRequest, mini: Mini, tmp_path: Path) -> Iterator[Mini]:
    """Give the project with its remote in a folder, and with it behind an SSH server."""
    if request.param == "folder":
        yield mini
        return
    if sshd() is None:
        pytest.skip("OpenSSH's server (sshd) is not installed")
    (tmp_path / "ssh").mkdir()
    with ssh_server(tmp_path / "ssh") as server:
        url = f"{server.url(mini.store)}\n    keyfile = {server.key}"
        mini.write(".dvc/config", mini.config().replace(str(mini.store), url))
        mini.commit()
        mini.git("push", "--quiet", "origin", "main")
        yield mini


@pytest.mark.parametrize("path", ["model.txt", "plots"], ids=["file", "listing"])
def test_a_flipped_bit_in_the_remote_is_found_and_mended(anywhere: Mini, path: str) -> None:
    share("trial", folder=anywhere.folder)
    there = anywhere.stored(anywhere.hashes(trial(anywhere), path))
    whole = flip(there)
    shared = share("trial", folder=anywhere.folder)
    assert shared.uploaded == 1
    assert there.read_bytes() == whole
    assert any(f"{path} was damaged in storage" in note for note in shared.notes)


def test_a_flipped_bit_that_only_the_remote_has_is_told(mini: Mini) -> None:
    share("trial", folder=mini.folder)
    md5 = mini.hashes(trial(mini))
    flip(mini.stored(md5))
    mini.cached(md5).unlink()
    with pytest.raises(
        CrivoError, match=r"model\.txt of trial is not in this clone's DVC cache, nor"
    ):
        share("trial", folder=mini.folder)


def test_what_changed_on_its_way_is_told(mini: Mini, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = Storage.upload

    def badly(storage: Storage, files: list[StoredFile]) -> None:
        upload(storage, files)
        flip(mini.stored(mini.hashes(trial(mini))))

    monkeypatch.setattr(Storage, "upload", badly)
    refused(mini, r"model\.txt did not arrive whole in storage")


def test_quickly_what_was_there_before_is_compared_by_its_size(mini: Mini) -> None:
    share("trial", folder=mini.folder)
    there = mini.stored(mini.hashes(trial(mini)))
    flip(there)
    shared = share("trial", folder=mini.folder, quick=True)
    assert shared.uploaded == 0
    assert any("compared by their size" in note for note in shared.notes)
    there.write_text("model")
    assert share("trial", folder=mini.folder, quick=True).uploaded == 1


def test_quickly_what_is_uploaded_is_read_back_all_the_same(
    mini: Mini, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = Storage.upload

    def badly(storage: Storage, files: list[StoredFile]) -> None:
        upload(storage, files)
        flip(mini.stored(mini.hashes(trial(mini))))

    monkeypatch.setattr(Storage, "upload", badly)
    with pytest.raises(CrivoError, match=r"model\.txt did not arrive whole"):
        share("trial", folder=mini.folder, quick=True)


def test_a_file_in_the_remote_that_cannot_be_read_is_told(
    mini: Mini, monkeypatch: pytest.MonkeyPatch
) -> None:
    share("trial", folder=mini.folder)
    place = str(mini.stored(mini.hashes(trial(mini))))
    opened = LocalFileSystem.open

    def refuse(self: object, path: str, *rest: object, **named: object) -> object:
        if path == place:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return opened(self, path, *rest, **named)

    monkeypatch.setattr(LocalFileSystem, "open", refuse)
    with pytest.raises(CrivoError, match=r"The DVC remote storage .* can't be used: .*Permission"):
        share("trial", folder=mini.folder)


def test_a_folder_in_a_file_s_place_is_told(mini: Mini) -> None:
    mini.stored(mini.hashes(trial(mini))).mkdir(parents=True)
    refused(mini, r"The DVC remote storage .* can't be used")
