"""For notebooks and scripts: lists and compares experiments, loads models, shows reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from crivo.comparison import compare as comparison
from crivo.comparison.board.page import REPORT, stored_report
from crivo.comparison.result import ComparisonResult
from crivo.comparison.text import as_frame
from crivo.core import artifacts
from crivo.core.blocks import Context, Evaluation
from crivo.core.codepath import find_project, put_project_first
from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE, Params, read_params
from crivo.core.schema import Schema
from crivo.evaluation.predicting import Predicting
from crivo.modelfile.canonical import load_model
from crivo.prediction.bundle import load_predictor, load_project
from crivo.prediction.predictor import Predictor
from crivo.records.cached import stored_content
from crivo.records.history import read_history

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.base import BaseEstimator

EXPORTED = ".zip"


def project_folder(folder: str | Path = ".") -> Path:
    """Return the project that a folder is or is in; a notebook's folder lies in one.

    Its blocks and metrics are those that are imported from then on.
    CrivoError: there is no project around it.
    """
    project = find_project(Path(folder))
    if project is None:
        raise CrivoError(
            f"{Path(folder).resolve()} is in no crivo project; start the notebook in one, or give "
            "its `folder`."
        )
    put_project_first(project)
    return project


@dataclass(frozen=True)
class Workspace:
    """What the pipeline has made in a project's folder: rows, features, settings."""

    folder: Path

    @cached_property
    def params(self) -> Params:
        """The settings in `params.yaml`."""
        return read_params(self.folder / PARAMS_FILE)

    @cached_property
    def schema(self) -> Schema:
        """What the columns of the prepared rows are."""
        return artifacts.read_schema(self.folder / artifacts.SCHEMA)

    def rows(self, split: str) -> pd.DataFrame:
        """Return the prepared rows of `train` or `valid`."""
        return artifacts.read_table(self.folder / artifacts.prepared(split))

    def features(self, split: str) -> pd.DataFrame:
        """Return what a model sees of these rows, in the same order."""
        return artifacts.read_table(self.folder / artifacts.features(split))

    def evaluate(self, estimator: BaseEstimator) -> Evaluation:
        """Return the evaluation of a fitted estimator on the validation rows, as the stage does."""
        predicting = Predicting(self.schema, self.params.evaluate)
        baseline = load_model(self.folder / artifacts.BASELINE)
        valid = self.rows("valid"), self.features("valid")
        predictions, base = predicting.tables((estimator, baseline), *valid)
        context = Context.of(self.schema, base, self.params.seed)
        evaluation: Evaluation = self.params.block("evaluator").evaluate(predictions, context)
        return evaluation


def workspace(folder: str | Path = ".") -> Workspace:
    """Return the results of the pipeline in the project that contains `folder`."""
    return Workspace(project_folder(folder))


def experiments(folder: str | Path = ".") -> pd.DataFrame:
    """Return all experiments as a table: the primary metric, its interval, difference and verdict.

    The index contains the names, the best experiment first. The numbers are strings, as the command
    prints them; `crivo.compare` returns numbers.

        crivo.experiments()
    """
    return as_frame(compare(folder=folder))


def compare(*names: str, against: str | None = None, folder: str | Path = ".") -> ComparisonResult:
    """Compare experiments, branches and commits, and say which one is better.

    Without names, all experiments are compared. The reference is the experiment that `against`
    names or, without it, the incumbent (unless there are several names, and none was evaluated on
    the incumbent's rows). Otherwise, it is the first of several names, or HEAD, or the parent of
    HEAD if HEAD is the one named. The interval of a trial allows for all trials before it on the
    same rows. Jupyter shows the result as a table. The result's `table` and `metrics` are data
    frames.

        crivo.compare("slower", against="main").table["verdict"]
    """
    return comparison.compare(names, against=against, folder=project_folder(folder))


def load(
    experiment: str | None = None, folder: str | Path = ".", *, sha256: str | None = None
) -> Predictor:
    """Return a predictor with the model of the workspace, an experiment or a commit.

    A file name such as `model.zip` stands for a model that `crivo export` wrote. Such a model is
    loaded in a separate process. If you pass the file's `sha256`, it is loaded in this process,
    which is faster. A CrivoError is raised if there is no such experiment, or if its model isn't in
    this clone's DVC cache.

        crivo.load("slower").predict(rows)
    """
    if experiment is not None and experiment.endswith(EXPORTED):
        return load_predictor(experiment, sha256=sha256)
    project = project_folder(folder)
    if experiment is None:
        return load_predictor(project)
    history = read_history(project)
    record = history.find(experiment)
    return load_project(
        partial(stored_content, history.repository, record), project, experiment, ours=True
    )


@dataclass(frozen=True)
class ReportPage:
    """The report of an experiment, which shows itself in Jupyter; `html` is the whole page."""

    html: str = field(repr=False)

    def _repr_html_(self) -> str:
        page = escape(self.html)
        return f'<iframe srcdoc="{page}" style="width:100%;height:45em;border:0"></iframe>'


def report(experiment: str | None = None, folder: str | Path = ".") -> ReportPage:
    """Return the report of the workspace, an experiment or a commit.

    A CrivoError is raised if there is no such experiment, or if its report isn't in this clone's
    DVC cache.

        crivo.report("slower")
    """
    project = project_folder(folder)
    if experiment is None:
        if not (project / REPORT).is_file():
            raise CrivoError(f"{REPORT} doesn't exist yet; run `dvc repro`.")
        return ReportPage((project / REPORT).read_text(encoding="utf-8"))
    history = read_history(project)
    return ReportPage(stored_report(history, history.find(experiment)))
