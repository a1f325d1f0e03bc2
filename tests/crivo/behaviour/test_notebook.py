"""In a notebook: the experiments, a comparison, a model and a report of the project around it."""

from typing import Any

from tests.crivo.behaviour.shop import Shop

ROWS = "rows = pd.read_csv('data/raw/table/orders.csv').head(40)\n"


def notebook(shop: Shop, code: str, *, fails: bool = False) -> str:
    """Return what code prints that runs in the project's folder of notebooks."""
    start = "import os, pandas as pd, crivo\n"
    return str(shop.run("python", "-c", start + code, fails=fails))


def test_experiments_and_comparisons_are_tables(seen: Shop) -> None:
    said = notebook(
        seen,
        "os.chdir('notebooks')\n"
        "print(*crivo.experiments().index)\n"
        "found = crivo.compare('flat', against='main')\n"
        "print(dict(found.table['verdict']), '<table' in found._repr_html_())\n",
    )
    names, verdict = said.strip().splitlines()[-2:]
    listed: list[dict[str, Any]] = seen.crivo("compare", "--json").document["experiments"]
    assert names.split() == [one["name"] for one in listed]
    assert "'flat': 'worse'" in verdict
    assert verdict.endswith("True")


def test_an_experiment_s_model_scores_raw_rows(seen: Shop) -> None:
    """The trees know of an interaction that the linear model of the workspace can't see."""
    said = notebook(
        seen,
        f"{ROWS}for name in (None, 'trees'):\n"
        "    right = crivo.load(name).predict(rows)['prediction'].to_numpy() == rows['returned']\n"
        "    print(right.mean())\n",
    )
    linear, trees = map(float, said.split()[-2:])
    assert trees > linear > 0.5


def test_a_report_is_that_of_the_experiment(seen: Shop) -> None:
    said = notebook(
        seen,
        "for name in (None, 'trees'):\n"
        "    page = crivo.report(name)\n"
        "    print('boosting for returned' in page.html, page._repr_html_()[:15])\n",
    )
    assert said.strip().splitlines()[-2:] == ["False <iframe srcdoc=", "True <iframe srcdoc="]
