"""Pages that several benchmarks write: each renews its own part and keeps the others."""

from __future__ import annotations

import re
from pathlib import Path


def renew(path: Path, part: str) -> None:
    """Put a part into a page, in place of the one with the same heading or at its end."""
    path.write_text(renewed(path.read_text(encoding="utf-8"), part), encoding="utf-8")


def renewed(page: str, part: str) -> str:
    """Return a page with a part in place of the one with the same heading, or at its end.

    A part begins with a line of its own: `# ` for the first of a page, `## ` for others.
    """
    parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    heading = part.splitlines()[0]
    places = [place for place, old in enumerate(parts) if old.splitlines()[:1] == [heading]]
    parts[places[0] if places else len(parts) : (places or [len(parts)])[0] + 1] = [part]
    return "\n\n".join(each.strip() for each in parts) + "\n"
