"""What all of the library's tests start with, and the order in which they run."""

import gc
import os
import signal
from pathlib import Path

import dvc  # noqa: F401  # its log keeps the output of the moment in which it is first imported
import pytest
from hypothesis import HealthCheck, settings

from tests.crivo.made_once import plain_folder

# A shell starts what runs in the background with Ctrl-C ignored, and so would what tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What the user has set for git doesn't count, nor what a hook of git's that runs the tests is told.
for name in [one for one in os.environ if one.startswith("GIT_") and "_SSL_" not in one]:
    del os.environ[name]
os.environ |= {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": str(Path(__file__).with_name("gitconfig")),
    "GIT_CONFIG_COUNT": "1",  # the checkout may belong to somebody else
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": str(Path(__file__).parents[2]),
}

# A busy machine isn't a fault of the code. Each run tries the same examples, so that it finds the
# same; CRIVO_FUZZ=20 tries twenty times as many, other ones each time.
TIMES = int(os.environ.get("CRIVO_FUZZ", "0"))
settings.register_profile(
    "quick",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=25 * max(TIMES, 1),
    derandomize=not TIMES,
)
settings.load_profile("quick")


UNUSUAL = "Ünï çödé 'q' $(x)"

# Folders and files whose tests run whole pipelines, kill processes, fuzz, or need a browser, a
# cluster or the shop's project: `make test-slow`. The other tests are `make test`.
SLOW = """
behaviour
docs/test_site.py
examples
faults
fuzz
pipeline
evaluation/report/test_browser.py
experiments/test_clusters.py
project/test_started.py
runtime/test_lateimports.py
sharing/test_bytes.py
test_ci.py
test_new_task.py
"""
HERE = Path(__file__).parent
PLACES = [HERE / name for name in SLOW.split()]
assert all(place.exists() for place in PLACES), "SLOW names what is there"
# They need a project that takes a minute to make: one file begins with it, the others come last.
BEHAVIOUR, PIPELINE = HERE / "behaviour", HERE / "pipeline"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests and those that share a project, before they are chosen or left out."""
    for item in items:
        if any(item.path.is_relative_to(place) for place in PLACES):
            item.add_marker(pytest.mark.slow)
        if item.path.parent in (BEHAVIOUR, PIPELINE):
            item.add_marker(pytest.mark.pipeline)
            # Whichever comes first makes the project, or waits for it.
            item.add_marker(pytest.mark.timeout(900))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Put the tests that were chosen in an order in which no worker waits for another."""
    behaviour = [item.path for item in session.items if BEHAVIOUR in item.path.parents]
    order = dict.fromkeys(behaviour, 2) | dict.fromkeys(behaviour[:1], 0)
    session.items.sort(key=lambda item: order.get(item.path, 1))
    # What has been imported and collected stays: no collection of garbage need look at it again.
    gc.collect()
    gc.freeze()
    # Tests leave little garbage; seeking it as often as Python does takes 4 % of their time.
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def unusual_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let all that tests make lie below a folder whose name is hard on shells and encodings."""
    folder = tmp_path_factory.getbasetemp() / UNUSUAL
    folder.mkdir()
    tmp_path_factory._basetemp = folder


@pytest.fixture
def project(tmp_path: Path) -> object:
    """Give an empty repository, to be filled with experiments; some folders have others."""
    from tests.crivo.experiments.repository import Project

    return Project(tmp_path / "project")


@pytest.fixture
def toy(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> object:
    """Give a DVC project whose two stages take no time and have run, to do anything with."""
    from tests.crivo.toy import made_toy

    return made_toy(tmp_path_factory, tmp_path / "toy")


@pytest.fixture
def tmp_path(
    request: pytest.FixtureRequest, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Give a folder of the test's own; one of usual letters for what DVC can do only there."""
    if request.node.get_closest_marker("plain_path") is None:
        return tmp_path
    return plain_folder(tmp_path_factory)
