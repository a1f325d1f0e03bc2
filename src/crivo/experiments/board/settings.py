"""The settings in which the experiments of a board differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crivo.experiments.records import Record
from crivo.experiments.settings import plain, short_names, used

# Chosen blocks say the most, so they come first.
FIRST = ("dataset", "splitter", "featurizer", "model")


def varying_settings(records: Sequence[Record | None]) -> list[dict[str, Any]]:
    """Return each setting that the records don't all have alike.

    It has a `key`, a short `name`, the different `values`, and `of`: the place of each record's
    value among these, or None where no stage of it reads the setting.
    """
    read = [used(one.settings) if one else {} for one in records]
    keys = dict.fromkeys(key for settings in read for key in settings)
    varying = [key for key in keys if len({_told(one, key) for one in read}) > 1]
    varying.sort(key=lambda key: (FIRST.index(key) if key in FIRST else len(FIRST), key))
    names = short_names(varying)
    return [{"key": key, "name": names[key], **_coded(key, read)} for key in varying]


def _told(settings: dict[str, Any], key: str) -> tuple[bool, str]:
    return key in settings, plain(settings.get(key))


def _coded(key: str, read: Sequence[dict[str, Any]]) -> dict[str, Any]:
    texts = [plain(one[key]) if key in one else None for one in read]
    kept = {plain(one[key]): _scalar(one[key]) for one in read if key in one}
    ordered = sorted(kept, key=lambda text: _order(kept[text]))
    places = {text: place for place, text in enumerate(ordered)}
    return {
        "values": [kept[text] for text in ordered],
        "of": [None if text is None else places[text] for text in texts],
    }


def _scalar(value: Any) -> Any:
    """Return a number as it is, anything else as one would type it."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if number else plain(value)


def _order(value: Any) -> tuple[bool, float, str]:
    text = isinstance(value, str)
    return text, 0.0 if text else float(value), str(value)
