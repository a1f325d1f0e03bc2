"""Which files an experiment has otherwise than its reference, though no setting differs."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from crivo.comparison.compare import compare
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.tried import GOOD, MAIN, OTHER


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


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (
            reading(MAIN, src__train="a", src__blocks__models__boosting="a"),
            reading(OTHER, src__train="a", src__blocks__models__boosting="b"),
            "src/blocks/models/boosting.py",
        ),
        (
            reading(MAIN, src__train="a"),
            reading(GOOD, src__train="b"),
            "learning_rate=0.05, src/train.py",
        ),
        # One that only one of them reads is shown, unless a setting chose it.
        (
            reading(MAIN, src__blocks__models__linear="a"),
            reading(OTHER, src__blocks__models__boosting="a", src__steps="a"),
            "src/steps.py",
        ),
        # What a stage made is no change of code.
        (
            reading(MAIN, data__prepared__x="a", models__x="a", metrics__x="a"),
            reading(OTHER, data__prepared__x="b", models__x="b", metrics__x="b"),
            "",
        ),
    ],
    ids=["one file", "settings first", "another block's", "made"],
)
def test_a_trial_of_code_shows_the_file_that_it_changed(
    project: Project, before: Mapping[str, str], after: Mapping[str, str], shown: str
) -> None:
    assert changed(project, before, after) == shown


def test_many_files_are_counted(project: Project) -> None:
    names = [f"src__part{number}" for number in range(5)]
    before = reading(MAIN, **dict.fromkeys(names, "a"))
    after = reading(OTHER, **dict.fromkeys(names, "b"))
    assert changed(project, before, after) == (
        "src/part0.py, src/part1.py, src/part2.py and 2 more files"
    )


def test_a_folder_that_a_stage_reads_shows_the_file_in_it(project: Project) -> None:
    def with_folder(files: Mapping[str, str], text: str) -> dict[str, str]:
        lock = json.loads(files["dvc.lock"])
        deps = [{"path": "src/steps", "md5": f"{text}.dir"}]
        lock["stages"]["train"] = {"deps": deps, "outs": []}
        own = {"src/steps/one.py": text, "src/steps/two.py": "same"}
        return {**files, **own, "dvc.lock": json.dumps(lock)}

    before, after = with_folder(MAIN, "a"), with_folder(OTHER, "b")
    assert changed(project, before, after) == "src/steps/one.py"
