"""`Request`: the options of `crivo start`, such as the target and the roles of columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crivo.core.schema import Task

# Below these a random split is cut just at its shares, and rare classes can't be evaluated.
FEW_ROWS, FEW_OF_A_CLASS, RARE = 1_000, 100, 10
# Beyond this the quarantine's limit is raised only with --yes.
MAX_LIMIT = 0.2
# How a file is read; what another one of its table needs, too.
READING = (
    *("types", "missing", "delimiter", "encoding"),
    *("decimal", "day_first", "header", "sheet"),
)


@dataclass(frozen=True)
class Request:
    """The options of `crivo start`; what is left out is found out."""

    target: str
    task: Task | None = None
    positive: str | None = None
    id: tuple[str, ...] = ()
    time: str | None = None
    group: str | None = None
    weight: str | None = None
    outcome: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    sheet: str | None = None
    # More than a fifth of the rows may be set aside.
    yes: bool = False

    def table(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of `datasets.table`: how to read stays as it was, roles are new."""
        settings = {name: known[name] for name in READING if known.get(name) is not None}
        if self.sheet is not None:
            settings["sheet"] = self.sheet
        return settings | self._said | {"info": [], "min_class_rows": 1}

    def is_met_by(self, known: Mapping[str, Any]) -> bool:
        """Say whether `datasets.table` says already all that is asked for."""
        asked = self._said | {"sheet": self.sheet}
        return all(known.get(name) == value for name, value in asked.items() if value)

    @property
    def _said(self) -> dict[str, Any]:
        said = {name: value for name, value in vars(self).items() if name not in ("sheet", "yes")}
        return {name: [*one] if isinstance(one, tuple) else one for name, one in said.items()}

    @property
    def splitter(self) -> str:
        """The name of the splitter that suits the roles."""
        names = [name for name in ("time", "group") if getattr(self, name)]
        return f"by_{'_and_'.join(names)}" if names else "at_random"
