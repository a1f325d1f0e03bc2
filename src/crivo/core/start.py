"""Takes from a stage's environment what could change its results without being recorded.

A variable of the shell is in no commit, so no result may depend on one. Libraries read theirs
when they are imported: a stage script calls `start_stage` before its other imports. Number and
waiting of threads (`OMP_*`) stay the user's, and so do the variables `CRIVO_*`.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from crivo.core.lateimports import import_late
from crivo.core.reads import watch_reads

# What is taken away, and what reads it; a star stands for the rest of a name.
REMOVED = {
    "ARROW_*": "pyarrow: how files are written, and with which instructions",
    "BLIS_*": "linear algebra: threads and kernels",
    "DVCLIVE_*": "dvclive: goes on with the metrics of an older run",
    "DVC_STUDIO_*": "dvclive: sends metrics to a server",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES": "git: objects of another repository",
    "GIT_CEILING_DIRECTORIES": "git: hides the repository that the stage stands in",
    "GIT_COMMON_DIR": "git: another repository than that of the stage",
    "GIT_DIR": "git: another repository than that of the stage",
    "GIT_INDEX_FILE": "git: another list of files than the repository's",
    "GIT_NAMESPACE": "git: other branches than the repository's",
    "GIT_OBJECT_DIRECTORY": "git: objects of another repository",
    "GIT_WORK_TREE": "git: another repository than that of the stage",
    "JOBLIB_*": "joblib: how work is spread over processes",
    "LANG": "what text a block gets that asks for the user's language",
    "LANGUAGE": "the same",
    "LC_*": "the same, and how it writes numbers and dates",
    "LGBM_*": "lightgbm: threads",
    "LOKY_*": "joblib: how work is spread over processes",
    "MATPLOTLIBRC": "matplotlib: how figures look",
    "MKL_*": "linear algebra: threads and kernels",
    "MPLBACKEND": "matplotlib: what draws",
    "MPL_*": "matplotlib: which fonts there are",
    "NPY_*": "numpy: types of results, and instructions",
    "NUMPY_*": "numpy: what is tried out",
    "OPENBLAS_*": "linear algebra: threads and kernels",
    "ORC_*": "pyarrow: instructions",
    "PANDAS_*": "pandas: types of columns",
    "PANDERA_*": "pandera: whether rows are checked",
    "PYARROW_*": "pyarrow and pandera: time zones",
    "PYDANTIC_*": "pydantic: whether settings are checked",
    "SCIPY_*": "scipy and scikit-learn: kinds of arrays",
    "SIMDJSON_*": "pyarrow: instructions",
    "SKLEARN_*": "scikit-learn: whether numbers are checked, sizes of pieces and so sums",
    "SOURCE_DATE_EPOCH": "matplotlib: a date in a figure",
    "STUDIO_*": "dvclive: sends metrics to a server",
    "TZ": "pandas and dateutil: what a time without a zone, or with its name, means",
    "TZDIR": "the rules of time zones",
    "VECLIB_*": "linear algebra: threads and kernels",
}
# What stays of these, because it says only where, or on how many cores, work is done.
KEPT = ("JOBLIB_TEMP_FOLDER", "LOKY_MAX_CPU_COUNT")
# What takes its place: files of a user's home and settings of DVC could say the same.
SET = {
    "DVC_STUDIO_OFFLINE": "1",
    "MATPLOTLIBRC": os.devnull,
    # pydantic would look through all installed packages for plugins, which change settings.
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
    "TZ": "UTC",
}

# Python reads its own variables before a stage's first line: with any of them but these, the
# stage starts anew. These change what is printed, or when byte code is written and where.
HARMLESS = frozenset(
    (
        *("PYTHONASYNCIODEBUG", "PYTHONBREAKPOINT", "PYTHONCOERCECLOCALE", "PYTHONDEBUG"),
        *("PYTHONDONTWRITEBYTECODE", "PYTHONFAULTHANDLER", "PYTHONIOENCODING", "PYTHONMALLOC"),
        *("PYTHONMALLOCSTATS", "PYTHONNODEBUGRANGES", "PYTHONNOUSERSITE", "PYTHONPERFSUPPORT"),
        *("PYTHONPROFILEIMPORTTIME", "PYTHONPYCACHEPREFIX", "PYTHONTRACEMALLOC"),
        *("PYTHONUNBUFFERED", "PYTHONUTF8", "PYTHONVERBOSE"),
    )
)
# Its own environment variable marks the second start, so that there is no third.
AGAIN = "CRIVO_STARTED_AGAIN"

# New objects after which Python looks for garbage. Its own number, 700, makes imports a tenth
# slower: nearly all that they make stays.
NEW_OBJECTS = 20_000

# Options of GNU's `mallopt`: from which size of free memory on some is given back, and how many
# pieces of memory may come from the system instead of the memory that the process keeps.
M_TRIM_THRESHOLD, M_MMAP_MAX, NEVER = -1, -4, -1

_in_force: list[str] = []


def start_stage() -> None:
    """Clear the environment of a stage script; first of all, before libraries are imported.

    From then on, what it reads of the project and doesn't declare is refused.

    Exits with a sentence when something is in force that can't be taken away. With
    CRIVO_ENVIRONMENT=warn, as under a debugger, Python isn't started again, and what it was
    told stays in force; `in_force` names it.
    """
    script = Path(sys.argv[0])
    environment = cleared(os.environ)
    _in_force[:] = _told(os.environ)
    # The code of another clone isn't part of the environment.
    if sys.flags.safe_path or (_in_force and os.environ.get("CRIVO_ENVIRONMENT") != "warn"):
        if AGAIN in os.environ:
            sys.exit(
                f"{script.stem}: Python runs with {', '.join(_in_force)}, which changes results "
                "and is recorded nowhere; take it away."
            )
        _start_again(environment)
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]
    os.environ.update(environment)
    os.environ.pop(AGAIN, None)
    if hasattr(time, "tzset"):  # not on Windows
        time.tzset()
    spare_garbage_collection()
    keep_freed_memory()
    import_late()
    watch_reads(script)


def spare_garbage_collection() -> None:
    """Look for garbage less often, and not in the objects that are left when the process ends.

    Python looks through all modules several times at its end, a fifth of what a stage on a small
    table takes. What is registered to run at the end runs before.
    """
    gc.set_threshold(NEW_OBJECTS)
    atexit.register(gc.freeze)


def keep_freed_memory() -> None:
    """Use freed memory again for large arrays, where the C library is that of GNU.

    It would give each array of more than 32 MB back to the system, which clears the pages of the
    next one. A quarter of the time of an evaluation of five million rows went to that.
    """
    import ctypes

    with suppress(AttributeError, OSError, TypeError):  # another C library
        set_option = ctypes.CDLL(None).mallopt
        set_option(M_MMAP_MAX, 0)
        set_option(M_TRIM_THRESHOLD, NEVER)


def cleared(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what a stage gets of environment variables, and those that are set for it.

    >>> cleared({"PANDAS_FUTURE_INFER_STRING": "0", "PATH": "/bin"}).keys() - SET.keys()
    {'PATH'}
    """
    left = {name: value for name, value in environment.items() if not _removed(name)}
    return left | SET


