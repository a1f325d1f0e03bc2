"""Names of experiments: after the settings they change, and after what runs them again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from crivo.records.settings import changed_words, changes, plain

# Longer names are cut, and end in a hash of the whole.
MAX_NAME_LENGTH = 80


def experiment_name(
    settings: Mapping[str, Any], before: Mapping[str, Any], files: Sequence[str] = ()
) -> str:
    """Return a name that says what changed: `boosting-learning_rate=0.05`, `boosting-code=flights`.

    >>> experiment_name({"model": "a", "models": {"a": {"x": 2}}},
    ...                 {"model": "a", "models": {"a": {"x": 1}}}, ["src/train.py"])
    'a-x=2-code=train'
    """
    changed_settings = changes(settings, before)
    model = changed_settings.pop("model", (settings.get("model"), None))[0]
    code = "+".join(sorted({PurePosixPath(path).stem for path in files}))
    parts = [plain(model), *changed_words(changed_settings), *([f"code={code}"] if code else [])]
    return valid_name("-".join(parts))


def valid_name(text: str) -> str:
    """Return the text as a name that git and DVC take."""
    name = re.sub(r"[^\w.+=,-]+|\.\.+|\.lock$", "_", text).strip("._-") or "experiment"
    if len(name) <= MAX_NAME_LENGTH:
        return name
    digest = hashlib.blake2b(name.encode(), digest_size=4).hexdigest()
    return f"{name[: MAX_NAME_LENGTH - 9]}-{digest}"


def numbered(name: str, taken: set[str]) -> str:
    """Return the name, with a number when it is taken.

    >>> numbered("a", {"a", "a-2"})
    'a-3'
    """
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name}-{number}"
    return candidate
