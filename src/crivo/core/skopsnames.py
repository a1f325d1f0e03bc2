"""Imports skops without its search for what it trusts.

skops lists every estimator of scikit-learn and every ufunc of numpy and scipy. To find them, it
imports all of scikit-learn at each start, half of what a stage on a small table takes. The lists
depend on four packages and the system only, so they stand in a file beside this one. With other
versions, or on another system, skops searches as before.
"""

from __future__ import annotations

import json
import platform
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

FILE = Path(__file__).with_name("skopsnames.json")
MODULE = "skops.io._trusted_types"
SUFFIX = "_TYPE_NAMES"

Lists = dict[str, list[str]]


def import_skops() -> ModuleType:
    """Return `skops.io`, which takes the stored lists if they are those of this environment."""
    if "skops.io" not in sys.modules and (lists := stored_lists()):
        module = ModuleType(MODULE, "Stored by crivo; see crivo.core.skopsnames.")
        vars(module).update(lists)
        sys.modules[MODULE] = module
    import skops.io

    io: ModuleType = skops.io
    return io


@cache
def stored_lists() -> Lists:
    """Return the stored lists, by the names that skops gives them; empty in other environments."""
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    lists: Lists = stored["lists"] if stored["made_with"] == _made_with() else {}
    return lists


def skops_lists() -> Lists:
    """Return the lists that skops uses in this process."""
    import_skops()
    from skops.io import _trusted_types

    found = vars(_trusted_types).items()
    return {name: list(names) for name, names in found if name.endswith(SUFFIX)}


def _made_with() -> dict[str, str]:
    import numpy as np
    import scipy
    import sklearn
    import skops

    return {
        "system": f"{sys.platform} {platform.machine()}",
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "skops": skops.__version__,
    }


def store() -> None:
    """Write the lists that skops finds by itself into the file; for a process of its own."""
    import skops.io  # noqa: F401 - before anything here stores its lists

    text = json.dumps({"made_with": _made_with(), "lists": skops_lists()}, indent=0)
    FILE.write_text(f"{text}\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    store()
