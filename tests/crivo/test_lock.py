"""Are the locks in step with pyproject.toml, complete, and free of addresses?"""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from crivo.runtime.environment import lock_differences
from tests.crivo.processes import python

ROOT = Path(__file__).parents[2]
RUNTIME, DEVELOPMENT = ROOT / "requirements.txt", ROOT / "requirements/dev.txt"
EXTRAS, BUILD = ROOT / "requirements/extras.txt", ROOT / "requirements/build.txt"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OPTIONAL = PROJECT["project"]["optional-dependencies"]
# The default data come with this repository, so their package is in its lock.
USED = PROJECT["project"]["dependencies"] + OPTIONAL["flights"]
DIRECT = {
    RUNTIME: USED,
    DEVELOPMENT: USED + PROJECT["dependency-groups"]["dev"],
    EXTRAS: USED + [name for extra in OPTIONAL.values() for name in extra],
    BUILD: PROJECT["build-system"]["requires"],
}
EACH = pytest.mark.parametrize("lock", DIRECT, ids=lambda path: path.name)

PYTHONS = ["3.11.0", "3.12.0", "3.13.0"]
SYSTEMS = {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}


def pins(lock: Path) -> dict[str, list[str]]:
    """Return the hashes of each pin, as the lock spells it."""
    text = re.sub(r"^ *#.*\n", "", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)
    entries = re.split(r"\n(?! )", text.strip())
    return {
        pin.strip(): [line.strip() for line in hashes]
        for pin, *hashes in (entry.split("\\\n") for entry in entries)
    }


def applies(requirement: Requirement, **environment: str) -> bool:
    return requirement.marker is None or requirement.marker.evaluate(dict(environment))


@EACH
def test_lock_is_what_is_installed(lock):
    """What packages require is read from those that are installed."""
    assert lock_differences(lock) == []


def test_what_is_installed_fits_together():
    """So what is locked does, for that is what is installed."""
    done = python("-m", "pip", "check")
    assert done.returncode == 0, done.stdout


@EACH
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_direct_dependencies_are_pinned_once_on_every_python_and_system(lock, python, system):
    machine = {
        "python_version": python.rpartition(".")[0],
        "python_full_version": python,
        "sys_platform": system,
        "platform_system": SYSTEMS[system],
    }
    entries = [Requirement(pin) for pin in pins(lock)]
    chosen = [entry.name for entry in entries if applies(entry, **machine)]
    assert sorted(chosen) == sorted(set(chosen))
    named = [one for one in map(Requirement, DIRECT[lock]) if applies(one, **machine)]
    direct = {canonicalize_name(one.name) for one in named}
    assert sorted(direct - set(chosen)) == []


@EACH
def test_every_pin_has_hashes_and_no_address(lock):
    for pin, hashes in pins(lock).items():
        assert hashes, pin
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", entry) for entry in hashes)
    text = lock.read_text(encoding="utf-8")
    address = r"^.*(?:://|--(?:extra-)?index|--find-links|--trusted| @ ).*$"
    assert re.findall(address, text, re.M) == []


@pytest.mark.parametrize(
    ("inner", "outer"),
    [(RUNTIME, DEVELOPMENT), (RUNTIME, EXTRAS), (EXTRAS, DEVELOPMENT)],
    ids=lambda path: path.name,
)
def test_a_larger_lock_holds_the_smaller_one(inner, outer):
    smaller, larger = (
        {re.sub(r"\[.*?\]", "", pin): hashes for pin, hashes in pins(lock).items()}
        for lock in (inner, outer)
    )
    different = [pin for pin, hashes in smaller.items() if larger.get(pin) != hashes]
    assert different == [], "run `make lock`"
