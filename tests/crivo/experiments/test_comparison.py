"""Comparing experiments: with what, by which correction, in which order."""

import json
from math import isnan, nan
from typing import Any

import pytest

from crivo.comparison.compare import compare
from crivo.evaluation.metrics import metrics_of
from crivo.records.comparability import other_rows
from crivo.trials.plan import plan, plan_text
from tests.crivo.experiments.repository import Project, about, evaluated, record_of, settings
from tests.crivo.experiments.tried import GOOD, MAIN, OTHER, SLOW, refused, variant


@pytest.mark.parametrize(("sample", "count"), [(["a", "b"], 2), (["x", "y"], 1)])
def test_other_clusters_reset_no_count(project: Project, sample: list[str], count: int) -> None:
    """`evaluate.block` changes the clusters, so the fingerprint of the rows, and not the rows."""
    project.commit({**MAIN, **about(MAIN, sample=["a", "b"])})
    project.trial("block6", {**OTHER, **about(OTHER, sample=sample, rows="r6")})
    project.trial("slow", {**GOOD, **about(GOOD, sample=["b", "c"])})
    found = compare(["slow"], folder=project.folder)
    assert (found.trials, found.table.loc["slow", "trial"]) == (count, count)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, "the evaluated rows, their targets or clusters differ"),
        ({"splitters__by_time__valid_from": 5}, "its settings are valid_from=5"),
        ({"dataset": "flights", "splitter": "by_group"}, "its settings are dataset=flights"),
        (
            {"evaluate": {"cluster": "a", "block": 6, "period": "day"}, "prepare": {"now": True}},
            "its settings are cluster=a, block=6, period=day, now=true",
        ),
    ],
)
def test_other_rows_are_refused(tried: Project, changes: dict[str, Any], reason: str) -> None:
    made = evaluated(0.7, settings=settings(**changes), rows="r2")
    tried.trial("other", made)
    (refused,) = compare(["other"], folder=tried.folder).refused
    assert refused.reason == f"other rows: {reason}"


def test_other_data_are_named_before_settings_that_need_not_change_the_rows() -> None:
    first, second = (
        evaluated(0.7, rows=rows, settings=own)
        | {"dvc.lock": f"stages: {{prepare: {{deps: [{{path: data/raw/table, md5: {rows}}}]}}}}"}
        for rows, own in (("r1", settings()), ("r2", settings(splitters__by_time__valid_from=5)))
    )
    refusal = other_rows(record_of(second), record_of(first))
    assert refusal
    assert refusal.reason == (
        "other rows: data/raw/table contains other data, and its settings are valid_from=5"
    )


def test_the_plan_is_that_of_the_first_trial(project: Project) -> None:
    project.commit(MAIN)
    for name, planned in (("first", 4), ("later", 40)):
        own = settings(model=name, compare={"planned_trials": planned})
        project.trial(name, evaluated(len(name), 0.003, settings=own))
    found = compare(folder=project.folder)
    assert found.planned_trials == 4
    # Nine tenths of 5 % in four equal parts.
    assert found.table.loc[["first", "later"], "spent"].tolist() == pytest.approx([0.01125] * 2)


def test_another_seed_is_a_trial_and_repeat_s_runs_are_none(project: Project) -> None:
    project.commit(MAIN)
    own = settings(seed=2)
    files = evaluated(0.71, 0.003, settings=own)
    project.trial("run", files, kind="seed")
    project.trial("slow", GOOD)
    found = compare(folder=project.folder)
    assert (found.trials, found.table.loc["slow", "verdict"]) == (1, "better")
    assert "run" not in found.table.index
    assert ": 1 experiment with other seeds. `crivo repeat`" in " ".join(found.notes)
    (refused,) = compare(["run"], folder=project.folder).refused
    assert "with another seed" in refused.reason
    project.trial("seed2", files)
    found = compare(["run", "seed2"], folder=project.folder)
    assert found.trials == 2
    assert found.table["trial"].tolist() == [2, 2]


def test_a_setting_that_changes_nothing_is_identical(tried: Project) -> None:
    files = evaluated(0.7000000001, log_loss=0.4, settings=SLOW)
    tried.trial("nothing", files | {"dvc.lock": MAIN["dvc.lock"]})
    found = compare(["nothing"], folder=tried.folder)
    assert found.table.loc["nothing", ["verdict", "difference"]].tolist() == ["identical", 0]
    assert found.trials == 1


def test_two_models_without_an_error_are_identical_if_they_are_one(project: Project) -> None:
    """Other slices make another table of predictions; of other models, rows may tell more."""
    project.commit(evaluated(1.0, model="a"))
    for name, model, verdict in (("sliced", "a", "identical"), ("other", "b", "undecided")):
        project.trial(name, evaluated(1.0, model=model, predictions=name))
        found = compare([name], folder=project.folder)
        assert found.candidates[0].verdict == verdict
        assert isnan(found.candidates[0].minimum_detectable)
    said = " ".join(plan_text(plan("other", folder=project.folder)).split())
    assert said.startswith("other vs main is undecided with 9 clusters; these can't show how many")
    assert ". Both have the same roc_auc, and keep it whichever cluster is left out. " in said
    assert said.endswith(
        "with a margin (evaluators.standard.margin), the two may then be equivalent."
    )


