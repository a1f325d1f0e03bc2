"""A metric is one function in one file; the registry finds it and refuses what it can't use."""

import inspect
from math import inf

import pytest

from crivo.core.errors import CrivoError
from crivo.evaluation.metrics import Metric, find_metrics, metric, metrics_of, unknown_metric
from crivo.statistics.jackknife import NotDefined

TASKS = ("binary", "multiclass", "regression")
ALL = [found for task in TASKS for found in metrics_of(task).values()]


LIFT = '''
from math import inf
from crivo.evaluation.metrics import metric
from crivo.evaluation.metrics.binary import precision_at_share

@metric(task="binary", direction="higher", bounds=(0, None))
def lift(rows, *, share=0.1):
    """How many times more positives the riskiest share holds."""
    return precision_at_share(rows, share=share) / rows.mean(rows.target)
'''


def test_a_file_in_the_folder_adds_a_metric(metrics_folder):
    (metrics_folder / "lift.py").write_text(LIFT)
    found = find_metrics(["lift"], "binary", {"share": 0.2, "cost": 3})[0]
    assert (found.name, found.task, found.settings) == ("lift", "binary", {"share": 0.2})
    assert (found.direction, found.bounds) == ("higher", (0, inf))
    assert (found.interval, found.smooth, found.squared) == (True, True, False)
    assert found.description == "How many times more positives the riskiest share holds."


def test_the_same_name_in_two_files_is_refused(metrics_folder):
    (metrics_folder / "mine.py").write_text(LIFT.replace("def lift", "def roc_auc"))
    with pytest.raises(CrivoError, match="roc_auc is defined twice"):
        metrics_of("binary")


@pytest.mark.parametrize("found", ALL, ids=lambda found: f"{found.task}-{found.name}")
def test_a_metric_says_what_it_is(found):
    assert found.description.endswith(".") or found.description.endswith(").")
    low, high = found.bounds
    assert low < high
    assert found.best is None or low < found.best < high
    for name, parameter in inspect.signature(found.compute).parameters.items():
        assert name == "rows" or parameter.kind == parameter.KEYWORD_ONLY


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"task": "both"}, "task='both'.*expected a task of binary, multiclass, regression and"),
        ({"direction": "up"}, "direction='up'.*a direction of higher, lower, nearest"),
        ({"direction": "nearest"}, "^@metric: `best` goes with direction='nearest', and"),
        ({"best": 1}, "^@metric: `best` goes with direction='nearest', and only with it"),
    ],
)
def test_a_metric_that_cannot_be_is_refused(wrong, words):
    with pytest.raises(CrivoError, match=words):
        metric(**{"task": "binary", "direction": "higher"} | wrong)


def test_an_unknown_name_lists_those_of_the_task():
    with pytest.raises(CrivoError) as caught:
        find_metrics(["rmse", "roc_auk"], "regression")
    assert str(caught.value) == (
        "The evaluation names 'roc_auk', which isn't a metric of a regression task (there are: "
        "absolute_error_p90, mae, median_absolute_error, r2, rmse)."
    )
    anywhere = unknown_metric(["roc_auk"])
    assert "did you mean `roc_auc`?" in anywhere
    assert anywhere.startswith("names 'roc_auk', which isn't a metric; did")


@pytest.mark.parametrize(
    ("compute", "why"),
    [
        (lambda rows: inf, "its value is inf"),
        (lambda rows: float("nan"), "its value is nan"),
        (lambda rows: 1 / 0, r"its function fails \(division by zero\)"),
    ],
)
def test_a_value_that_is_no_number_is_not_defined(compute, why):
    with pytest.raises(NotDefined, match=f"^{why}$"):
        Metric("broken", "higher", task="binary", compute=compute)(None)
