"""Opens dvclive so that it records a stage's metrics and touches nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dvclive import Live


@contextmanager
def tracker(folder: Path) -> Iterator[Live]:
    """Give a dvclive logger that writes to `folder`.

    Left to itself dvclive rewrites `dvc.yaml` and records an experiment of its own; both are
    DVC's work here, so both are off.
    """
    with _live()(str(folder), dvcyaml=None, save_dvc_exp=False, report=None) as live:
        yield live


def _live() -> type[Live]:
    from dvclive import Live

    class MetricsOnly(Live):
        """Doesn't open the project with DVC: only what is off needs it."""

        def _init_dvc(self) -> None:
            """Leave the repository alone; half a second, whatever the size of the table."""

        def post_data_to_studio(self) -> None:
            """Post nothing where nobody asks for it: all rows would be read again at each step."""
            if "data" not in self._studio_events_to_skip:
                super().post_data_to_studio()

    return MetricsOnly
