"""What all of the library's tests start with, and the order in which they run."""

import signal

import pytest

# A shell starts what runs in the background with Ctrl-C ignored, and so would what tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start the longest files first: no worker is left alone with one at the end.

    Only the evaluation's coverage has a limit, and measuring takes half as long as the tests.
    """
    items.sort(key=lambda item: [item.get_closest_marker(m) is None for m in ("long", "pipeline")])
    for item in items:
        if "evaluation" not in item.path.parts:
            item.add_marker("no_cover")
