"""Opens dvclive so that it records a stage's metrics and touches nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from dvclive import Live


@contextmanager
def tracker(folder: Path) -> Iterator[Live]:
    """Give a dvclive logger that writes to `folder`.

    Left to itself dvclive rewrites `dvc.yaml` and records an experiment of its own; both are
    DVC's work here, so both are off. CrivoError: the repository has no commit, which it asks for.
    """
    from dvclive import Live
    from scmrepo.exceptions import SCMError

    try:
        live = Live(str(folder), dvcyaml=None, save_dvc_exp=False, report=None)
    except SCMError as error:
        raise CrivoError(
            f"dvclive can't ask git for the last commit ({error}); commit the project first, so "
            "that its results can be traced to a commit."
        ) from None
    with live:
        yield live
