"""Runs a stage: settings and environment checked first, errors told in one sentence."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from crivo.core.ending import one_sentence

from crivo.core.environment import locked_packages_only, require_locked_environment
from crivo.core.logs import log_level, log_to_terminal
from crivo.core.params import Params, read_params
from crivo.core.reads import require_declared_reads
from crivo.core.threads import limited_threads

log = logging.getLogger("crivo")

KEPT = "the stages before it are kept, what it wrote doesn't count: `dvc repro` runs it again."


def run_stage(stage: Callable[[Params], None]) -> None:
    """Run one stage with the checked settings; exit with 1 and a sentence when it can't.

    `CRIVO_LOG=debug` shows more, `warning` less, and tracebacks come with `debug`.
    """
    with one_sentence(stage.__name__, KEPT):
        log_to_terminal("%(levelname)s: %(message)s")
        log.setLevel(log_level())
        params = read_params()
        require_locked_environment()
        with limited_threads(), locked_packages_only():
            stage(params)
        require_declared_reads()


@contextmanager
def progress(steps: Sequence[str]) -> Iterator[Callable[[], None]]:
    """Show a bar over named steps on a terminal, nothing in a log.

    Call what is given at the start of each step.
    """
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from tqdm import tqdm

    bar_format = "{desc} {bar} {n}/{total}, {remaining} left"
    with tqdm(total=len(steps), leave=False, bar_format=bar_format) as bar:
        names = iter(steps)

        def step() -> None:
            bar.set_description_str(next(names))
            bar.update()

        yield step
