"""Reads a line of a lock: which version it pins of which package, and for which Python.

The package `packaging` reads all that such a line may say, and takes as long to import as reading
a small table. What the lines of this lock say is read without it.
"""

from __future__ import annotations

import os
import re
import sys

PIN = re.compile(
    r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)==([0-9]+(?:\.[0-9]+)*(?:\.post[0-9]+)?)"
    r"(?: ; (.+))?"
)
TEXTS = {
    "implementation_name": sys.implementation.name,
    "os_name": os.name,
    "sys_platform": sys.platform,
}
# What `sys.hexversion` says of a release.
RELEASED = 0xF0
OF_PYTHON = re.compile(r"python_full_version (<|>=) '([0-9]+(?:\.[0-9]+)*)'")
OF_TEXT = re.compile(rf"({'|'.join(TEXTS)}) (==|!=) '([A-Za-z][A-Za-z0-9_-]*)'")


def canonical_name(name: str) -> str:
    """Return the one spelling of a package's name.

    >>> canonical_name("ruamel.YAML_clib")
    'ruamel-yaml-clib'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(line: str) -> tuple[str, str] | None:
    """Return the package and version that a line pins; None if it is for another Python or system.

    ValueError: the line isn't `name==version`, with a marker or without.

    >>> pinned("NumPy==2.4.6"), pinned("pywin32==312 ; sys_platform == 'nowhere'")
    (('numpy', '2.4.6'), None)
    """
    match = PIN.fullmatch(line)
    holds = None if match is None else (_holds(match[3]) if match[3] else True)
    if match is None or holds is None:
        return _pinned_in_any_form(line)
    return (canonical_name(match[1]), match[2]) if holds else None


def _holds(marker: str) -> bool | None:
    """Say whether a marker holds here; None if it isn't of a simple form."""
    found = [[_compared(one) for one in each.split(" and ")] for each in marker.split(" or ")]
    if any(one is None for each in found for one in each):
        return None
    return any(all(each) for each in found)


def _compared(comparison: str) -> bool | None:
    if match := OF_TEXT.fullmatch(comparison):
        return (TEXTS[match[1]] == match[3]) is (match[2] == "==")
    match = OF_PYTHON.fullmatch(comparison)
    if match is None or sys.hexversion & 0xF0 != RELEASED:
        return None  # a Python before its release is less than that
    limit = tuple(map(int, match[2].split(".")))
    return (sys.version_info[:3] >= limit) is (match[1] == ">=")


def _pinned_in_any_form(line: str) -> tuple[str, str] | None:
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(line)
        (specifier,) = requirement.specifier
    except InvalidRequirement as error:
        raise ValueError(str(error)) from None
    if specifier.operator != "==":
        raise ValueError(f"{specifier} pins no version")
    if requirement.marker is not None and not requirement.marker.evaluate():
        return None
    return canonical_name(requirement.name), specifier.version


def same_version(one: str, other: str) -> bool:
    """Say whether two spellings mean the same version; one that isn't a version has none.

    >>> same_version("1.0", "v1.0.0"), same_version("1.0", "unknown")
    (True, False)
    """
    if one == other:
        return True
    from packaging.version import InvalidVersion, Version

    try:
        return Version(one) == Version(other)
    except InvalidVersion:
        return False