def test_how_a_reference_was_chosen_counts(tried: Project) -> None:
    tried.trial("other", OTHER)
    named = compare(against="slow", as_named=True, folder=tried.folder)
    chosen = compare(against="slow", folder=tried.folder)
    # `other` comes with two differences, from `main` and from `slow`; named, with one.
    critical = [one.metrics.loc[("other", "roc_auc"), "critical"] for one in (named, chosen)]
    assert critical[0] < critical[1]
    assert "slow was itself chosen from 3 models on these rows" in chosen.notes[0]
    assert not any("was itself chosen" in note for note in named.notes)


UPGRADE = {"rows": "r1", "sample": ["a"], "data/raw/table": "1", "requirements.txt": "2"}
MOVED = settings(SLOW, splitters__by_time__valid_from="2014-01-01", splitter="by_time")


@pytest.mark.parametrize(
    ("early", "changed", "count"),
    [
        ([], {}, 2),
        ([], {"settings": settings(SLOW, prepare__moved_limit=0.5)}, 2),
        (["early"], {}, 4),
        ([], {"rows": "r1"}, 4),
        ([], UPGRADE, 2),
        (["early"], UPGRADE, 4),
        ([], {"settings": MOVED}, 2),
        ([], {"settings": MOVED, "data/raw/table": "1"}, 4),
        ([], {"sample": ["x"], "named_by_content": True}, 4),
        ([], {"settings": settings()}, 4),
        ([], {"src/train.py": "2"}, 4),
    ],
)
def test_a_recipe_that_is_kept_for_new_data_was_not_chosen_again(
    project: Project, early: list[str], changed: dict[str, Any], count: int
) -> None:
    """`slow` was chosen from two. Those tried until the data came count if it was chosen then."""

    def result(value: float, **more: Any) -> dict[str, str]:
        paths = ("src/train.py", "data/raw/table", "requirements.txt")
        deps = json.dumps([{"path": path, "md5": more.pop(path, "1")} for path in paths])
        files = evaluated(value, 0.003, **{"rows": "r1", "sample": ["a", "b"], **more})
        return files | {"dvc.lock": files["dvc.lock"].replace("[]", deps)}

    slow = result(0.72, settings=SLOW)
    first = project.commit(result(0.70))
    project.trial("slow", slow)
    second = project.commit(slow, parent=first)
    project.trial("third", result(0.71))
    new = {"settings": SLOW, "rows": "r2", "sample": ["b", "c"], "data/raw/table": "2"}
    more = result(0.69, **new | changed)
    for name in early:
        project.trial(name, more)
    third = project.commit(more, parent=second)
    more = result(0.69, **new | changed | {"requirements.txt": "9"})
    project.commit(more | {"notes.md": ""}, parent=project.commit(more, parent=third))
    for name, against in (("main", "HEAD"), *zip(early, early, strict=True)):
        found = compare(["main"], against=against, folder=project.folder)
        assert f"{name} was itself chosen from {count} models" in " ".join(found.notes)


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({"direction": "higher"}, "better"),
        ({"direction": "lower"}, "worse"),
        ({"direction": "nearest", "best": 0.75}, "better"),
        ({"direction": "nearest", "best": 0.5}, "worse"),
    ],
)
def test_of_a_team_s_own_metric_the_record_says_which_value_is_better(
    project: Project, changed: dict[str, Any], verdict: str
) -> None:
    told = {"far_off": metrics_of("binary")["roc_auc"].to_json() | changed}
    project.commit(evaluated(0.70, metric="far_off", metrics=told))
    project.trial("slow", evaluated(0.72, 0.003, metric="far_off", metrics=told))
    project.trial("old", evaluated(0.72, metric="far_off", metrics=None))
    found = compare(folder=project.folder)
    row = found.metrics.loc[("slow", "far_off")]
    assert row["verdict"] == verdict
    width = row["difference_high"] - row["difference_low"]
    assert width == pytest.approx(2 * 2.3735 * 0.008, rel=1e-3)
    assert "doesn't say which value of far_off is better" in refused(found)["old"].reason


def test_unknown_values_come_last_and_other_metrics_need_stored_predictions(tried: Project) -> None:
    (tried.folder / ".dvc").mkdir()
    tried.trial("unknown", evaluated(nan, log_loss=0.3))
    tried.trial("old", {**GOOD, **about(GOOD, definition="d0")})
    found = compare(folder=tried.folder)
    assert [*found.table.index] == ["slow", "main", "unknown"]
    (refused,) = found.refused
    assert refused.reason == "its metrics were defined differently"
    said = "metrics/evaluation/predictions.parquet of old is not in this clone's DVC cache; `dvc"
    assert refused.advice.startswith(f"{said} exp pull origin old` fetches it")


def test_another_primary_metric_after_the_results_were_seen_is_said(project: Project) -> None:
    before = project.commit(MAIN)
    project.trial("slow", GOOD)
    project.commit({**MAIN, **about(MAIN, primary="log_loss")}, parent=before)
    project.trial("late", variant(1, log_loss=0.3, primary="log_loss"))
    found = compare(["slow", "late"], against="main", folder=project.folder)
    said = "Recorded while roc_auc was the primary metric: slow. For them, log_loss still counts"
    assert any(note.startswith(said) for note in found.notes)
    instead = [note.partition("instead of ")[2] for note in found.notes if " best of " in note]
    assert instead == ["0.720 [0.700, 0.740].", "0.3000 [0.2800, 0.3200]."]
