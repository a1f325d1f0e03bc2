"""What `featurize` found in the rows, as long as nothing that it read or wrote has changed.

These checks fit models, most of what `crivo check` would take on a small table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.findings import NOT_APPLICABLE, PASSED, Found
from crivo.repository.lock import LOCK, read_lock
from crivo.repository.outputs import content_hash

FINDINGS = artifacts.ROW_FINDINGS.as_posix()


@dataclass(frozen=True)
class Recorded:
    """What the stage found by the codes of the checks, and why others weren't applicable."""

    findings: Mapping[str, list[Found]]
    inapplicable: Mapping[str, str]


def recorded_findings(root: Path) -> Recorded | None:
    """Return what the stage found; None if that may not hold now.

    It holds while the rows, the code, the lock of packages and the findings are those that
    `dvc.lock` records.
    """
    if not (root / LOCK).is_file():
        return None
    try:
        stages = read_lock((root / LOCK).read_bytes()).stages.values()
    except CrivoError:  # said by another check
        return None
    stage = next((stage for stage in stages if FINDINGS in stage.outs), None)
    if stage is None or artifacts.prepared("train").as_posix() not in stage.deps:
        return None
    made = [out for out in stage.outs.values() if out.path.endswith((".csv", ".parquet"))]
    if any(content_hash(root / one.path) != one.md5 for one in (*stage.deps.values(), *made)):
        return None
    return _read(root / artifacts.ROW_FINDINGS)


def _read(path: Path) -> Recorded:
    found: dict[str, list[Found]] = {}
    inapplicable: dict[str, str] = {}
    for row in artifacts.read_csv(path, as_text=True).itertuples():
        code, message = str(row.code), str(row.message)
        if row.severity == NOT_APPLICABLE:
            inapplicable[code] = message
        elif row.severity != PASSED:
            found.setdefault(code, []).append(Found(str(row.subject), message))
    return Recorded(found, inapplicable)
