"""What kind of run an experiment is stands in its commit; its name means nothing."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from crivo.cli import app
from crivo.records.history import read_history
from tests.crivo.experiments.repository import Project, evaluation_files, spread
from tests.crivo.experiments.tried import MAIN, SLOW

FILES = evaluation_files({"roc_auc": spread(0.72, 0.003)}, settings=SLOW)


@pytest.mark.parametrize(
    ("name", "message", "kind"),
    [
        ("x-fold=1of6", "Slower\n\nCrivo-Kind: trial", "trial"),
        ("plain", "again\n\nCrivo-Kind: seed", "seed"),
        ("x-fraction=0.5", "again\n\nCrivo-Kind: fold", "fold"),
        ("x-test", "again\n\nCrivo-Kind: part", "part"),
        ("x-seed=7", "again\n\nCrivo-Kind: test", "test"),
        # What no commit says is known by the name that crivo gave, unless DVC made it.
        ("slow-fold=1of2", "again", "fold"),
        ("slow-fraction=0.5", "again", "part"),
        ("slow-steps=1of2", "again", "part"),
        ("slow-fold=1of2", "dvc: commit experiment 0a", "trial"),
        # No known kind is a trial.
        ("odd", "Odd\n\nCrivo-Kind: another", "trial"),
        ("odd", "Odd\n\nCrivo-Kind: fold\n  steps", "trial"),
        ("odd", "Odd\n\nCrivo-Kind fold", "trial"),
    ],
)
def test_a_commit_says_the_kind(project: Project, name: str, message: str, kind: str) -> None:
    project.commit(MAIN)
    project.trial(name, FILES, message=message)
    found = read_history(project.folder).find(name)
    assert (found.kind, found.origin.message) == (kind, message.partition("\n")[0])


def test_a_removed_fold_stays_one(prunable: Project) -> None:
    prunable.trial("mine", evaluation_files({"roc_auc": spread(0.8)}, rows="r2"), kind="fold")
    done = CliRunner().invoke(app, ["prune", "mine", "--yes"])
    assert done.exit_code == 0, done.output
    text = Path("metrics/trials.csv").read_text()
    assert ",mine,fold,valid," in text
    refs = prunable.git("for-each-ref", "--format=%(refname)", "refs/crivo/trials").split()
    for ref in refs:
        prunable.git("update-ref", "-d", ref)
    lost = [one for one in read_history(prunable.folder).removed if one.name == "mine"]
    assert [one.kind for one in lost] == ["fold"]
    Path("metrics/trials.csv").write_text(
        text.replace(",kind,split,", ",", 1).replace(",mine,fold,valid,", ",mine-fold=1of2,")
    )
    (old,) = read_history(prunable.folder).removed
    assert old.kind == "fold"
