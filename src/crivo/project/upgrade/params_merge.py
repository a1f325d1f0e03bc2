"""Adds what is new to a team's params.yaml; every value that stands there stays."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.tokens import CommentToken

from crivo.core.formernames import SETTINGS as RENAMED
from crivo.core.parsing import parse_yaml
from crivo.project.params_file import replace_value, take_comment
from crivo.project.upgrade.merging import merged

Key = tuple[str, ...]
# A team writes this section as a whole: what it left out, it doesn't want.
WHOLE = ("limits",)


class SettingsMerge:
    """The settings that are added, those that go, and what to say of others; by dotted keys."""

    def __init__(self, base: Any, ours: Any, new: Any) -> None:
        self.added: dict[Key, Any] = {}
        self.removed: list[Key] = []
        self.notes: list[str] = []
        # Defaults that differ between the two versions, with the old one.
        self.defaults: dict[Key, Any] = {}
        self.values = self._section(base, ours, new, ())

    def _section(self, base: Any, ours: Any, new: Any, at: Key) -> dict[str, Any]:
        values = dict(ours)
        for name, value in new.items():
            key = (*at, name)
            if name not in ours:
                if name not in base and (ours or not base):
                    self.added[key] = values[name] = value
            elif _all_mappings(base.get(name), ours[name], value) and name not in WHOLE:
                values[name] = self._section(base[name], ours[name], value, key)
        for name, value in base.items():
            key = (*at, name)
            if name in new and not _all_mappings(value, new[name]) and new[name] != value:
                self.defaults[key] = value
                if name in ours and ours[name] == value:
                    notice = f"the default of {'.'.join(key)} is now {new[name]!r}"
                    self.notes.append(f"{notice}; your {value!r} stays")
            if name in ours and name not in new:
                self._gone(values, key, untouched=ours[name] == value)
        return values

    def _gone(self, values: dict[str, Any], key: Key, *, untouched: bool) -> None:
        if untouched:
            self.removed.append(key)
            del values[key[-1]]
        else:
            notice = f"{'.'.join(key)} is no longer a setting"
            self.notes.append(f"{notice}; your value stays: delete it when you don't need it")


def merged_settings(base: str, ours: str, new: str) -> tuple[str, list[str]]:
    """Return the text of a team's params.yaml with what is new, and what to say of it.

    Comments come along where the lines around them are as they were.
    """
    (base, _), (ours, phrases) = map(_with_current_names, (base, ours))
    plan = SettingsMerge(*(parse_yaml(text) or {} for text in (base, ours, new)))
    phrases += [f"new setting {'.'.join(key)}: {value!r}" for key, value in plan.added.items()]
    phrases += [f"the setting {'.'.join(key)} is gone" for key in plan.removed]
    phrases += plan.notes
    without_defaults = _edited(new, {}, plan.defaults, []) if plan.defaults else new
    text = merged("params.yaml", base.encode(), ours.encode(), without_defaults.encode())
    if text is not None and parse_yaml(text) == plan.values:
        return text.decode(), phrases
    if not (plan.added or plan.removed):
        return ours, phrases
    return _edited(ours, plan.added, {}, plan.removed), phrases


def _with_current_names(text: str) -> tuple[str, list[str]]:
    """Return settings with the keys that have other names now, and which they are."""
    lines, phrases = text.split("\n"), []
    values = YAML().load(text)
    for former, current in RENAMED.items():
        section, _, key = former.partition(".")
        own = values.get(section) if isinstance(values, CommentedMap) else None
        if isinstance(own, CommentedMap) and key in own:
            row, column = own.lc.key(key)
            rest = lines[row][column + len(key) :]
            lines[row] = f"{lines[row][:column]}{current.rpartition('.')[2]}{rest}"
            phrases.append(f"the setting {former} is called {current} now")
    return "\n".join(lines), phrases


def _edited(
    text: str, added: Mapping[Key, Any], replaced: Mapping[Key, Any], removed: list[Key]
) -> str:
    yaml = YAML()
    yaml.default_flow_style = False
    yaml.width = 4096
    values = yaml.load(text)
    for *sections, name in removed:
        _remove(_within(values, sections), name)
    for (*sections, name), value in replaced.items():
        replace_value(_within(values, sections), name, value)
    for (*sections, name), value in added.items():
        _add(_within(values, sections), name, value)
    out = io.StringIO()
    yaml.dump(values, out)
    return out.getvalue()


def _within(values: Any, sections: list[str]) -> Any:
    for name in sections:
        values = values[name]
    return values


def _add(values: CommentedMap, name: str, value: Any) -> None:
    """Add a setting behind the last; the comment there belongs to what follows."""
    last = next(reversed(values), None)
    comment = take_comment(values, last) if last is not None else None
    if comment is not None and not comment.value.startswith("\n"):
        # Its first line stands on the line of the last setting.
        own, _, rest = comment.value.partition("\n")
        _give_comment(values, last, CommentToken(f"{own}\n", comment.start_mark, None))
        comment.value = f"\n{rest}"
    values[name] = None
    _give_comment(values, name, comment)
    replace_value(values, name, value)


def _remove(values: CommentedMap, name: str) -> None:
    comment = take_comment(values, name)
    before = next((one for one in reversed(list(values)[: list(values).index(name)])), None)
    del values[name]
    if before is not None:
        _give_comment(values, before, comment)


def _give_comment(values: Any, name: Any, comment: Any) -> None:
    """Put a comment behind the last item of a value, however deep, unless one is there."""
    value = values[name]
    if isinstance(value, CommentedMap) and value:
        _give_comment(value, next(reversed(value)), comment)
    elif isinstance(value, CommentedSeq) and value:
        _give_comment(value, len(value) - 1, comment)
    elif comment is not None:
        slot = 2 if isinstance(values, CommentedMap) else 0
        place = values.ca.items.setdefault(name, [None] * 4)
        place[slot] = place[slot] or comment


def _all_mappings(*values: Any) -> bool:
    return all(isinstance(value, dict) for value in values)
