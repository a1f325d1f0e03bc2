"""Are the two locks in step with pyproject.toml, complete, and free of addresses?"""

import re
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from crivo.core.environment import differences, locked_versions

ROOT = Path(__file__).parents[2]
RUNTIME, DEVELOPMENT = ROOT / "requirements.txt", ROOT / "requirements-dev.txt"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DIRECT = {
    RUNTIME: PROJECT["project"]["dependencies"],
    DEVELOPMENT: PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["dev"],
}
BOTH = pytest.mark.parametrize("lock", [RUNTIME, DEVELOPMENT], ids=lambda path: path.name)

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


def required(names: Iterable[str]) -> list[tuple[str, Requirement]]:
    """Return who requires what, from these requirements down, as the packages say."""
    reached = []
    seen = set()
    waiting = [("pyproject.toml", Requirement(name)) for name in names]
    while waiting:
        who, requirement = waiting.pop()
        reached.append((who, requirement))
        for extra in {"", *requirement.extras}:
            package = canonicalize_name(requirement.name)
            if (package, extra) not in seen:
                seen.add((package, extra))
                waiting += [(package, needed) for needed in needed_by(package, extra)]
    return reached


def needed_by(package: str, extra: str) -> list[Requirement]:
    try:
        requirements = [Requirement(name) for name in metadata.requires(package) or []]
    except metadata.PackageNotFoundError:  # not installed, so not locked: that is told
        return []
    return [r for r in requirements if r.marker is None or r.marker.evaluate({"extra": extra})]


@BOTH
def test_lock_is_what_is_installed(lock):
    """What packages require is read from those that are installed."""
    assert differences(locked_versions(lock)) == []


@BOTH
def test_every_requirement_is_pinned_within_its_range(lock):
    versions = locked_versions(lock)
    wrong = [
        f"{who} requires {requirement}, locked is {versions.get(name)}"
        for who, requirement in required(DIRECT[lock])
        if (name := canonicalize_name(requirement.name)) not in versions
        or not requirement.specifier.contains(versions[name], prereleases=True)
    ]
    assert wrong == [], "run `make lock`"


@BOTH
def test_nothing_is_pinned_that_nothing_requires(lock):
    needed = {canonicalize_name(requirement.name) for _, requirement in required(DIRECT[lock])}
    assert sorted(locked_versions(lock).keys() - needed) == [], "run `make lock`"


@BOTH
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
    chosen = [e.name for e in entries if e.marker is None or e.marker.evaluate(machine)]
    assert sorted(chosen) == sorted(set(chosen))
    direct = {canonicalize_name(Requirement(name).name) for name in DIRECT[lock]}
    assert sorted(direct - set(chosen)) == []


@BOTH
def test_every_pin_has_hashes(lock):
    found = pins(lock)
    assert len(found) > len(DIRECT[lock])
    assert [pin for pin, hashes in found.items() if not hashes] == []
    for hashes in found.values():
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", entry) for entry in hashes)


def test_development_lock_holds_the_runtime_lock():
    development = pins(DEVELOPMENT)
    different = [pin for pin, hashes in pins(RUNTIME).items() if development.get(pin) != hashes]
    assert different == [], "run `make lock`"


@BOTH
def test_lock_names_no_address(lock):
    text = lock.read_text(encoding="utf-8")
    assert (
        re.findall(r"^.*(?:://|--(?:extra-)?index|--find-links|--trusted| @ ).*$", text, re.M) == []
    )


@BOTH
def test_lock_says_how_it_is_made(lock):
    assert "make lock" in lock.read_text(encoding="utf-8")[:200]
