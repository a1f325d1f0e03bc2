"""Compares the installed packages with the lock, requirements.txt. Each stage does this first.

The lock is a dependency of every stage, so an experiment records it, and that record must be true.
A package may be locked as a file in the project (`vendor/crivo-….whl --hash=…`): two wheels may
have the same version, but the installer notes the hash of the file that it installed.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, canonicalize_version, parse_wheel_filename

from crivo.core.errors import CrivoError
from crivo.core.text_guard import escape_control
from crivo.core.wording import a_few
from crivo.runtime.start import in_force

# CRIVO_ENVIRONMENT=warn lets a stage run in another environment, with a warning.
SWITCH = "CRIVO_ENVIRONMENT"
SHOWN = 3


def require_locked_environment(path: str | Path = "requirements.txt") -> None:
    """Raise CrivoError when packages differ from the lock's.

    With the environment variable CRIVO_ENVIRONMENT=warn, a difference is a warning on standard
    error.
    """
    switch = os.environ.get(SWITCH, "")
    if switch not in ("", "warn"):
        raise CrivoError(f"{SWITCH} is {switch!r}; expected `warn`, or leave it unset.")
    if not (mismatches := lock_differences(path)):
        return
    mend = f"fix it with `{sys.executable} -m pip install --require-hashes -r {path}`"
    message = f"This environment differs from {path}: {a_few(mismatches, SHOWN)}; {mend}"
    if switch != "warn":
        raise CrivoError(f"{message}, or set {SWITCH}=warn to continue anyway.")
    print(escape_control(f"Warning: {message}."), file=sys.stderr)


def environment_state(path: str | Path = "requirements.txt") -> dict[str, str]:
    """Return what a result records of its environment: is it the lock's?

    Not which Python: with each that the lock is made for, results are the same bytes.
    """
    return {"environment": "differs" if lock_differences(path) else "locked"}


class Pin(NamedTuple):
    """A package and its version; if it is locked as a wheel, the file's path and hash."""

    name: str
    version: str
    wheel: str = ""
    sha256: str = ""


def locked_packages(path: str | Path) -> Iterator[Pin]:
    """Give what a lock pins for this Python and system.

    CrivoError: there is no lock, or a line of it pins nothing.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError:
        raise CrivoError(
            f"There is no lock {str(path)!r}: run from the project's folder, or make it "
            "with `make lock`."
        ) from None
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith((" ", "#", "-")) or not line.strip():
            continue
        named, *hashes = re.split(r"\s+--hash=sha256:", line.strip())
        try:
            pin = _pin(named, hashes)
        except ValueError:
            raise CrivoError(
                f"{path} has the line {named!r}; expected a lock with one `name==version` per "
                "package; make it with `make lock`."
            ) from None
        if pin is not None:
            yield pin


def _pin(named: str, hashes: list[str]) -> Pin | None:
    """Return what a line pins; None if only for others; ValueError if it pins nothing."""
    if named.endswith(".whl") and hashes:
        name, version, *_ = parse_wheel_filename(Path(named).name)
        return Pin(name, str(version), named.removeprefix("./"), hashes[0])
    requirement = Requirement(named)
    (specifier,) = requirement.specifier
    if specifier.operator != "==":
        raise ValueError
    counts = requirement.marker is None or requirement.marker.evaluate()
    return Pin(canonicalize_name(requirement.name), specifier.version) if counts else None


def lock_differences(path: str | Path) -> list[str]:
    """Return a phrase for each way in which this environment differs from a lock.

    Packages that the lock doesn't name, such as development tools, make no difference; nor do those
    for other systems and other Pythons. What Python was told at the start of a stage does.
    CrivoError as of `locked_packages`.
    """
    mismatches = []
    for pin in sorted(locked_packages(path)):
        try:
            found = distribution(pin.name)
        except PackageNotFoundError:
            mismatches.append(f"{pin.name} is missing (locked {pin.version})")
            continue
        if canonicalize_version(version := _version(found)) != canonicalize_version(pin.version):
            mismatches.append(f"{pin.name} is {version} (locked {pin.version})")
        elif pin.wheel and _installed_hash(found) not in (None, pin.sha256):
            mismatches.append(
                f"{pin.name} was installed from a file other than the locked {pin.wheel} "
                "(uninstall it first)"
            )
    return mismatches + [f"Python was started with {told}" for told in in_force()]


@contextmanager
def locked_packages_only() -> Iterator[None]:
    """Let pandas compute alone: it would use two packages, though no lock names them."""
    import pandas as pd

    with pd.option_context("compute.use_bottleneck", False, "compute.use_numexpr", False):
        yield


def _version(package: Distribution) -> str:
    """Return a package's version; to parse all of their metadata takes a tenth of a second."""
    stated = re.search(r"^Version: (.+)$", package.read_text("METADATA") or "", re.MULTILINE)
    return stated[1].strip() if stated else package.version


def _installed_hash(package: Distribution) -> str | None:
    """Return the hash of the file that a package was installed from, if the installer noted it."""
    try:
        noted = json.loads(package.read_text("direct_url.json") or "")
        return str(noted["archive_info"]["hashes"]["sha256"])
    except (ValueError, LookupError, TypeError):
        return None
