"""What each stage works out from the environment alone, done once before a process forks stages.

It is remembered by the file's path or its content, so a fork that finds another one works it out
itself. Nothing here starts a thread or looks at a project's settings or data.
"""

from __future__ import annotations

import sys
from contextlib import suppress

from crivo.core.environment import locked_versions
from crivo.core.errors import CrivoError


def work_out() -> None:
    """Look which linear algebra is loaded, which plugins scikit-learn has, what the lock pins."""
    from threadpoolctl import ThreadpoolController

    ThreadpoolController()  # remembers each library that is loaded by now
    if "sklearn" in sys.modules:
        from sklearn.utils.validation import check_array

        check_array([[0.0]])  # asks all packages for plugins that know other tables
    with suppress(CrivoError):  # the stage says so
        locked_versions()
