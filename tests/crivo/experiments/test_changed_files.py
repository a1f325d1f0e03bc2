"""Which files an experiment has otherwise than its reference, though no setting differs."""

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
    outs = [{"path": path, "md5": "1", "size": len(path)} for path in ("models/a", MODEL)]
    lock["stages"]["train"] = {"deps": deps, "outs": outs}
    return {**files, **texts, "dvc.lock": json.dumps(lock)}


FOLDER, MODEL = "src/steps", "models/model.skops"
MADE = ("data__prepared__x", "data__features__x", "models__x", "metrics__x")
NAMES = [f"src__part{number}" for number in range(5)]


def with_folder(files: Mapping[str, str], text: str) -> dict[str, str]:
    """Return the files with a folder that a stage reads."""
    lock = json.loads(files["dvc.lock"])
    lock["stages"]["train"] = {"deps": [{"path": FOLDER, "md5": f"{text}.dir"}], "outs": []}
    own = {f"{FOLDER}/one.py": text, f"{FOLDER}/two.py": "same"}
    return {**files, **own, "dvc.lock": json.dumps(lock)}


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (reading(MAIN, src__a="a"), reading(GOOD, src__a="b"), "learning_rate=0.05, src/a.py"),
        # One that only one of them reads is shown, unless a setting chose it.
        (
            reading(MAIN, src__blocks__models__linear="a"),
            reading(OTHER, src__blocks__models__boosting="a", src__steps="a"),
            "src/steps.py",
        ),
        # What a stage made is no change of code.
        (
            reading(MAIN, **dict.fromkeys(MADE, "a")),
            reading(OTHER, **dict.fromkeys(MADE, "b")),
            "",
        ),
        (
            reading(MAIN, **dict.fromkeys(NAMES, "a")),
            reading(OTHER, **dict.fromkeys(NAMES, "b")),
            "src/part0.py, src/part1.py, src/part2.py and 2 more",
        ),
        (with_folder(MAIN, "a"), with_folder(OTHER, "b"), "src/steps"),
        # What it read isn't known.
        (MAIN, with_folder(OTHER, "b"), ""),
        (with_folder(MAIN, "a"), OTHER, ""),
    ],
)
def test_a_trial_of_code_shows_the_files_that_it_changed(
    project: Project, before: Mapping[str, str], after: Mapping[str, str], shown: str
) -> None:
    project.commit(before)
    project.trial("mine", after)
    found = compare(["mine"], folder=project.folder)
    assert found.table.loc["mine", "changed"] == shown
    sized = '"size"' in after["dvc.lock"]
    assert found.candidates[0].model_bytes == (len(MODEL) if sized else None)
