"""Keeping the experiment that a new one must beat."""

from pathlib import Path

import pytest

from crivo.comparison.compare import compare
from crivo.comparison.incumbent import (
    set_incumbent,
)
from crivo.core.errors import CrivoError
from crivo.records.history import read_history
from tests.crivo.experiments.repository import Project, evaluation_files, settings, spread


def file_of(project: Project) -> Path:
    return project.folder / "metrics/incumbent.json"


def test_how_it_was_chosen_is_found_out(tried: Project) -> None:
    first = set_incumbent("main", tried.folder)
    assert first.how_chosen == "named before others were tried"
    found = set_incumbent("slow", tried.folder)
    keys = {record.predictions for record in read_history(tried.folder).records}
    assert (set(found.chosen_among), found.how_chosen) == (
        keys,
        "chosen from 2 models on these rows",
    )


def test_what_is_no_whole_experiment_is_not_the_incumbent(tried: Project) -> None:
    part = evaluation_files({"roc_auc": spread(0.80)}, settings=settings(train__fraction=0.5))
    tried.trial("part", part, kind="part")
    with pytest.raises(CrivoError, match="name an experiment that was fitted on all of them"):
        set_incumbent("part", tried.folder)


def test_a_clone_without_the_experiment_compares_with_its_file(
    tried: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    set_incumbent("slow", tried.folder)
    folder = tmp_path_factory.mktemp("clone")
    tried.git("clone", "--quiet", str(tried.folder), str(folder))
    (folder / "metrics").mkdir(exist_ok=True)
    (folder / "metrics/incumbent.json").write_text(file_of(tried).read_text())
    row = compare(["main"], folder=folder).table.loc["main"]
    assert row["verdict"] == "worse"
    assert row["difference"] == pytest.approx(-0.02)
    assert row["changed"] == "learning_rate=0.1"


def test_a_broken_file_is_one_clear_sentence(tried: Project) -> None:
    file_of(tried).parent.mkdir()
    file_of(tried).write_text('{"name": "slow"}')
    with pytest.raises(CrivoError, match="isn't an incumbent .*crivo incumbent REV"):
        compare(folder=tried.folder)
