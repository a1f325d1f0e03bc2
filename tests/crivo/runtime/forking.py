"""Runs scripts in forks of one process."""

from __future__ import annotations

from crivo.repository.stage_process import StageProcess


def run(process: StageProcess, text: str, *words: str, **environment: str) -> tuple[int, str]:
    (process.folder / "src/stage.py").write_text(text)
    lines: list[str] = []
    status = process.run(" ".join(["python src/stage.py", *words]), environment, lines.append)
    assert process._forks, "the script was not forked"
    return status, "".join(lines)