def without_python_s(environment: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables without those that Python itself reads and that count.

    >>> without_python_s({"PYTHONHASHSEED": "1", "PYTHONUTF8": "1", "PATH": "/bin"})
    {'PYTHONUTF8': '1', 'PATH': '/bin'}
    """
    return {name: value for name, value in environment.items() if not _of_python(name)}


def in_force() -> list[str]:
    """Return what Python was told at the start of this stage, and should not have been."""
    return list(_in_force)


def _removed(name: str) -> bool:
    if name in KEPT:
        return False
    return _of_python(name) or any(
        name.startswith(known[:-1]) if known.endswith("*") else name == known for known in REMOVED
    )


def _of_python(name: str) -> bool:
    # Docker's images of Python set PYTHON_VERSION and the like, which nothing reads.
    return name.startswith("PYTHON") and name[6:7].isalpha() and name not in HARMLESS


def _told(environment: Mapping[str, str]) -> list[str]:
    """Return what Python took from its variables or options, and from the user's locale."""
    # An empty one counts as none.
    told = sorted(name for name, value in environment.items() if value and _of_python(name))
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


def _start_again(environment: Mapping[str, str]) -> None:
    again = {**environment, AGAIN: "1", "PYTHONUTF8": "1"}
    command = [sys.executable, *sys.argv]
    if os.name == "posix":
        os.execve(sys.executable, command, again)
    import subprocess

    sys.exit(subprocess.run(command, env=again, check=False).returncode)
