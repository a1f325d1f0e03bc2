"""A metric and a check of a team's own: two new files, two lines of settings, and verdicts."""

import pytest
import yaml

from tests.crivo.behaviour.shop import Shop

FINDING = '    yield "rows", f"{len(results.rows.price)} prices were seen."\n    missing = int('

CONTRACTS = """\
import sys; sys.path.insert(0, 'src'); import crivo
from crivo.testing import check_check, check_metric; own = crivo.workspace('.')
"""
OWN_ROWS = "check_check('rows_seen', schema=own.schema, rows=own.rows('train'))"


@pytest.fixture
def own(shop: Shop) -> Shop:
    """Give a project whose primary metric and one check are its own, evaluated and committed."""
    shop.crivo("new", "metric", "wrong")
    shop.crivo("new", "check", "rows_seen")
    shop.replace("src/blocks/checks/rows_seen.py", "    missing = int(", FINDING)
    settings = yaml.safe_load(shop.read("params.yaml"))
    settings["evaluators"]["standard"] |= {"primary": "wrong", "metrics": ["roc_auc"]}
    settings["evaluate"]["checks"] = ["rows_seen"]
    shop.write("params.yaml", yaml.safe_dump(settings, sort_keys=False))
    shop.dvc("repro", "--quiet")
    shop.commit("Take a metric and a check of our own")
    return shop


def test_they_are_tested_shown_and_decide(own: Shop) -> None:
    own.run("python", "-c", f"{CONTRACTS}check_metric('wrong'); {OWN_ROWS}")
    assert "wrong, which decides the verdict, is " in own.read("metrics/evaluation/report.md")
    assert "| FILL IN: a title | warning | rows: " in own.read("metrics/evaluation/report.md")
    assert "X001 warning  rows:" in own.crivo("check", "--only", "X", status=None).out
    assert "wrong ±" in own.crivo("try", "models.linear.C=0.3", "--name", "own", status=None).out
    (own.folder / "src/blocks/metrics/wrong.py").unlink()
    assert "wrong ±" in own.crivo("compare", "own", "--against", "main").out


def test_a_check_that_is_not_there_is_named_before_anything_is_written(own: Shop) -> None:
    own.replace("params.yaml", "- rows_seen", "- rows_sene")
    said = own.dvc("repro", fails=True)
    assert "evaluate.checks names 'rows_sene', which isn't a check; did you mean" in said


def test_a_broken_metric_is_one_sentence(own: Shop) -> None:
    path = "src/blocks/metrics/wrong.py"
    own.replace(path, "rows.mean(", "2 + rows.mean(")
    assert "The metric wrong is 2." in own.dvc("repro", fails=True)
    own.replace(path, "2 + rows.mean(", "rows.meen(")
    said = own.run("python", "-c", f"{CONTRACTS}check_metric('wrong')", fails=True)
    assert "has no attribute 'meen'" in said
    own.write(path, "def broken(:\n")
    assert f"{path} can't be imported (SyntaxError" in own.dvc("repro", fails=True)
