"""An experiment is shared to a remote on a real SSH server of this machine."""

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from crivo.sharing import share
from tests.crivo.sharing.mini import Mini

# The server is not on the path of an ordinary user.
PLACES = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
SSHD = shutil.which("sshd", path=PLACES)
SETTINGS = Path(__file__).with_name("sshd_config").read_text()


@contextmanager
def ssh_server(folder: Path) -> Iterator[int]:
    """Run OpenSSH's server as the current user, with keys and settings of its own; give its port.

    `folder` gets the key that opens it.
    """
    assert SSHD is not None
    for name in ("host", "key"):
        make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(make, check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "config").write_text(SETTINGS.format(port=port, folder=folder))
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # root's server wants it, to drop rights in
    with subprocess.Popen([SSHD, "-D", "-f", str(folder / "config")]) as server:
        try:
            for _ in range(600):
                with suppress(OSError), socket.create_connection(("127.0.0.1", port)) as line:
                    assert line.recv(4) == b"SSH-"
                    break
                time.sleep(0.1)
            yield port
        finally:
            server.terminate()


@pytest.mark.skipif(SSHD is None, reason="OpenSSH's server (sshd) is not installed")
@pytest.mark.plain_path  # OpenSSH's configuration knows no odd names
def test_what_was_cut_off_in_the_remote_is_sent_again(mini: Mini, tmp_path: Path) -> None:
    (tmp_path / "ssh").mkdir()
    with ssh_server(tmp_path / "ssh") as port:
        url = f"ssh://{getpass.getuser()}@127.0.0.1:{port}{mini.store}"
        key = f"{url}\n    keyfile = {tmp_path / 'ssh/key'}"
        mini.write(".dvc/config", mini.config().replace(str(mini.store), key))
        mini.commit()
        mini.git("push", "--quiet", "origin", "main")
        assert share("trial", folder=mini.folder).uploaded == 6
        there = mini.stored(mini.hashes(mini.ref("trial")))
        whole = there.read_bytes()
        there.chmod(0o644)
        there.write_bytes(whole[:-1])
        assert share("trial", folder=mini.folder).uploaded == 1
        assert there.read_bytes() == whole
