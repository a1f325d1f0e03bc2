"""Settings are changed as DVC changes them, byte by byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from dvc.utils.hydra import apply_overrides

from crivo.repository import rewriting
from crivo.repository.rewriting import changed_text

ODD = """\
# above
a: 1   # beside
b:
  c: 0.50
  d: 'x'

  # between
  e: [1, 2]
f: {g: 1}
h: ${b.c}
i: &anchor
  j: 1
k: *anchor
l:
m: >
  folded
  text
"""
PLAIN = ODD.replace("h: ${b.c}\n", "")


def by_dvc(place: Path, text: str, changes: list[str]) -> str:
    place.write_text(text)
    apply_overrides(place, changes)
    return place.read_text()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Changes that DVC was asked to make."""
    rewrite, asked = rewriting._by_dvc, list[str]()

    def ask(text: str, changes: list[str]) -> str:
        asked.extend(changes)
        return rewrite(text, changes)

    monkeypatch.setattr(rewriting, "_by_dvc", ask)
    monkeypatch.setattr(rewriting, "_forms", {})
    return asked


@pytest.mark.parametrize("values", [("5", "0.3", "forest"), ("1e-7", "null", "true"),
                                    ("100000000000000000000", "'a: b'", '"1"'),
                                    ("-0.0", "[1, 2]", "x" * 90)])  # fmt: skip
def test_other_values_of_the_same_settings_are_written_as_by_dvc(
    tmp_path: Path, values: tuple[str, str, str]
) -> None:
    text = Path("params.yaml").read_text()
    keys = ("models.boosting.max_iter", "models.boosting.learning_rate", "model")
    first = [f"{key}=7" for key in keys]
    changes = [f"{key}={value}" for key, value in zip(keys, values, strict=True)]
    for each in (first, changes, first):
        assert changed_text(text, each) == by_dvc(tmp_path / "params.yaml", text, each)


@pytest.mark.parametrize("text", [ODD, PLAIN])
@pytest.mark.parametrize("key", ["a", "b.c", "b.d", "b.e", "f.g", "i", "i.j", "l", "m", "k.j"])
def test_wherever_a_setting_stands_it_is_written_as_by_dvc(
    tmp_path: Path, text: str, key: str
) -> None:
    for value in ("1", "0.25", "word", "23456789"):
        changes = [f"{key}={value}"]
        assert changed_text(text, changes) == by_dvc(tmp_path / "params.yaml", text, changes)


def test_a_setting_is_added_and_removed_as_by_dvc(tmp_path: Path) -> None:
    for changes in (["+b.new=1"], ["~b.c"], ["+b.new=2"], ["~b.c", "a=3"], []):
        assert changed_text(PLAIN, changes) == by_dvc(tmp_path / "params.yaml", PLAIN, changes)


def test_dvc_is_asked_once_for_all_values_of_the_same_settings(asked: list[str]) -> None:
    text = Path("params.yaml").read_text()
    for number in range(1, 5):
        assert "\n    max_iter: 3\n" in changed_text(
            text, ["models.boosting.max_iter=3", f"models.boosting.l2_regularization=0.{number}"]
        )
    assert asked[:2] == ["models.boosting.max_iter=3", "models.boosting.l2_regularization=0.1"]
    assert len(asked) == 4  # and once with marks in the places of the values
