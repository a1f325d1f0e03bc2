"""The example loop: one change a trial, kept only if it is better and nothing is worse."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.crivo.experiments.repository import Project
from tests.crivo.processes import python

ROOT = Path(__file__).parents[3]
SPACE = {"a": [1, 2], "b": [1, 2]}


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"tested_{path.parent.name}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


loop = load(ROOT / "docs/examples/loop/loop.py")


def searched(
    outcomes: Mapping[str, str] | None = None, worse: str = "", **answer: Any
) -> tuple[Any, list[Any]]:
    """Return what the loop keeps, and what it asked for, when trials end as they are named."""
    asked = []

    def run(settings: dict[str, Any], against: str | None, why: str) -> dict[str, Any]:
        asked.append((dict(settings), against, why))
        name = "-".join(f"{key}{value}" for key, value in sorted(settings.items()))
        outcome = (outcomes or {}).get(name, "undecided")
        comparison = {"experiments": [{"worse": worse}]}
        return {"outcome": outcome, "experiment": name, "comparison": comparison, **answer}

    return loop.search(SPACE, run, 20), asked


def test_what_is_not_better_is_not_kept_and_no_trial_is_made_twice() -> None:
    kept, asked = searched()
    assert (kept.settings, kept.experiment) == ({}, None)
    assert kept.outcomes == ["undecided"] * 4
    assert all(against is None for _, against, _ in asked)
    settings = [json.dumps(one, sort_keys=True) for one, _, _ in asked]
    assert len(set(settings)) == len(settings)


def test_a_gain_that_costs_another_metric_is_not_kept() -> None:
    kept, _ = searched({"a1": "better", "a2": "better"}, worse="log_loss")
    assert kept.settings == {}


@pytest.mark.pipeline
def test_the_loop_runs_real_trials_and_keeps_what_is_better(toy: Project, tmp_path: Path) -> None:
    """In a project whose metric is the learning rate: more is better, and less is worse."""
    name = "models.boosting.learning_rate"
    (tmp_path / "space.json").write_text(json.dumps({name: [0.2, 0.05]}))
    command = (str(ROOT / "docs/examples/loop/loop.py"), str(tmp_path / "space.json"))
    search_path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = python(*command, "--trials", "2", folder=toy.folder, PATH=search_path)
    assert done.returncode == 0, done.stderr
    outcomes = [line.split()[0] for line in done.stdout.splitlines()[:-1]]
    assert sorted(outcomes) == ["better", "worse"]
    kept = re.search(rf"Kept (\S+): {{'{name}': 0.2}}. Now, once: crivo confirm", done.stdout)
    assert kept
    experiments = toy.git("for-each-ref", "--format=%(refname)", "refs/exps")
    assert kept[1] in experiments
    assert not toy.git("status", "--porcelain")


def test_the_space_of_the_example_changes_settings_that_the_model_reads() -> None:
    from crivo.core.params import check_params, read_yaml
    from crivo.records.settings import is_used
    from crivo.repository.overrides import with_changes

    space = json.loads((ROOT / "docs/examples/loop/space.json").read_text())
    settings = read_yaml(ROOT / "params.yaml")
    for name, values in space.items():
        assert is_used(name, settings)
        for value in values:
            changed = with_changes(ROOT / "params.yaml", [f"{name}={value}"])
            check_params(changed)
            assert changed != settings
