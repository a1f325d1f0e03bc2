"""How a search ends before its time: what is said then, and how to go on."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from crivo.runtime.exit_status import sentence

from crivo.core.errors import CrivoError, NotRun
from crivo.records.searches import KeptTrial
from crivo.trials.search.journal import About

log = logging.getLogger("crivo.search")

# A search ends when so many trials have failed and none before them has a result.
FAILURES = 10


@contextmanager
def told_how_to_go_on(about: About) -> Iterator[None]:
    """Say how a search goes on that is interrupted, or whose trials can't be run here any more.

    CrivoError: they can't, through no fault of their own; those that didn't end aren't told.
    """
    try:
        yield
    except (NotRun, OSError) as error:
        raise CrivoError(
            f"{sentence(error)} {about.name} was stopped, and its finished trials are kept; "
            f"`crivo search --resume {about.name}` runs the others."
        ) from error
    except BaseException as error:
        if not isinstance(error, Exception):
            log.warning(
                "%s was interrupted; `crivo search --resume %s` goes on.", about.name, about.name
            )
        raise


def require_a_result(about: About, told: Sequence[KeptTrial], new: int) -> None:
    """Raise CrivoError when many new trials were told and not one of all has a result."""
    if new >= FAILURES and all(one.state == "failed" for one in told):
        raise CrivoError(
            f"The first {len(told)} trials of {about.name} failed, so it was stopped. The last "
            f"one: {told[-1].reason} Try one trial by itself (`crivo try`), and "
            f"fix the cause; `crivo search --resume {about.name}` continues in any case."
        )
