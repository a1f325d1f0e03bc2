"""Does the development container make what the Makefile makes, with a Python that fits?"""

import json
import re
import tomllib
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).parents[2]
CONTAINER = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))


def test_its_python_is_one_that_the_project_takes() -> None:
    image = re.search(r"python:(\d+\.\d+)", CONTAINER["image"])
    assert image
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert Version(image[1]) in SpecifierSet(project["requires-python"])


def test_it_is_set_up_by_targets_that_there_are() -> None:
    rules = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = CONTAINER["postCreateCommand"].split(" && ")
    assert len(commands) == 2
    for command in commands:
        make, target = command.split()
        assert make == "make"
        assert re.search(rf"^{re.escape(target)}:", rules, re.MULTILINE)


def test_its_tools_use_the_environment_of_the_lock() -> None:
    settings = CONTAINER["customizations"]["vscode"]["settings"]
    for name in ("dvc.pythonPath", "python.defaultInterpreterPath"):
        assert settings[name].endswith("/.venv/bin/python")
