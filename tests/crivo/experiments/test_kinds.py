"""What kind of run an experiment is stands in its commit; its name means nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from crivo.cli import app
from crivo.records.history import read_history
from crivo.records.searches import KeptSearch, SearchTrial, keep
from tests.crivo.experiments.repository import Project, evaluation_files, settings, spread
from tests.crivo.experiments.tried import SLOW, TEST


class Kind(NamedTuple):
    """A kind of run: the name that crivo gives it, one that says nothing or something else, what
    its commit says, and how its settings, model and evaluation differ from a trial's.
    """

    usual: str
    other: str
    trailer: str = "trial"
    settings: Mapping[str, Any] = SLOW
    about: Mapping[str, Any] = {}
    model: str = ""
    message: str = ""


OPENED = {"rows": "t", "split": "test", "sample": ["a"]}
KINDS = {
    "trial": Kind("slow", "x-fold=1of6", message="Slower helps"),
    "by DVC": Kind("grim-axle", "x-steps=1of2", trailer="", message="dvc: commit experiment 0a"),
    "code": Kind("boosting-code=train", "plain"),
    "seed": Kind("slow-seed=2", "x-steps=3of4", "seed", settings(
        models__boosting__learning_rate=0.05, seed=2)),
    "fold": Kind("slow-fold=1of2", "first", "fold", about={"rows": "r2"}),
    "part": Kind("slow-fraction=0.5", "x-test", "part", settings(train__fraction=0.5)),
    "search": Kind("night-03", "x-seed=7", settings=settings(models__boosting__learning_rate=0.2)),
    "confirmed": Kind("slow-test", "x-fraction=0.5", "test", TEST, OPENED, "trial"),
    "reference": Kind("main-test", "x-code=train", "test", TEST, OPENED, "main"),
    "incumbent": Kind("kept", "x-fold=2of2", settings=settings(
        models__boosting__learning_rate=0.07)),
    "removed": Kind("slow-2", "x-fold=3of6", settings=settings(
        models__boosting__learning_rate=0.03)),
}  # fmt: skip
USUAL = {name: kind.usual for name, kind in KINDS.items()}
OTHER = {name: kind.other for name, kind in KINDS.items()}
COMMANDS = (
    ("compare", "--json"),
    ("compare", "{trial}", "{part}", "{fold}", "{seed}", "--against", "main"),
    ("repeat", "{trial}", "--seeds", "2", "--json"),
    ("incumbent", "{incumbent}"),
    ("confirm", "{trial}", "--against", "main", "--json"),
    ("board",),
)


def files_of(name: str) -> dict[str, str]:
    """Return what an experiment of a kind holds: numbers that differ from all others'."""
    kind, place = KINDS[name], list(KINDS).index(name)
    value = 0.68 if name == "reference" else 0.72 + place / 1000
    metrics = {"roc_auc": spread(value, 0.003 if value > 0.7 else 0), "log_loss": spread(0.41)}
    model = kind.model or name
    files = evaluation_files(metrics, settings=kind.settings, model=model, **kind.about)
    return files | ({"src/train.py": "other\n"} if name == "code" else {})


def filled(project: Project, names: Mapping[str, str], *, said: bool = True) -> Project:
    """Return a project with an experiment of each kind; `said`: its commit says which."""
    project.identify()
    main = project.commit(
        evaluation_files({"roc_auc": spread(0.7), "log_loss": spread(0.4)}, model="main")
    )
    project.git("reset", "--quiet", "--hard")
    made = {}
    for key, name in names.items():
        kind = KINDS[key]
        message = kind.message or f"again: {key}"
        kept = kind.trailer if said or key == "seed" else ""
        made[key] = project.trial(name, files_of(key), parent=main, message=message, kind=kept)
    trial = SearchTrial(0, {}, "done", names["search"], made["search"])
    repository = read_history(project.folder).repository
    keep(repository, KeptSearch("night", "grid", 1, 1, {}, ()), trial)
    return project


def answers(project: Project, names: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what the commands say, with the kinds in place of the names and no hashes."""
    monkeypatch.chdir(project.folder)
    revisions = {one.origin.revision for one in read_history(project.folder).records}
    said = []
    for command in (("prune", "{removed}", "--yes"), *COMMANDS):
        result = CliRunner().invoke(app, [word.format(**names) for word in command])
        assert result.exit_code == 0, result.output
        said.append(" ".join(result.output.split()))
    incumbent = json.loads(Path("metrics/incumbent.json").read_text())
    said.append(json.dumps({key: incumbent[key] for key in ("about", "settings", "chosen_among")}))
    (values,) = re.findall(r'id="values">(.*?)</script>', Path("board/board.html").read_text())
    # The board's labels are shorter than the names of some.
    text = "\n".join([*said, re.sub(r'"label":"[^"]*",', "", values)])
    for revision in revisions:
        text = text.replace(revision, "H").replace(revision[:7], "H")
    for kind, name in sorted(names.items(), key=lambda pair: -len(pair[1])):
        text = text.replace(name, f"<{kind}>")
    return text


def test_other_names_and_experiments_from_before_give_the_same_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Experiments whose commits don't say their kind yet are known by their names."""
    usual = answers(filled(Project(tmp_path / "usual"), USUAL), USUAL, monkeypatch)
    other = filled(Project(tmp_path / "other"), OTHER)
    assert answers(other, OTHER, monkeypatch) == usual
    before = filled(Project(tmp_path / "before"), USUAL, said=False)
    assert answers(before, USUAL, monkeypatch) == usual


def test_what_a_commit_says_of_no_known_kind_is_a_trial(tried: Project) -> None:
    trailers = (
        "Crivo-Kind: another",
        "Crivo-Kind: fold\n  steps",
        "Crivo-Kind:",
        "Crivo-Kind fold",
    )
    for number, trailer in enumerate(trailers):
        tried.trial(f"odd-{number}", files_of("trial"), message=f"Odd\n\n{trailer}")
    history = read_history(tried.folder)
    for number in range(len(trailers)):
        found = history.find(f"odd-{number}")
        assert (found.kind, found.origin.message) == ("trial", "Odd")


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
