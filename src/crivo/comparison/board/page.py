"""Makes `crivo board`, one HTML file of all experiments: values, plotting library and script.

The page computes no statistics. Each difference, interval and verdict on it is `compare`'s.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from crivo.comparison.result import ComparisonResult
from crivo.comparison.text import cells
from crivo.core import artifacts
from crivo.core.artifacts import rounded
from crivo.core.cache import Cache
from crivo.core.errors import CrivoError
from crivo.core.results import as_json
from crivo.core.tasks import TASKS
from crivo.core.wording import counted
from crivo.evaluation.report.page import code, environment
from crivo.records.cached import Store
from crivo.records.history import History
from crivo.records.record import Record
from crivo.records.settings import plain, short_names, used
from crivo.repository.git import Repository

if TYPE_CHECKING:
    from jinja2 import Environment

PLOTS = (artifacts.EVALUATION / "plots").as_posix()
# A curve looks the same with so many points.
MAX_POINTS = 100
# Each kind's file, the columns that it draws, and what it is called.
KINDS = (
    ("roc", "false_positive_rate", "true_positive_rate", "ROC curve"),
    ("precision_recall", "recall", "precision", "Precision and recall"),
    ("calibration", "mean_score", "observed_rate", "Calibration"),
    ("value_curve", "threshold", "value_per_1000", "Value over thresholds"),
    ("learning", "iteration", "loss", "Held-out loss while learning"),
)
# How many of the best have their curves and slices on the page, beside those with a star.
FULLY_SHOWN = 20
SCALE = ("name", "direction", "best")
REPORT = (artifacts.EVALUATION / "report.html").as_posix()
SCRIPTS = ("state.js", "table.js", "charts.js", "figures.js", "main.js")
LIBRARY = re.compile(r"<!-- (vega[a-z-]*) ([\d.]+) -->\n<script>\n.*?\n</script>", re.DOTALL)
LICENCE = re.compile(r"<!--\nThe scripts below.*?-->", re.DOTALL)


def curves_of(
    repository: Repository, records: Mapping[int, Record]
) -> tuple[list[dict[str, Any]], int]:
    """Return the curves by kind, with the points of experiments by their places in the table.

    And how many experiments' plots this clone's cache lacks.
    """
    cache = Cache(repository.project)
    listings: dict[int, dict[str, str]] = {}
    for i, record in records.items():
        with suppress(CrivoError, KeyError):  # a project without DVC's folder has no cache
            listings[i] = cache.listing(record.hashes[PLOTS]) or {}
    found, words = [], {}
    for record in records.values():  # all are of one task
        words["calibration"] = TASKS[record.about["task"]].calibration
    for name, x, y, title in KINDS:
        of = {}
        for i, listing in listings.items():
            with suppress(KeyError, OSError, ValueError):  # no such file, or one of another form
                table = pd.read_csv(cache.place(listing[f"{name}.csv"]))
                of[str(i)] = points(table[[x, y]])
        if of:
            title, x, y = words.get(name, (title, x, y))
            found.append({"name": name, "x": x, "y": y, "title": title, "of": of})
    return found, len(records) - sum(map(bool, listings.values()))


def points(table: pd.DataFrame) -> list[list[float]]:
    """Return the columns of at most 100 rows, evenly by their places, the ends with them.

    >>> [len(column) for column in points(pd.DataFrame({"x": range(1001), "y": range(1001)}))]
    [100, 100]
    """
    known = table.astype(float).replace([np.inf, -np.inf], np.nan).dropna()
    places = np.linspace(0, len(known) - 1, min(len(known), MAX_POINTS)).round().astype(int)
    return known.iloc[places].map(lambda value: float(f"{value:.4g}")).T.to_numpy().tolist()


def board_values(comparison: ComparisonResult, history: History) -> dict[str, Any]:
    """Return what the page's script reads; `history` is what the comparison was made from."""
    known = {one.origin.revision: one for one in history.counted}
    records = [known.get(one.revision) for one in comparison.experiments]
    seconds, times = history.ledger.seconds, history.ledger.times
    document = json.loads(as_json("compare", comparison))
    in_full: dict[int, Record] = {}
    for i, (one, record) in enumerate(zip(comparison.experiments, records, strict=True)):
        of_model = times.get(record.model or "", {}) if record else {}
        document["experiments"][i] |= {
            # As the command line prints them.
            "texts": {each.metric: cells(each) for each in one.metrics},
            "seconds": seconds.get(one.revision),
            "fit_seconds": of_model.get("fit"),
            "predict_seconds": of_model.get("predict"),
            "trial_made": bool(record and record.origin.trial),
        }
        if record and (i < FULLY_SHOWN or one.starred or one.verdict == "reference"):
            in_full[i] = record
    metrics = dict.fromkeys(one.metric for each in comparison.experiments for one in each.metrics)
    scales = [comparison.scales[name] for name in metrics]
    curves, without = curves_of(history.repository, in_full)
    return rounded(
        document
        | {
            "metrics": [{name: getattr(one, name) for name in SCALE} for one in scales],
            "settings": varying_settings(records),
            "slices": slice_values([*metrics], in_full),
            "curves": curves,
            "without_curves": without,
            "in_full": [*in_full],
        }
    )


