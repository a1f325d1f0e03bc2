"""Which files an experiment has otherwise than its reference, though no setting differs."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from crivo.comparison.compare import compare
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.tried import GOOD, MAIN, OTHER

CODE = "src/blocks/models/boosting.py"


def reading(files: Mapping[str, str], **contents: str) -> dict[str, str]:
    """Return the files with some more that a stage reads, by `folder__name` without a suffix."""
    texts = {f"{name.replace('__', '/')}.py": text for name, text in contents.items()}
    lock = json.loads(files["dvc.lock"])
    deps = [{"path": path, "md5": text} for path, text in texts.items()]
    lock["stages"]["train"] = {"deps": deps, "outs": []}
    return {**files, **texts, "dvc.lock": json.dumps(lock)}


def changed(project: Project, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    project.commit(before)
    project.trial("mine", after)
    return str(compare(["mine"], folder=project.folder).table.loc["mine", "changed"])


def test_a_trial_of_code_shows_the_file_that_it_changed(project: Project) -> None:
    before = reading(MAIN, src__train="a", src__blocks__models__boosting="a")
    after = reading(OTHER, src__train="a", src__blocks__models__boosting="b")
    assert changed(project, before, after) == CODE


def test_settings_come_before_files(project: Project) -> None:
    before, after = reading(MAIN, src__train="a"), reading(GOOD, src__train="b")
    assert changed(project, before, after) == "learning_rate=0.05, src/train.py"


def test_a_file_that_only_one_of_them_reads_is_shown_unless_a_setting_chose_it(
    project: Project,
) -> None:
    before = reading(MAIN, src__blocks__models__linear="a")
    after = reading(OTHER, src__blocks__models__boosting="a", src__steps="a")
    assert changed(project, before, after) == "src/steps.py"


def test_many_files_are_counted(project: Project) -> None:
    names = [f"src__part{number}" for number in range(5)]
    before = reading(MAIN, **dict.fromkeys(names, "a"))
    after = reading(OTHER, **dict.fromkeys(names, "b"))
    assert changed(project, before, after) == (
        "src/part0.py, src/part1.py, src/part2.py and 2 more files"
    )


@pytest.mark.parametrize("folder", ["data/prepared", "models", "metrics"])
def test_what_a_stage_made_is_no_change_of_code(project: Project, folder: str) -> None:
    key = f"{folder.replace('/', '__')}__x"
    before, after = reading(MAIN, **{key: "a"}), reading(OTHER, **{key: "b"})
    assert changed(project, before, after) == ""


def test_a_folder_that_a_stage_reads_shows_the_file_in_it(project: Project) -> None:
    def with_folder(files: Mapping[str, str], text: str) -> dict[str, str]:
        lock = json.loads(files["dvc.lock"])
        deps = [{"path": "src/steps", "md5": f"{text}.dir"}]
        lock["stages"]["train"] = {"deps": deps, "outs": []}
        own = {"src/steps/one.py": text, "src/steps/two.py": "same"}
        return {**files, **own, "dvc.lock": json.dumps(lock)}

    before, after = with_folder(MAIN, "a"), with_folder(OTHER, "b")
    assert changed(project, before, after) == "src/steps/one.py"
