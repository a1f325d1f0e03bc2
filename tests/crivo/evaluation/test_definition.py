"""The definition changes with the metrics' versions and settings, not with where code stands."""

import runpy
from dataclasses import replace

import pytest

from crivo.evaluation.assess import definition_of
from crivo.evaluation.metrics import find_metrics, metrics_of

BRIER = find_metrics(["brier"], "binary")


def of(*names, **settings):
    return definition_of(find_metrics(names, "binary", settings))


def test_metrics_and_their_settings_are_part_of_it():
    found = {
        of("brier"),
        of("brier", "roc_auc"),
        of("log_loss"),
        definition_of(find_metrics(["log_loss"], "multiclass")),
        of("precision_at_share"),
        of("precision_at_share", share=0.2),
        definition_of(find_metrics(["mae"], "regression")),
    }
    assert len(found) == 7
    assert of("brier", "roc_auc") == of("roc_auc", "brier")
    assert of("brier", share=0.1) == of("brier", share=0.2)


@pytest.mark.parametrize(
    ("change", "is_part"),
    [
        ({"direction": "higher"}, True),
        ({"bounds": (0, 2)}, True),
        ({"interval": False}, True),
        ({"best": 0.0}, True),
        ({"definition": "2"}, True),
        ({"compute": len, "description": "Other words."}, False),
    ],
)
def test_how_a_metric_is_compared_and_its_version_are_part_of_it(change, is_part):
    assert (definition_of([replace(BRIER[0], **change)]) != definition_of(BRIER)) is is_part


RANKED = ("roc_auc", "average_precision", "log_loss", "brier", "precision_at_share")
LABELS = ("balanced_accuracy", "accuracy", "macro_f1")


@pytest.mark.parametrize(
    ("task", "names", "settings", "recorded"),
    [
        ("binary", RANKED, {"share": 0.1}, "2263818c3a7b"),
        ("binary", RANKED, {}, "e52b4682cb28"),
        ("binary", ("precision", "recall", "f1", "accuracy"), {}, "68bb0faf1d2a"),
        ("multiclass", ("log_loss", *LABELS), {}, "fd64c1216b44"),
        ("multiclass", LABELS, {}, "83143b0c23e2"),
        ("regression", ("rmse", "mae", "r2"), {}, "4d82e924a654"),
    ],
)
def test_what_was_recorded_before_versions_stays_comparable(task, names, settings, recorded):
    assert definition_of(find_metrics(names, task, settings)) == recorded


OWN = """
from crivo.evaluation.metrics import metric

@metric(task="binary", direction="lower"VERSION)
def loss(rows, *, power=2):
    return rows.mean(abs(rows.score - rows.target) ** power)
"""


def definition_in(file, text):
    file.write_text(text)
    runpy.run_path(str(file))
    return metrics_of("binary")["loss"].definition


@pytest.mark.parametrize("version", ["", ", version=3"])
def test_a_metric_is_its_version_and_one_without_is_its_file(version, metrics_folder):
    text = OWN.replace("VERSION", version)
    first = definition_in(metrics_folder / "_a.py", text)
    assert definition_in(metrics_folder / "_moved.py", text) == first
    changed = definition_in(metrics_folder / "_c.py", text.replace("power=2", "power=3"))
    assert (changed == first) is bool(version)
    assert first == "3" or len(first) == 12
