"""The definition changes with what code does and with settings, not with how code is written."""

from __future__ import annotations

import ast
import importlib
from dataclasses import replace

import pytest

from crivo.evaluation import definition
from crivo.evaluation.definition import definition_of, shape
from crivo.evaluation.metrics import find_metrics, metrics_of

BRIER = find_metrics(["brier"], "binary")


def of(*names, **settings):
    return definition_of(find_metrics(names, "binary", settings))


def test_the_same_metrics_have_the_same_definition():
    assert of("brier", "roc_auc") == of("roc_auc", "brier")
    assert len(of("brier")) == 12


def test_metrics_and_their_settings_are_part_of_it():
    found = {
        of("brier"),
        of("brier", "roc_auc"),
        of("precision_at_share"),
        of("precision_at_share", share=0.2),
        definition_of(find_metrics(["mae"], "regression")),
    }
    assert len(found) == 5
    assert of("brier", share=0.1) == of("brier", share=0.2)


@pytest.mark.parametrize(
    "change", [{"direction": "higher"}, {"bounds": (0, 2)}, {"interval": False}, {"best": 0.0}]
)
def test_how_a_metric_is_compared_is_part_of_it(change):
    assert definition_of([replace(BRIER[0], **change)]) != definition_of(BRIER)


WRITTEN = '''
from functools import cache

from crivo.evaluation.metrics import metric
from crivo.evaluation.rows import NotDefined

FLOOR = 0

@metric(task="binary", direction="lower")
def loss(rows: object, *, power: float = 2) -> float:
    """The loss."""
    if sign(power) > FLOOR:
        raise NotDefined("no power")
    return rows.mean(distance(rows) ** power) + offset() + later(7) + half(3)

def distance(rows):
    return abs(rows.score - rows.target)

@cache
def offset():
    return 11

def later(steps):
    return later(steps - 1) if steps else FLOOR

def dividing(number):
    def divide(value):
        return value / number
    return divide

half = dividing(2)
sign = lambda value: -value

def unused():
    return 0
'''


@pytest.mark.parametrize(
    ("old", "new", "alike"),
    [
        ('    """The loss."""', "    # the loss", True),
        ("rows.mean(", "rows.mean(\n        ", True),
        ("rows: object", "rows", True),
        (" -> float", "", True),
        ('"no power"', '"other words"', True),
        ("return 0", "return 1", True),
        ("- rows.target", "+ rows.target", False),
        ("FLOOR = 0", "FLOOR = 1", False),
        ("= 2)", "= 3)", False),
        ("** power", "* power", False),
        ("raise NotDefined", "NotDefined", False),
        ("return 11", "return 12", False),
        ("else FLOOR", "else 0", False),
        ("value / number", "number / value", False),
    ],
)
def test_what_code_does_counts(old, new, alike, metrics_folder):
    assert WRITTEN.count(old) == 1
    (metrics_folder / "one.py").write_text(WRITTEN)
    other = WRITTEN.replace(old, new).replace("def loss", "def other")
    (metrics_folder / "two.py").write_text(other)
    parts = [collected("binary", name) for name in ("loss", "other")]
    texts = [sorted(text.replace("'other'", "'loss'") for text in part.values()) for part in parts]
    assert (texts[0] == texts[1]) is alike


def collected(task, name):
    parts = {}
    definition._collect(metrics_of(task)[name].compute, parts)
    return {name.removeprefix("crivo.evaluation."): text for name, text in parts.items()}


def test_what_counts_of_a_function_is_what_it_does(metrics_folder):
    (metrics_folder / "one.py").write_text(WRITTEN)
    assert collected("binary", "loss")["metrics.one.distance"] == (
        "FunctionDef(name='distance',args=arguments(args=[arg(arg='rows')]),body=[Return("
        "value=Call(func=Name(id='abs'),args=[BinOp(left=Attribute(value=Name(id='rows'),"
        "attr='score'),op=Sub(),right=Attribute(value=Name(id='rows'),attr='target'))]))])"
    )


def test_code_and_constants_that_a_metric_uses_are_part_of_it():
    slope = collected("binary", "calibration_slope").keys()
    assert slope >= {"metrics.binary._ends", "logistic.logistic_slope", "logistic.STEPS"}
    assert "metrics.binary.BINS" in collected("binary", "expected_calibration_error")
    assert "metrics.binary.roc_auc" in collected("multiclass", "roc_auc_ovr")


def test_rows_and_jackknife_are_part_of_it(monkeypatch):
    seen = []
    monkeypatch.setattr(definition, "definition_fingerprint", lambda parts: seen.append(parts))
    definition_of(BRIER)
    names = {name.removeprefix("crivo.evaluation.") for name in seen[0]}
    assert {"rows.Binary", "weighting.Rows", "rows.log_losses", "jackknife.leave_out"} <= names
    assert {"clusters.jackknife_groups", "clusters.MOST_GROUPS"} <= names
    assert "rows.Regression" not in names


def test_shape_is_that_of_the_syntax_tree():
    code = "def f(a, b):\n    return a.b[0] + u'c'  # why\n"
    assert shape(ast.parse(code)) == (
        "Module(body=[FunctionDef(name='f',args=arguments(args=[arg(arg='a'),"
        "arg(arg='b')]),body=[Return("
        "value=BinOp(left=Subscript(value=Attribute(value=Name(id='a'),attr='b'),"
        "slice=Constant(value=0)),op=Add(),right=Constant(value='c')))])])"
    )


def test_a_function_from_elsewhere_is_left_to_its_own_version():
    assert definition_of([replace(BRIER[0], compute=len)]) != definition_of(BRIER)


def test_what_a_block_defines_itself_is_part_of_it(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text("POWER = 2\n\ndef loss(rows):\n    return rows.mean(POWER)\n")
    package = importlib.import_module("blocks.evaluators")
    monkeypatch.setattr(package, "__path__", [str(tmp_path)])
    parts = {}
    definition._collect(importlib.import_module("blocks.evaluators.own").loss, parts)
    # The names are those that were recorded when blocks were part of the library.
    assert parts.keys() == {"crivo.evaluators.own.loss", "crivo.evaluators.own.POWER"}
