"""Says whether a clone in which the pipeline ran gave the committed results: compare.py CLONE.

On one kind of machine the bytes are the same: nothing that git knows has changed. Another
processor's arithmetic may change last digits; then the metrics must agree within 1e-6.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

METRICS = "metrics/evaluation/metrics.json"
TOLERANCE = 1e-6


def compare(clone: Path) -> str:
    """Return a sentence that says how equal the results are; SystemExit when they aren't."""
    if "dvc.lock" not in git(clone, "ls-files", "dvc.lock"):
        raise SystemExit("not reproduced: dvc.lock isn't committed, so there is nothing to equal.")
    changed = git(clone, "status", "--porcelain").splitlines()
    if not changed:
        return "reproduced: the same bytes; dvc.lock and everything else in git is unchanged."
    if " M dvc.lock" not in changed:
        raise SystemExit(f"not reproduced: running left changes in git: {', '.join(changed)}")
    committed = dict(flatten(json.loads(git(clone, "show", f"HEAD:{METRICS}"))))
    measured = dict(flatten(json.loads((clone / METRICS).read_text(encoding="utf-8"))))
    different = [name for name in committed | measured if not equal(name, committed, measured)]
    if different:
        lines = [f"{name}: {committed.get(name)} → {measured.get(name)}" for name in different]
        raise SystemExit("\n  ".join(["not reproduced: other metrics than committed", *lines]))
    return f"reproduced: equal metrics within {TOLERANCE:g}, not the same bytes (dvc.lock changed)."


def git(clone: Path, *arguments: str) -> str:
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout


def flatten(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each number or text of nested metrics with its dotted name."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flatten(inner, f"{name}.{key}" if name else key)
    else:
        yield name, value


def equal(name: str, committed: dict[str, Any], measured: dict[str, Any]) -> bool:
    if name not in committed or name not in measured:
        return False
    before, after = committed[name], measured[name]
    if isinstance(before, int | float) and isinstance(after, int | float):
        return abs(before - after) <= TOLERANCE
    return bool(before == after)


if __name__ == "__main__":
    print(compare(Path(sys.argv[1])))
