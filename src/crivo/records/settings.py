"""Compares the settings of two experiments, in words, and makes experiments' names from changes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from itertools import chain, count
from pathlib import PurePosixPath
from typing import Any

from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.params import COMMAND_SECTIONS
from crivo.core.registry import make_block
from crivo.repository.lock import flat

Flat = dict[str, Any]
# Longer names of experiments are cut, and end in a hash of the whole.
MAX_NAME_LENGTH = 80
# Which kinds of blocks have their settings in a folder.
KINDS_IN = {
    folder: [kind for kind, (name, _) in KINDS.items() if name == folder]
    for folder, _ in KINDS.values()
}


def used(settings: Mapping[str, Any]) -> Flat:
    """Return the settings that the pipeline reads, not those of blocks that aren't in use.

    >>> models = {"linear": {"C": 2.0}, "forest": {"trees": 9}}
    >>> used({"model": "prior", "baseline": "forest", "models": models, "compare": {"margin": 1}})
    {'model': 'prior', 'baseline': 'forest', 'models.forest.trees': 9}
    """
    return {key: value for key, value in flat(settings).items() if is_used(key, settings)}


def is_used(key: str, settings: Mapping[str, Any]) -> bool:
    """Whether the pipeline reads a setting with these blocks chosen."""
    folder, _, rest = key.partition(".")
    chosen = [settings.get(kind) for kind in KINDS_IN.get(folder, ())]
    return folder not in COMMAND_SECTIONS and (not chosen or rest.split(".")[0] in chosen)


def chosen_block(kind: str, settings: Mapping[str, Any]) -> Any:
    """Return the block of a kind that recorded settings choose; CrivoError for none."""
    name = settings.get(kind)
    if not isinstance(name, str):
        raise CrivoError(f"its settings choose no {kind}; run the experiment again.")
    return make_block(kind, name, settings_of(kind, settings))


def settings_of(kind: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of the block of a kind that is chosen; empty for none."""
    sections = settings.get(KINDS[kind][0]) or {}
    return sections.get(settings.get(kind)) or {}


def changes(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the settings that `one` reads and `other` has otherwise: (of one, of other).

    A setting that `other` doesn't have is None there. A newly chosen block's settings count
    only where they differ from those that `other` holds ready for it.

    >>> changes({"seed": 2, "model": "a"}, {"seed": 1, "model": "a"})
    {'seed': (2, 1)}
    >>> changes({"seed": True}, {"seed": 1, "block": 5}), changes({"seed": 1.0}, {"seed": 1})
    ({'seed': (True, 1), 'block': (None, 5)}, {})
    """
    before, own = flat(other), flat(one)
    changed_settings = {
        key: (value, before.get(key))
        for key, value in own.items()
        if _new(key, value, before) and is_used(key, one)
    }
    gone = [key for key in before if key not in own and is_used(key, other) and is_used(key, one)]
    return changed_settings | {key: (None, before[key]) for key in gone}


def _new(key: str, value: Any, before: Flat) -> bool:
    # DVC takes 1 and 1.0 for the same setting, and so do the models; 1 and true are two.
    known = before.get(key)
    return key not in before or known != value or isinstance(value, bool) != isinstance(known, bool)


def in_words(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Return what `one` changed, readable: `model=linear, C=0.5`; empty for nothing.

    >>> ready = {"linear": {"C": 2, "penalty": "l1"}, "forest": {"trees": 9}}
    >>> one = {"model": "linear", "models": {**ready, "linear": {"C": 0.5, "penalty": "l1"}}}
    >>> in_words(one, {"model": "forest", "models": ready})
    'model=linear, C=0.5'
    """
    return ", ".join(changed_words(changes(one, other)))


def changed_words(changed_settings: Mapping[str, tuple[Any, Any]]) -> list[str]:
    """Return changed settings as one would type them: `learning_rate=0.05`."""
    short = short_names(list(changed_settings))
    return [f"{short[key]}={plain(value)}" for key, (value, _) in changed_settings.items()]


def short_names(keys: Sequence[str]) -> dict[str, str]:
    """Return for each key its last part, or as many parts as tell it from the others.

    >>> [*short_names(["models.forest.depth", "models.boosting.depth", "evaluate.block"]).values()]
    ['forest.depth', 'boosting.depth', 'block']
    """
    names = {}
    for key in keys:
        parts = key.split(".")
        ends = (".".join(parts[-size:]) for size in range(1, len(parts)))
        names[key] = next(
            (end for end in ends if sum(f".{other}".endswith(f".{end}") for other in keys) == 1),
            key,
        )
    return names


def plain(value: Any) -> str:
    """Return a value as one would type it: `true`, `null`, `a+b` for a list.

    >>> plain(True), plain(None), plain(("a", "b")), plain(())
    ('true', 'null', 'a+b', 'none')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "+".join(map(plain, value)) or "none"
    return str(value)


def experiment_name(
    settings: Mapping[str, Any], before: Mapping[str, Any], files: Sequence[str] = ()
) -> str:
    """Return a name that says what changed: `boosting-learning_rate=0.05`, `boosting-code=flights`.

    >>> experiment_name({"model": "a", "models": {"a": {"x": 2}}},
    ...                 {"model": "a", "models": {"a": {"x": 1}}}, ["src/train.py", "src/a.py"])
    'a-x=2-code=a+train'
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
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(one for one in names if one not in taken)