def varying_settings(records: Sequence[Record | None]) -> list[dict[str, Any]]:
    """Return each setting that the records don't all have alike: its `key`, a short `name`, and
    `of`, each record's value, or None where no stage of it reads the setting.
    """
    read = [used(one.settings) if one else {} for one in records]
    values = {
        key: [_shown(one[key]) if key in one else None for one in read]
        for key in dict.fromkeys(key for settings in read for key in settings)
    }
    varying = [key for key, of in values.items() if len({*of}) > 1]
    names = short_names(varying)
    return [{"key": key, "name": names[key], "of": values[key]} for key in varying]


def _shown(value: Any) -> Any:
    """Return a number as it is, anything else as one would type it."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if number else plain(value)


def slice_values(
    metrics: Sequence[str], records: Mapping[int, Record]
) -> dict[str, dict[str, dict[str, list[float]]]]:
    """Return each metric's values by slice and by the records' places: value, low, high."""
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for metric in metrics:
        for i, record in records.items():
            for name, _, *ends in record.slices(metric):
                found.setdefault(metric, {}).setdefault(name, {})[str(i)] = ends
    return found


def board_page(comparison: ComparisonResult, history: History, plots_page: str) -> str:
    """Return the page of a comparison, which was made from this history.

    `plots_page`: the page of `dvc plots` that needs no network, whose plotting library is used.
    """
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            found=comparison,
            code=code,
            style=_text("board.css"),
            values=board_values(comparison, history),
            library=library(plots_page),
            script="\n".join(_text(name) for name in SCRIPTS),
        )
    )


def _environment() -> Environment:
    made = environment("crivo.comparison.board")
    made.filters |= {"counted": counted, "sentence": lambda text: text[:1].upper() + text[1:]}
    made.tests["next"] = lambda note: note.startswith("Next: ")
    made.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return made


def library(plots_page: str) -> str:
    """Return Vega, Vega-Lite and vega-embed as script elements, their licence before them."""
    (licence,) = LICENCE.findall(plots_page)
    return "\n".join([licence, *(match[0] for match in LIBRARY.finditer(plots_page))])


def _text(name: str) -> str:
    return files("crivo.comparison.board").joinpath(name).read_text("utf-8").strip()


def stored_report(history: History, record: Record) -> str:
    """Return an experiment's report; CrivoError where this clone's cache lacks it."""
    return Store(history.repository).path(record, REPORT).read_text("utf-8", "replace")


def write_report(record: Record, history: History, place: Path) -> None:
    """Write an experiment's report; its bytes are the same under every name, so it is named."""
    header = f"<header>\n<p><strong>Experiment {escape(record.name)}</strong></p>"
    page = stored_report(history, record).replace("<header>", header, 1)
    title = f"<title>{escape(record.name)}: "
    artifacts.write_text(place, page.replace("<title>", title, 1))
