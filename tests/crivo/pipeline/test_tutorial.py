"""The commands of the README and of the guide, run in order as the pages give them."""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from crivo.core.registry import make_block
from crivo.preparation.quarantine import quarantine
from crivo.project.fetch import fetch_raw
from tests.crivo import forked
from tests.crivo.made_once import plain_folder
from tests.crivo.pipeline.pages import commands_of, run_as_typed
from tests.crivo.pipeline.project import ROOT, Project, environment

# The whole tutorial runs before the first test.
pytestmark = [pytest.mark.timeout(900)]

TUTORIAL = (ROOT / "docs/guide.md").read_text(encoding="utf-8")


FORMS = (
    r"(?: main| main is undecided): roc_auc [+−]\d\.",
    r"corrected for multiple trials \(trial \d of \d\)$",
    "vs main +verdict",
    r"^Identical bytes: all \d+ outputs of 4 stages match HEAD",
)


@pytest.fixture(scope="module")
def home(reproduced: Project, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Give the home folder in which the whole tutorial was typed, and what was printed."""
    folder = plain_folder(tmp_path_factory)
    address = folder / "address"
    address.symlink_to(reproduced.folder)
    commands = "\n".join(commands_of(TUTORIAL)).replace("ADDRESS", str(address))
    printed = run_as_typed(reproduced, ["cd ~", commands], HOME=str(folder))
    return folder, printed


def test_it_is_typed_to_its_end(home: tuple[Path, str]) -> None:
    assert len(commands_of(TUTORIAL)) > 15
    assert f"+ {commands_of(TUTORIAL)[-1]}" in home[1].splitlines()
    for form in FORMS:  # what the page shows is of the form that is printed
        assert re.search(form, TUTORIAL, re.MULTILINE)
        assert re.search(form, home[1], re.MULTILINE)


def test_both_clones_hold_the_same_model(home: tuple[Path, str]) -> None:
    mine, hers = (Project(home[0] / name) for name in ("mine", "ana"))
    assert mine.status() == hers.status() == ""
    assert "up to date" in hers.dvc("status", **environment(HOME=str(home[0])))
    lock = mine.git("show", "origin/main:dvc.lock")
    assert lock == hers.read("dvc.lock")
    assert lock != mine.git("show", "origin/main~1:dvc.lock")


def test_the_readme_s_first_experiment_runs_line_by_line(project: Project) -> None:
    (project.folder / ".venv").symlink_to(forked.virtual_environment())
    _, section = (ROOT / "README.md").read_text("utf-8").split("## The first experiment\n")
    commands = section.split("```\n")[1].strip().splitlines()
    assert commands[0] == "source .venv/bin/activate"
    printed = run_as_typed(project, commands)
    assert project.status() == ""
    assert "board/board.html" in printed


def test_only_unlabelled_flights_are_set_aside(tmp_path: Path) -> None:
    (tmp_path / "data/raw").mkdir(parents=True)
    shutil.copy(ROOT / "data/raw/flights.dvc", tmp_path / "data/raw")
    fetch_raw(tmp_path)
    dataset = make_block("dataset", "flights", {})
    rows = dataset.load(tmp_path / "data/raw/flights")
    assert len(rows) == 336_776
    assert rows["id"].is_unique
    assert rows["id"].iloc[0] == "2013-01-01 UA 1545 EWR 0515"
    kept, aside = quarantine(rows, dataset.schema(rows), dataset.unusable(rows), limit=0.05)
    assert aside["reason"].value_counts().to_dict() == {
        "cancelled: no arrival delay": 8_255,
        "diverted: no arrival delay": 1_175,
    }
    splits = pd.cut(kept["date"].dt.month, [0, 8, 10, 12]).value_counts(sort=False)
    assert splits.tolist() == [217_727, 55_628, 53_991]
