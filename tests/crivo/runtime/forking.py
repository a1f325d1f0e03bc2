"""Runs scripts in forks of one process, as DVC does: by the `python` of its environment."""

from __future__ import annotations

import subprocess

from crivo.repository.stage_process import StageProcess


def run(process: StageProcess, text: str, *words: str, **environment: str) -> tuple[int, str]:
    (process.folder / "src/stage.py").write_text(text)
    return run_script(process, "src/stage.py", *words, **environment)


def run_script(process: StageProcess, *words: str, **environment: str) -> tuple[int, str]:
    assert process._server
    done = subprocess.run(
        ["python", *words],
        cwd=process.folder,
        env={**process.environment, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout
