"""The program that stands for `python`: what the warm process runs, and what it runs itself."""

import os
import socket
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from threading import Thread

import pytest

from crivo.repository import stage_client
from crivo.repository.stage_process import StageProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")

# The first argument of Python, which is `-c` in the warm process, and the path of programs.
TOLD = "import os, sys\nprint(sys.orig_argv[1], os.environ['PATH'])\n"


def run(process: StageProcess, script: str, text: str) -> tuple[int, str]:
    (process.folder / script).parent.mkdir(exist_ok=True)
    (process.folder / script).write_text(text)
    done = subprocess.run(
        ["python", script], cwd=process.folder, env=process.environment, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_scripts_of_the_project_are_forked_and_others_and_all_without_a_process_are_run(
    tmp_path: Path,
) -> None:
    process = StageProcess(tmp_path)
    path = process.environment["PATH"].partition(os.pathsep)[2]
    assert run(process, "src/a-b.c_1.py", TOLD) == (0, f"-c {path}\n")
    for other in ("tools/a.py", "src/a.txt", "src/.py/a.py"):
        assert run(process, other, TOLD) == (0, f"{other} {path}\n")
    assert run(process, "src/a.py", "raise SystemExit(3)") == (3, "")
    killed = "import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(9)\n"
    assert run(process, "src/a.py", killed) == (1, "The process that ran the stage has ended.\n")
    assert run(process, "src/a.py", TOLD) == (0, f"src/a.py {path}\n")
    process.close()
    plain = StageProcess(tmp_path, {"CRIVO_ENVIRONMENT": "warn"})  # needs a Python of its own
    assert plain.environment["PATH"] == path
    with chdir(tmp_path), socket.socket(socket.AF_UNIX) as other:
        Path(stage_client.PLACE).unlink()
        other.bind(stage_client.PLACE)
        other.listen()
        Thread(target=lambda: other.accept()[0].close()).start()  # it takes no order
        assert run(process, "src/a.py", TOLD) == (0, f"src/a.py {path}\n")
    ended = StageProcess(tmp_path / "ended")
    ended.close()
    assert run(ended, "src/a.py", TOLD) == (0, f"src/a.py {path}\n")
