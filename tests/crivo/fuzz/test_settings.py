"""Any `params.yaml` is taken or refused in a sentence that names the setting."""

import io
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from crivo.core.params import read_yaml
from tests.crivo.fuzz.commands import cases, read_settings
from tests.crivo.fuzz.values import damaged, scalars, texts

Key = tuple[str, ...]


anything = st.recursive(
    scalars | st.dates() | st.datetimes(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


def keys(values: Any, above: Key = ()) -> list[Key]:
    """Return the path of every setting and every section."""
    if not isinstance(values, dict):
        return [above]
    inner = [key for name, value in values.items() for key in keys(value, (*above, name))]
    return [above, *inner] if above else inner


def exchanged(values: Any, key: Key, value: Any) -> Any:
    """Return the settings with another value at a path."""
    first, *rest = key
    inner = exchanged(values.get(first), tuple(rest), value) if rest else value
    return (values if isinstance(values, dict) else {}) | {first: inner}


def as_yaml(values: Any) -> bytes:
    file = io.BytesIO()
    YAML(typ="safe").dump(values, file)
    return file.getvalue()


def tried(project: Path, data: bytes) -> str:
    """Read other settings, and put the settings back."""
    path = project / "params.yaml"
    before = path.read_bytes()
    try:
        path.write_bytes(data)
        return read_settings(project)
    finally:
        path.write_bytes(before)


@given(data=st.data(), name=texts, value=anything)
@cases(50)
def test_any_value_of_a_known_or_unknown_setting_is_taken_or_refused_in_a_sentence(
    project: Path, data: st.DataObject, name: str, value: Any
) -> None:
    values = read_yaml(project / "params.yaml")
    known = keys(values)
    unknown = st.sampled_from([(), *known]).map(lambda section: (*section, name))
    key = data.draw(st.sampled_from(known) | unknown)
    refused = tried(project, as_yaml(exchanged(values, key, value)))
    assert not refused or key not in known or key[0] in refused


@given(data=st.data())
@cases(15)
def test_a_damaged_file_of_settings_is_refused(project: Path, data: st.DataObject) -> None:
    text = (project / "params.yaml").read_bytes()
    tried(project, data.draw(damaged(text) | st.binary(max_size=30)))
