"""Looks at the test rows: how they are counted, and whether a gain held there."""

import json
from concurrent.futures import Future
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from crivo.comparison.text import next_step
from crivo.core.errors import CrivoError
from crivo.records.history import keep_trials, read_history
from crivo.records.looks import looks_in, looks_sentence
from crivo.trials import trial
from crivo.trials.confirmation import confirm
from crivo.trials.engine import Made
from tests.crivo.cli import invoke
from tests.crivo.experiments import repository
from tests.crivo.experiments.test_ledger import pair, share

__all__ = ["pair"]

TEST = repository.settings(evaluate__split="test", evaluators__standard__margin=0.001)


def files(value: float, step: float, model: str, *, test: bool = False) -> dict[str, str]:
    more = {"settings": TEST, "split": "test", "rows": "t", "sample": ["a"]} if test else {}
    return repository.evaluated(value, step, model=model, predictions=f"{model}{test}", **more)


def look(value: float, step: float = 0.0) -> dict[str, str]:
    return repository.evaluated(value, step, settings=TEST, split="test", rows="t")


@pytest.fixture
def opened(project: repository.Project) -> repository.Project:
    """Give main and a better trial, both opened on the test rows already."""
    project.commit(files(0.70, 0, "main"))
    project.trial("slow", files(0.72, 0.003, "slow"))
    project.trial("main-test", files(0.68, 0, "main", test=True))
    return project


@pytest.mark.parametrize(
    ("gain", "answer"),
    [
        (0.02, "held: better, roc_auc +0.020"),
        (0.01, "not confirmed: undecided, roc_auc +0.010"),
        (-0.02, "reversed: worse, roc_auc −0.020"),
        (0.0001, "too small to matter: equivalent, roc_auc +0.0001000"),
        (0, "identical: identical, roc_auc 0"),
    ],
)
def test_the_test_rows_say_what_became_of_a_gain(
    opened: repository.Project, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    gain: float, answer: str,
) -> None:  # fmt: skip
    caplog.set_level("INFO", "crivo")
    step = 0.003 if abs(gain) > 0.001 else gain / 100
    opened.trial("slow-test", files(0.68 + gain, step, "slow", test=True))
    found = confirm("slow", anyway=False, folder=opened.folder)
    assert found.outcome == answer.partition(":")[0]
    assert caplog.messages == [
        f"{one} was evaluated on the test rows before: {one}-test." for one in ("slow", "main")
    ]
    assert found.answer.startswith(f"{answer} [" if gain else f"{answer} vs main on test")
    assert " vs main on test, better, roc_auc +0.020 [+0.001, +0.039] on val" in found.answer
    assert "; one model was evaluated on these test rows besides main; interv" in found.answer
    assert found.test.candidates[0].difference == pytest.approx(gain)
    assert next_step(found.test) == ""
    monkeypatch.chdir(opened.folder)
    printed = invoke("confirm", "slow").output
    assert printed.startswith(f"{found.answer}\n\nslow-test ")
    assert "\nThe test rows have been opened at least twice (by Ana).\n" in printed
    assert found.notes[0].startswith("Commit metrics/trials.csv: ")


@pytest.mark.parametrize("rows", ["t", "block6", "lost"])
def test_every_model_opened_there_before_counts(opened: repository.Project, rows: str) -> None:
    """Alone the gain of 2.5 standard errors holds; as the second it needs 4.7, whatever the
    clusters of the first were, and though its evaluation may be lost.
    """
    seen = {"settings": TEST, "split": "test", "rows": rows, "sample": ["a"]}
    look = repository.evaluated(0.68, 0.003, repository.OTHER_WAY, **seen)
    opened.trial("earlier", {"params.yaml": look["params.yaml"]} if rows == "lost" else look)
    opened.trial("slow-test", files(0.70, 0.003, "slow", test=True))
    found = confirm("slow", anyway=False, folder=opened.folder)
    assert found.outcome == "not confirmed"
    assert "2 models were evaluated" in found.answer


