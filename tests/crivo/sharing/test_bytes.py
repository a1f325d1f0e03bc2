"""What was sent is read back, and files of another size are sent again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

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


@pytest.mark.plain_path  # OpenSSH's configuration knows no odd names
def test_what_was_cut_off_in_the_remote_is_sent_again(anywhere: Mini) -> None:
    assert share("trial", folder=anywhere.folder).uploaded == 6
    there = anywhere.stored(anywhere.hashes(trial(anywhere)))
    whole = flip(there)
    there.write_bytes(whole[:-1])
    assert share("trial", folder=anywhere.folder).uploaded == 1
    assert there.read_bytes() == whole


def test_what_changed_on_its_way_is_told(mini: Mini, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = Storage.upload

    def badly(storage: Storage, files: list[StoredFile]) -> None:
        upload(storage, files)
        flip(mini.stored(mini.hashes(trial(mini))))

    monkeypatch.setattr(Storage, "upload", badly)
    refused(mini, r"model\.txt did not arrive completely in storage")


def test_a_folder_in_a_file_s_place_is_told(mini: Mini) -> None:
    mini.stored(mini.hashes(trial(mini))).mkdir(parents=True)
    refused(mini, r"The DVC remote storage .* can't be used")
