"""Starts a stage's process in an environment that doesn't depend on the user's shell.

It keeps the variables of a list and removes the others. Python starts again where its own variables
or options such as `-O` are in force. Then the read guard begins. `shell_variable` gives a block's
code a variable that was removed.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
import time
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from crivo.core.threads import with_waiting
from crivo.runtime.lateimports import import_late
from crivo.runtime.read_guard import watch_reads

# What stays, because it says where things are, who asks, and on how many cores work is done; a
# star stands for the rest of a name.
KEPT = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "NO_COLOR", "TMPDIR", "TEMP", "TMP"),
    *("LD_*", "DYLD_*", "CUDA_*", "NVIDIA_*", "OMP_*", "GOMP_*", "XDG_*", "VIRTUAL_ENV"),
    *("CRIVO_*", "SLURM_*", "COVERAGE_*", "JOBLIB_TEMP_FOLDER", "LOKY_MAX_CPU_COUNT"),
    *("MPLCONFIGDIR", "DVC_ROOT", "DVC_STAGE", "DVC_EXP_*", "DVC_*_DIR", "DVC_NO_ANALYTICS"),
    *("GIT_CONFIG_*", "SSL_CERT_*", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_*"),
    *("http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY"),
    # Of Windows.
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "USERNAME"),
    *("APPDATA", "LOCALAPPDATA", "PROGRAM*", "NUMBER_OF_PROCESSORS", "PROCESSOR_*"),
    # Of Python: these change what is printed, or when byte code is written and where.
    *("PYTHON_*", "PYTHONBREAKPOINT", "PYTHONCOERCECLOCALE", "PYTHONDONTWRITEBYTECODE"),
    *("PYTHONFAULTHANDLER", "PYTHONIOENCODING", "PYTHONNOUSERSITE", "PYTHONPROFILEIMPORTTIME"),
    *("PYTHONPYCACHEPREFIX", "PYTHONTRACEMALLOC", "PYTHONUNBUFFERED", "PYTHONUTF8"),
)
# What is set: files of a user's home and settings of DVC could say the same.
SET = {
    "DVC_STUDIO_OFFLINE": "1",
    "MATPLOTLIBRC": os.devnull,
    # pydantic would look through all installed packages for plugins, which change settings.
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
    "TZ": "UTC",
}
# Marks the second start, so that there is no third, and holds what was taken away.
AGAIN = "CRIVO_STARTED_AGAIN"

# New objects after which Python looks for garbage. Its own number, 700, makes imports a tenth
# slower: nearly all that they make stays.
NEW_OBJECTS = 20_000

# Python was started without its variables in the program that a stage of a trial is a fork of.
SERVER = "crivo.runtime.forkserver"

_in_force: list[str] = []
_taken: dict[str, str] = {}


def start_stage() -> None:
    """Clear the environment of a stage script, best before libraries are imported.

    From then on, what it reads of the project and doesn't declare is refused. What is taken away
    can be asked for by `shell_variable`.

    Exits with a sentence when something is in force that can't be taken away. With
    CRIVO_ENVIRONMENT=warn, as under a debugger, Python isn't started again, and what it was
    told stays in force; `in_force` names it.
    """
    script, first = Path(sys.argv[0]), AGAIN not in os.environ
    before = json.loads(os.environ.pop(AGAIN, "{}"))
    environment = cleared(os.environ)
    taken = {name: os.environ[name] for name in os.environ.keys() - environment.keys()}
    _in_force[:] = [] if SERVER in sys.modules else _told(os.environ)
    # The code of another clone, which is imported with -P, isn't part of the environment.
    if sys.flags.safe_path or (_in_force and os.environ.get("CRIVO_ENVIRONMENT") != "warn"):
        if first:
            _start_again({**environment, AGAIN: json.dumps(taken), "PYTHONUTF8": "1"})
        sys.exit(
            f"{script.stem}: Python runs with {', '.join(_in_force)}, which changes results "
            "and isn't recorded; remove it."
        )
    _taken.update(taken | before)
    os.environ.clear()
    os.environ.update(environment)
    if hasattr(time, "tzset"):  # not on Windows
        time.tzset()
    spare_garbage_collection()
    import_late()
    watch_reads(script)


def spare_garbage_collection() -> None:
    """Look for garbage less often, and not in the objects that are left when the process ends.

    Python looks through all modules several times at its end, a fifth of what a stage on a small
    table takes. What is registered to run at the end runs before.
    """
    gc.set_threshold(NEW_OBJECTS)
    atexit.register(gc.freeze)


def shell_variable(name: str) -> str | None:
    """Return an environment variable that a block needs, such as the address of a database.

    If the variable isn't set, return None. The variable isn't recorded, so no result may depend on
    it.

        crivo.shell_variable("DATABASE_URL")
    """
    return _taken.get(name, os.environ.get(name))


def cleared(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what a stage gets of environment variables, and those that are set for it.

    >>> cleared({"SCIPY_ARRAY_API": "1", "OMP_WAIT_POLICY": "active"}).keys() - SET.keys()
    {'OMP_WAIT_POLICY'}
    """
    left = {name: environment[name] for name in environment if _is_kept(name)}
    return with_waiting(left) | SET


def in_force() -> list[str]:
    """Return what Python was told at the start of this stage, and should not have been."""
    return list(_in_force)


def _is_kept(name: str) -> bool:
    name = name.upper() if os.name == "nt" else name
    return any(fnmatchcase(name, one) for one in KEPT)


def _told(environment: Mapping[str, str]) -> list[str]:
    """Return what Python took from its variables or options, and from the user's locale."""
    # An empty one counts as none.
    given = {name for name, value in environment.items() if value and name.startswith("PYTHON")}
    told = sorted(name for name in given if not _is_kept(name))
    options = {
        "-O": sys.flags.optimize,
        "-P": sys.flags.safe_path,
        "-W": sys.warnoptions,
        "-b": sys.flags.bytes_warning,
    }
    told += [option for option, value in options.items() if value and not told]
    if sys.getfilesystemencoding() != "utf-8":  # what files are read in that don't say
        told.append("a locale that isn't UTF-8")
    return told


def _start_again(environment: dict[str, str]) -> None:
    command = [sys.executable, *sys.argv]
    if os.name == "posix":
        os.execve(sys.executable, command, environment)
    import subprocess

    sys.exit(subprocess.run(command, env=environment, check=False).returncode)