def test_a_refitted_model_is_another_look_and_both_are_refitted(
    opened: repository.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The looks at the models as they were aren't those that a refit asks for."""
    asked = files(0.72, 0.003, "refit")
    asked["params.yaml"] = json.dumps(repository.settings(evaluate__refit=True))
    opened.trial("refit", asked)
    opened.trial("refit-test", files(0.70, 0.003, "refit", test=True))
    asked_for: dict[str, list[str]] = {}

    def submit(name: str, changes: list[str], message: str) -> Future[Made]:
        asked_for[name] = [*changes]
        model = name.partition("-")[0]
        look = files(0.69 + 0.01 * (model == "refit"), 0.003, model, test=True)
        again = repository.settings(evaluate__split="test", evaluate__refit=True)
        look["params.yaml"] = json.dumps(again)
        future: Future[Made] = Future()
        future.set_result(Made(opened.trial(name, look), 0.0))
        return future

    engine = nullcontext(SimpleNamespace(submit=submit))
    monkeypatch.setattr(trial, "engine_of", lambda *_: lambda *_: engine)
    found = confirm("refit", anyway=False, folder=opened.folder)
    split, again = "evaluate.split=test", "evaluate.refit=true"
    assert list(asked_for.values()) == [[split], [split, again]]
    assert found.test.candidates[0].difference == pytest.approx(0.01)


def test_what_others_opened_counts_before_what_is_opened_now(
    pair: tuple[repository.Project, repository.Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And after what this clone had tried, whatever the clocks say."""
    ana, bob = pair
    bob.clock += 86_400
    bob.trial("bob-test", look(0.7, 0.002))
    keep_trials(read_history(bob.folder))
    share(bob)
    ana.trial("late", repository.evaluated(0.72, 0.001))

    def submit(name: str, *_: object) -> Future[Made]:
        future: Future[Made] = Future()
        value = 0.71 if name == "late-test" else 0.69
        future.set_result(Made(ana.trial(name, look(value, 0.001)), 0.0))
        return future

    engine = nullcontext(SimpleNamespace(submit=submit))
    monkeypatch.setattr(trial, "engine_of", lambda *_: lambda *_: engine)
    found = confirm("late", against="main", anyway=True, folder=ana.folder)
    assert [one.candidates[0].trial for one in (found.validation, found.test)] == [4, 2]
    kept = ana.git("for-each-ref", "--format=%(refname)", "refs/crivo/trials")
    assert found.test.candidates[0].revision in kept


@pytest.mark.parametrize("mistake", [False, True])
def test_a_run_that_fails_is_told_and_a_mistake_in_the_code_is_shown(
    opened: repository.Project, monkeypatch: pytest.MonkeyPatch, mistake: bool
) -> None:
    failed: Future[Made] = Future()
    failed.set_exception(KeyError("odd") if mistake else CrivoError("It is odd."))
    engine = nullcontext(SimpleNamespace(submit=lambda *_: failed))
    monkeypatch.setattr(trial, "engine_of", lambda *_: lambda *_: engine)
    error, said = (KeyError, "^'odd'$") if mistake else (CrivoError, "^1 of 1 runs .* It is odd")
    with pytest.raises(error, match=said):
        confirm("slow", anyway=False, folder=opened.folder)


VALID = repository.evaluated(0.7)


def test_each_experiment_on_test_rows_is_a_look(project: repository.Project) -> None:
    """Identical predictions are one in words, and a lost evaluation counts."""
    project.commit(VALID)
    for name in ("one", "again"):
        project.trial(name, look(0.7), author="Ana")
    project.trial("valid", VALID)
    found = looks_in(read_history(project.folder))
    assert looks_sentence(found) == "The test rows have been opened at least once (by Ana)."
    project.trial("two", look(0.8), author="Rui")
    project.trial("lost", {"params.yaml": look(0.7)["params.yaml"]}, author="Rui")
    found = looks_in(read_history(project.folder))
    assert [one.name for one in found] == ["one", "again", "two", "lost"]
    assert looks_sentence(found).endswith("at least 3 times (by Rui 2, Ana 1).")


def test_a_commit_s_own_look_counts_even_when_it_is_gone_from_the_tip(
    project: repository.Project,
) -> None:
    """One that keeps an experiment's result is the same look."""
    first = project.commit(look(0.7), author="Eva")
    project.trial("one", look(0.7))
    project.commit(VALID, parent=first)
    assert len(looks_in(read_history(project.folder))) == 1
