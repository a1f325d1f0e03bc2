"""Is this the environment that the lock describes?

The lock is a dependency of every stage, so an experiment records it. That record is true only
if the installed packages are those of the lock, which every stage asks before any work.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from crivo.core.errors import CrivoError
from crivo.core.text_guard import escape_control
from crivo.runtime.locked_wheel import LINE, LockedWheel, is_other_wheel, locked_wheels
from crivo.runtime.start import in_force

# The Pythons that the lock is made for; the same as `requires-python` in pyproject.toml.
OLDEST, NEWEST = (3, 11), (3, 13)

# CRIVO_ENVIRONMENT=warn lets a stage run in another environment, with a warning.
SWITCH = "CRIVO_ENVIRONMENT"
SHOWN = 3

# What an installed package leaves beside its code. The second form is that of source packages
# installed by pip before 23.1, which comes with some Python 3.11.
INSTALLED = re.compile(r"(?P<name>.+?)-(?P<version>[^-]+)(\.dist-info|(-py\d+\.\d+)?\.egg-info)")

State = Literal["locked", "differs"]


def require_locked_environment(path: str | Path = "requirements.txt") -> State:
    """Refuse to work with other packages than the lock's; return `locked`.

    With the environment variable CRIVO_ENVIRONMENT=warn, a difference is a warning on standard
    error, and `differs` is returned.
    """
    switch = os.environ.get(SWITCH, "")
    if switch not in ("", "warn"):
        raise CrivoError(f"{SWITCH} is {switch!r}; expected `warn`, or leave it unset.")
    mismatches = lock_differences(path) + _told()
    if not mismatches:
        return "locked"
    message = f"This environment differs from {path}: {_shorten(mismatches)}; {_mend(path)}"
    if switch != "warn":
        raise CrivoError(f"{message}, or set {SWITCH}=warn to go on all the same.")
    print(escape_control(f"Warning: {message}."), file=sys.stderr)
    return "differs"


def environment_state(path: str | Path = "requirements.txt") -> dict[str, str]:
    """Return what a result records of its environment: is it the lock's?

    Not which Python: with each that the lock is made for, results are the same bytes.
    """
    state: State = "differs" if lock_differences(path) + _told() else "locked"
    return {"environment": state}


def locked_versions(path: str | Path = "requirements.txt") -> dict[str, str]:
    """Return the version that the lock pins for each package this Python needs.

    Packages for other systems and other Pythons are left out. CrivoError: there is no lock,
    or a line of it pins nothing.
    """
    return dict(_pins(_lock(path), str(path)).versions)


class _Pins(NamedTuple):
    versions: dict[str, str]
    wheels: list[LockedWheel]


@lru_cache(maxsize=1)  # by the content: forks find it done
def _pins(text: str, path: str) -> _Pins:
    wheels = locked_wheels(text)
    versions = {wheel.name: wheel.version for wheel in wheels}
    for line in re.findall(r"^[^\s#-].*", LINE.sub("", text), flags=re.MULTILINE):
        requirement = _pin(line.rstrip("\\ "), path)
        if requirement.marker is None or requirement.marker.evaluate():
            (specifier,) = requirement.specifier
            versions[canonicalize_name(requirement.name)] = specifier.version
    return _Pins(versions, wheels)


def lock_differences(path: str | Path = "requirements.txt") -> list[str]:
    """Return a phrase for each way in which what is installed differs from a lock's packages.

    CrivoError: as for `locked_versions`.
    """
    pins = _pins(_lock(path), str(path))
    version_mismatches = differences(pins.versions)
    mismatched_wheels = [wheel for wheel in pins.wheels if is_other_wheel(wheel)]
    return version_mismatches + [
        f"{wheel.name} was installed from another file than the locked {wheel.path} (uninstall it "
        "first)"
        for wheel in mismatched_wheels
    ]


def differences(lock: Mapping[str, str]) -> list[str]:
    """Return a phrase for each way in which what is installed differs from the lock.

    Packages that the lock doesn't name, such as development tools, make no difference.
    """
    mismatches = []
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        current = _dotted(sys.version_info[:2])
        mismatches.append(f"Python is {current} (locked {_dotted(OLDEST)} to {_dotted(NEWEST)})")
    installed = installed_versions()
    for name, version in sorted(lock.items()):
        if name not in installed:
            mismatches.append(f"{name} is missing (locked {version})")
        elif not _same(installed[name], version):
            mismatches.append(f"{name} is {installed[name]} (locked {version})")
    return [*mismatches, *_customized()]


def installed_versions() -> dict[str, str]:
    """Return the version of each installed package, read from folder names alone.

    `importlib.metadata` parses each package's metadata: a fifth of a second for every stage,
    against a thousandth.
    """
    versions: dict[str, str] = {}
    for folder in sys.path:
        try:
            names = [path.name for path in Path(folder).iterdir()]
        except OSError:
            continue
        for name in names:
            if match := INSTALLED.fullmatch(name):
                # As when importing, the first folder on the path wins.
                versions.setdefault(canonicalize_name(match["name"]), match["version"])
    return versions


@contextmanager
def locked_packages_only() -> Iterator[None]:
    """Let pandas compute alone: it would use two packages, though no lock names them."""
    import pandas as pd

    with pd.option_context("compute.use_bottleneck", False, "compute.use_numexpr", False):
        yield


def _told() -> list[str]:
    return [f"Python was told {told} at its start" for told in in_force()]


def _customized() -> list[str]:
    """Return a phrase for each file in the environment that Python runs before every stage."""
    places = [Path(folder) for folder in sys.path if folder.endswith("-packages")]
    names = ("sitecustomize.py", "usercustomize.py")
    files = [place / name for place in places for name in names]
    return [f"{file} is run by each Python (delete it)" for file in files if file.exists()]


def _lock(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        raise CrivoError(
            f"There is no lock {str(path)!r}: run from the project's folder, or make it "
            "with `make lock`."
        ) from None


def _pin(line: str, path: str) -> Requirement:
    try:
        requirement = Requirement(line)
    except InvalidRequirement:
        requirement = None
    if requirement is None or [s.operator for s in requirement.specifier] != ["=="]:
        raise CrivoError(
            f"{path} has the line {line!r}; expected a lock with one `name==version` a package: "
            "make it with `make lock`."
        )
    return requirement


def _same(installed: str, locked: str) -> bool:
    if installed == locked:
        return True
    try:
        return Version(installed) == Version(locked)
    except InvalidVersion:
        return False


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _shorten(mismatches: list[str]) -> str:
    more = len(mismatches) - SHOWN
    return ", ".join(mismatches[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _mend(path: str | Path) -> str:
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        return "set the environment up again with `make clean install`"
    # Not resolved: the link inside the environment is what must be called.
    python = Path(sys.executable)
    if python.is_relative_to(Path.cwd()):
        python = python.relative_to(Path.cwd())
    return f"fix it with `{python} -m pip install --require-hashes -r {path}`"
