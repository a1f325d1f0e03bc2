"""A real SSH server on this machine, for as long as a test needs it."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# The server is not on the path of an ordinary user.
PLACES = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
SETTINGS = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
Subsystem sftp internal-sftp
"""


@dataclass(frozen=True)
class SshServer:
    """Where the server listens, and the key that opens it."""

    port: int
    key: Path

    def url(self, folder: Path) -> str:
        """Return the address of a folder, as DVC takes it."""
        return f"ssh://{getpass.getuser()}@127.0.0.1:{self.port}{folder}"


def sshd() -> str | None:
    """Return the path of OpenSSH's server, if it is installed."""
    return shutil.which("sshd", path=PLACES)


@contextmanager
def ssh_server(folder: Path) -> Iterator[SshServer]:
    """Run OpenSSH's server as the current user, with keys and settings of its own."""
    program = sshd()
    assert program is not None
    for name in ("host", "key"):
        make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(make, check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "config").write_text(SETTINGS.format(port=port, folder=folder))
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # root's server wants it, to drop rights in
    log = folder / "log"
    command = [program, "-D", "-f", str(folder / "config"), "-E", str(log)]
    server = subprocess.Popen(command)
    try:
        _wait(port, log)
        yield SshServer(port, folder / "key")
    finally:
        server.terminate()
        server.wait()


def _wait(port: int, log: Path) -> None:
    """Wait until the server greets."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as line:
                assert line.recv(4) == b"SSH-"
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(log.read_text() if log.exists() else "the server said nothing")
