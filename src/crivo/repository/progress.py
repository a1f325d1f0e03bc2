"""Progress bars of long work with the time left: on a terminal only, and after a second."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext
from typing import TypeVar

from crivo.core.text_guard import escape_control

T = TypeVar("T")

# Seconds of work that show no bar: it would be gone at once.
DELAY = 1.0
FORM = "{desc} {bar} {n_fmt}/{total_fmt}, {remaining} left"


@contextmanager
def steps(total: int, what: str) -> Iterator[Callable[[], object]]:
    """Show a bar with the time left on a terminal; call what is given after each part."""
    from tqdm import tqdm

    with tqdm(
        total=total, desc=what, bar_format=FORM, delay=DELAY, leave=False, disable=not _wanted()
    ) as bar:
        yield bar.update


def each(items: Collection[T], what: str) -> Iterator[T]:
    """Yield the items, with a bar that counts them."""
    with steps(len(items), what) as step:
        for item in items:
            yield item
            step()


@contextmanager
def one_line() -> Iterator[Callable[[str], None]]:
    """Give what shows a text in place of the one before, on a terminal only.

    What is logged meanwhile appears above it.
    """
    from tqdm import tqdm
    from tqdm.contrib.logging import logging_redirect_tqdm

    wanted = _wanted()
    with (
        tqdm(bar_format="{desc}", leave=False, disable=not wanted, dynamic_ncols=True) as bar,
        logging_redirect_tqdm() if wanted else nullcontext(),
    ):
        yield lambda text: bar.set_description_str(escape_control(text))


def _wanted() -> bool:
    return logging.getLogger("crivo").isEnabledFor(logging.INFO) and sys.stderr.isatty()
