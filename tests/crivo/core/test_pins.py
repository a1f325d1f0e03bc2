"""A line of a lock is read as `packaging` reads it."""

from __future__ import annotations

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from crivo.core.pins import canonical_name, pinned, same_version

MARKERS = [
    "",
    " ; python_full_version < '3.12'",
    " ; python_full_version >= '3.12'",
    " ; python_full_version >= '3.11.2' and sys_platform == 'linux'",
    " ; python_full_version < '3.0' or implementation_name == 'cpython'",
    " ; python_full_version < '3.0' and os_name == 'nt' or implementation_name != 'PyPy'",
    " ; sys_platform == 'win32' or sys_platform == 'emscripten'",
    # Of no simple form.
    " ; (sys_platform == 'linux')",
    " ; python_version > '3.8'",
    "; python_full_version in '3.11'",
    " ; implementation_name == 'cpython' and (os_name == 'nt' or os_name == 'posix')",
]


@pytest.mark.parametrize("pin", ["numpy==2.4.6", "Ruamel.YAML_x==1.0.post1", "a==1.0rc1", "b==1!2"])
@pytest.mark.parametrize("marker", MARKERS)
def test_a_line_pins_what_packaging_says(pin: str, marker: str) -> None:
    requirement = Requirement(pin + marker)
    holds = requirement.marker is None or requirement.marker.evaluate()
    (specifier,) = requirement.specifier
    expected = (canonicalize_name(requirement.name), specifier.version) if holds else None
    assert pinned(pin + marker) == expected


@pytest.mark.parametrize("line", ["a>=1", "a", "a==1,!=2", "a===1", "a==1 ; nobody == 'knows'", ""])
def test_a_line_that_pins_nothing_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        pinned(line)


@pytest.mark.parametrize("name", ["a", "A.b", "a__b-c", "zope.interface"])
def test_a_name_has_one_spelling(name: str) -> None:
    assert canonical_name(name) == canonicalize_name(name)


def test_versions_are_compared_as_versions() -> None:
    assert same_version("1.0", "1")
    assert not same_version("1.0", "1.1")
    assert not same_version("unknown", "1.1")
