"""What a search says at its end, and which trial is the best."""

from __future__ import annotations

from typing import Any

import pytest

from crivo.core.errors import CrivoError
from crivo.evaluation import selection, sequence
from crivo.experiments import compare, reading
from crivo.experiments.search.search import Options, apply_best, search
from crivo.experiments.search.text import search_text
from crivo.repository import lock
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.search.fake import (
    RATE,
    TREES,
    Engines,
)
from tests.crivo.settings import SETTINGS


def test_when_all_fail_nothing_is_best(project: Project) -> None:
    space = ["model=forest", f"{TREES}=7"]
    result = search(space, Options("grid"), folder=project.folder, engine_of=Engines(project))
    assert (result.best, result.comparison, result.verdict) == (None, None, None)
    with pytest.raises(CrivoError, match="nothing to apply"):
        apply_best(result, project.folder)


def test_the_end_says_what_is_luck_and_what_to_do(project: Project) -> None:
    space = [f"{RATE}=log(0.11, 0.9)"]
    options = Options("random", trials=4)
    result = search(space, options, folder=project.folder, engine_of=Engines(project))
    text = search_text(result)
    assert text.startswith("search-1 (random, seed 13): 4 trials: 4 run.\n")
    assert "is better than main: roc_auc +0." in text
    assert "of the raw gain is luck." in " ".join(text.split())
    assert result.best is not None
    assert f"`crivo confirm {result.best.experiment}` says whether the gain holds" in text
    assert result.gain is not None
    assert result.gain.raw == pytest.approx(result.best.values[RATE] - 0.1)
    assert result.gain.luck == pytest.approx(result.gain.raw - result.gain.after)


def test_a_search_that_finds_nothing_says_so(project: Project) -> None:
    result = search(
        [f"{RATE}=0.01,0.05"], Options("grid"), folder=project.folder, engine_of=Engines(project)
    )  # fmt: skip
    text = " ".join(search_text(result).split())
    assert result.verdict == "worse"
    assert "nothing to confirm. The best trial, boosting-learning_rate=0.05, is worse." in text
    assert "no gain to begin with" in text


def test_the_reference_itself_is_never_the_best(project: Project) -> None:
    space = [f"{RATE}=0.1,0.05"]
    result = search(space, Options("grid"), folder=project.folder, engine_of=Engines(project))
    assert result.best is not None
    assert result.best.values == {RATE: 0.05}
    only = search(
        [f"{RATE}=0.1"], Options("grid"), folder=project.folder, engine_of=Engines(project)
    )
    assert only.verdict == "identical"


def test_the_best_settings_go_into_params_yaml_and_its_comments_stay(project: Project) -> None:
    (project.folder / "params.yaml").write_text(SETTINGS)
    project.git("commit", "--quiet", "--all", "--message", "Comment")
    result = search(
        [f"{RATE}=0.2,0.3"], Options("grid"), folder=project.folder, engine_of=Engines(project)
    )  # fmt: skip
    before = (project.folder / "params.yaml").read_text()
    said = apply_best(result, project.folder)
    assert said.startswith(f"params.yaml has {RATE}=0.3 now; `dvc repro` brings the results of")
    after = (project.folder / "params.yaml").read_text()
    assert after == before.replace(
        "learning_rate: 0.1\n    max_iter: 5", "learning_rate: 0.3\n    max_iter: 5"
    )


def test_the_end_of_a_search_remembers_what_a_comparison_needs(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = Options("random", trials=4)
    search([f"{RATE}=log(0.11, 0.9)"], options, folder=project.folder, engine_of=Engines(project))

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("worked out again")

    for module, name in ((sequence, "_Draws"), (selection, "critical_value"),
                         (reading, "parse_yaml"), (lock, "parse_yaml")):  # fmt: skip
        monkeypatch.setattr(module, name, never)
    assert len(compare(folder=project.folder).table) == 5
