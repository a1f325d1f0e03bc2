"""A package that the lock pins as a file in the project: `vendor/crivo-….whl --hash=…`.

A version alone doesn't say which wheel is installed: two may have the same. The installer
notes the hash of the file that it installed, so a stage can ask cheaply.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from crivo.core.errors import CrivoError

LINE = re.compile(
    r"^(?:\./)?(?P<path>\S+\.whl)(?:[ \\\n]+--hash=sha256:(?P<sha256>[0-9a-f]{64}))?",
    re.MULTILINE,
)


@dataclass(frozen=True)
class LockedWheel:
    """A wheel that a lock names: its package and version, its path in the project, its hash."""

    name: str
    version: str
    path: str
    sha256: str


def locked_wheels(text: str) -> list[LockedWheel]:
    """Return the wheels that the text of a lock pins; CrivoError: one has no hash or no version."""
    wheels = []
    for line in LINE.finditer(text):
        try:
            name, version, *_ = parse_wheel_filename(PurePosixPath(line["path"]).name)
        except InvalidWheelFilename as error:
            raise CrivoError(f"The lock names {line['path']}: {error}.") from None
        if line["sha256"] is None:
            raise CrivoError(
                f"The lock names {line['path']} without its hash; expected "
                f"`./{line['path']} --hash=sha256:…`."
            )
        wheels.append(LockedWheel(name, str(version), line["path"], line["sha256"]))
    return wheels


def is_other_wheel(wheel: LockedWheel) -> bool:
    """Say whether another file of the same version was installed, as far as is known."""
    info = f"{wheel.name.replace('-', '_')}-{wheel.version}.dist-info"
    installed = (place for folder in sys.path if (place := Path(folder, info)).is_dir())
    try:
        noted = json.loads((next(installed) / "direct_url.json").read_bytes())
        return bool(noted["archive_info"]["hashes"]["sha256"] != wheel.sha256)
    except (StopIteration, OSError, ValueError, LookupError, TypeError):
        return False
