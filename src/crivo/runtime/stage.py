"""Runs a stage: settings and environment checked first, errors told in one sentence."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from crivo.runtime.exit_status import one_sentence

from crivo.core.params import Params, read_params
from crivo.core.threads import limited_threads
from crivo.runtime.declared_params import declared_params, note_reads
from crivo.runtime.environment import locked_packages_only, require_locked_environment
from crivo.runtime.logs import log_level, log_to_terminal
from crivo.runtime.read_guard import any_code, require_declared_reads

log = logging.getLogger("crivo")

KEPT = "the stages before it are kept, what it wrote doesn't count: `dvc repro` runs it again."


def run_stage(stage: Callable[[Params], None]) -> None:
    """Run one stage with the checked settings; exit with 1 and a sentence when it can't.

    `CRIVO_LOG=debug` shows more, `warning` less, and tracebacks come with `debug`.
    """
    with one_sentence(stage.__name__, KEPT):
        log_to_terminal("%(levelname)s: %(message)s")
        log.setLevel(log_level())
        warnings.showwarning = _log_warning
        with any_code():
            params = read_params()
        require_locked_environment()
        read: set[str] = set()
        with limited_threads(), locked_packages_only():
            stage(declared_params(params, read))
        require_declared_reads()
        note_reads(read)


def _log_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Log what a library warns of in one line, without a place in its code."""
    log.warning("%s: %s", category.__name__, str(message).strip().partition("\n")[0].rstrip(": "))


@contextmanager
def progress(count: int) -> Iterator[Callable[[str], None]]:
    """Show a bar over so many steps on a terminal, nothing in a log.

    Call what is given, with the step's name, at the start of each step.
    """
    if not sys.stderr.isatty():
        yield lambda name: None
        return
    from tqdm import tqdm

    bar_format = "{desc} {bar} {n}/{total}, {remaining} left"
    with tqdm(total=count, leave=False, bar_format=bar_format) as bar:

        def step(name: str) -> None:
            bar.set_description_str(name)
            bar.update()

        yield step
