"""Opens a project with DVC's Python library, and edits its local configuration."""

from __future__ import annotations

from crivo.runtime.messages import sentence

import locale
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError

# The sections of a configuration that stand there once for each name.
NAMED = ("remote", "machine", "db")
# What DVC fills in where it shows a path or reads one from its configuration.
PLACEHOLDER = re.compile(r"[{}]|%\([^)]*\)s")


def open_dvc(project: Path) -> Any:
    """Return DVC's view of a project, which waits for the lock of another process of DVC's.

    CrivoError: it is none of DVC's, DVC can't read it or store files in its folder, or isn't
    installed.
    """
    if found := PLACEHOLDER.search(str(project.resolve())):
        raise CrivoError(
            f"DVC takes {found[0]!r} in the path {project.resolve()} for a placeholder and fails "
            "there; rename or move the folder, then run this again."
        )
    try:
        from dvc.exceptions import NotDvcRepoError
        from dvc.repo import Repo
    except ImportError as error:
        raise CrivoError(
            f"DVC can't be imported ({error}), and this needs it; install the project's "
            "environment with `pip install -r requirements.txt`."
        ) from None

    with explained():
        try:
            return Repo(str(project), _wait_for_lock=True)
        except NotDvcRepoError:
            raise CrivoError(
                f"{project} isn't a DVC project; run this in the project's folder, the one that "
                "has `.dvc`."
            ) from None


@contextmanager
def explained(refusal: Callable[[str], CrivoError] = CrivoError) -> Iterator[None]:
    """Turn DVC's errors into one of ours; it raises TypeError for a bare date in params.yaml."""
    from dvc.exceptions import DvcException

    try:
        yield
    except OSError as error:
        raise refusal(f"DVC can't work on the project: {sentence(error)}") from None
    except (DvcException, TypeError, ValueError) as error:
        # Of a file of the wrong form, DVC's own sentence says only that it is.
        words = " ".join(str(error).split()) or type(error).__name__
        reason = " ".join(f"{error.__cause__ or ''}".split())
        words += "" if reason in words else f"; {reason}"
        raise refusal(f"DVC can't read the project: {words.rstrip('.')}. Correct it.") from None


@contextmanager
def edit_config(project: Path) -> Iterator[dict[str, Any]]:
    """Give a project's local configuration to change; DVC itself writes no letter beyond ASCII."""
    from configobj import ConfigObj
    from dvc.config import Config

    config = Config(str(project / ".dvc"), validate=False)
    values = config.read("local")
    yield values
    written = ConfigObj(encoding=locale.getpreferredencoding(False))
    for section, options in values.items():
        if section in NAMED:
            written.update({f'{section} "{name}"': chosen for name, chosen in options.items()})
        elif options:
            written[section] = options
    written.filename = config.files["local"]
    written.write()


def path_of(out: Any) -> str:
    """Return an output's path in the project."""
    return "/".join(out.index_key[1])
