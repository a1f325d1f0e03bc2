"""Checks R010, R012, R013: a simple model is as good; features that add nothing or are redundant.

Only `crivo check` makes them, because they fit or compare more than a stage does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from crivo.checks.project import CHECKS, Project
from crivo.core import artifacts
from crivo.core.blocks import Context
from crivo.core.findings import Found, NotApplicable
from crivo.core.registry import make_block
from crivo.core.tasks import task_of
from crivo.core.wording import a_few
from crivo.evaluation.assess import assess
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.report.numbers import digits_of, number, same_digits, with_interval
from crivo.notebook import Workspace
from crivo.training.fit import fit_model

# Enough training rows for a check, few enough for a second.
MAX_ROWS = 20_000
# A gain below this part of what the simple model gains over the trivial one isn't worth much.
SMALL = 0.1
# Without a margin, losing this part of what the model gains over the baseline doesn't matter.
WORTHLESS = 0.02
# On fewer rows an importance is far from normal: a few rows make it.
MIN_EVALUATED = 200
# Of columns that two share, the ranks are compared on so many rows.
SAME, RANKED, MIN_ROWS = 0.999, 5_000, 50
# Names of features in a finding.
SHOWN = 5

NO_BETTER = (
    "the model is at most {} better than a regularised linear model ({}), which is simpler, and {} "
    "better than the baseline; use `model=linear`, or find out why this model doesn't learn more."
)
IDLE = "{} of {} add almost nothing on these rows ({}): fitted again without them, the model {}."
LOSES = "loses at most {} of {}, and a loss of {} doesn't matter; leave them out"
DOUBLE = (
    "{} and {} carry the same information (rank correlation {:.4f}); keep only one of them, "
    "because importances and coefficients are divided between them at random."
)


@dataclass(frozen=True)
class Evaluated(Workspace):
    """What was evaluated on validation rows, and what the evaluation says of itself."""

    about: Mapping[str, Any]

    @classmethod
    def of(cls, project: Project) -> Evaluated:
        """Return it; NotApplicable where that isn't a model on validation rows."""
        about = project.evaluation
        if about.get("split") != "valid":
            raise NotApplicable("the result is on test rows, which aren't for choosing")
        if project.broken_blocks or project.wrong_settings:
            raise NotApplicable("a block or a setting is wrong; B001 or S001 says which")
        project.as_evaluated()
        found = cls(project.root, about)
        if found.params.model == found.params.baseline:
            raise NotApplicable("the baseline is chosen as the model")
        return found

    def pair(self, split: str) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return a split's rows and their features; NotApplicable where they aren't the same."""
        rows, features = self.rows(split), self.features(split)
        if len(rows) != len(features):
            raise NotApplicable(f"data/features doesn't fit the {split} rows; run `dvc repro`")
        return rows, features

    def training_sample(self) -> tuple[pd.DataFrame, pd.Series]:
        """Return features and target of at most 20,000 training rows, always the same."""
        rows, features = (one.reset_index(drop=True) for one in self.pair("train"))
        features = features.sample(min(MAX_ROWS, len(rows)), random_state=0)
        return features, rows[self.schema.target].loc[features.index]

    @cached_property
    def primary(self) -> Metric:
        """The primary metric; NotApplicable where it can't say which model is better."""
        name = self.about["primary"]
        metric = metrics_of(self.about["task"]).get(name)
        if metric is None:
            raise NotApplicable(f"{name} is a metric of the evaluator, which isn't run here")
        if metric.best is not None:
            raise NotApplicable(f"for {name}, neither higher nor lower is always better")
        return metric

    @property
    def sign(self) -> int:
        """1 where higher values of the primary metric are better, else -1."""
        return 1 if self.primary.direction == "higher" else -1

    @property
    def gain(self) -> float:
        """By how much the evaluated model is better than the baseline."""
        values = artifacts.read_json(self.folder / artifacts.EVALUATION / "metrics.json")
        name = self.primary.name
        gain = values.get(name, np.nan) - values.get(f"baseline_{name}", np.nan)
        return float(self.sign * gain)

    def worse(self, model: Any, without: Sequence[str] = ()) -> dict[str, float]:
        """Return by how much another model is worse than the evaluated one: `value low high`.

        `without`: features that it doesn't have.
        """
        rows, inputs = self.pair("valid")
        how = self.params.evaluate.model_copy(update={"slices": ()})
        table = Predicting(self.schema, how).table(model, rows, inputs.drop(columns=list(without)))
        stored = artifacts.read_table(self.folder / artifacts.EVALUATION / "predictions.parquet")
        context = Context.of(self.schema, baseline=stored)
        found = assess(table, context, [self.primary]).against_baseline.iloc[0]
        low, value, high = sorted(-self.sign * found[["low", "difference", "high"]].astype(float))
        return {"value": value, "low": low, "high": high}


@CHECKS.check(
    "R010",
    "A simple model is as good",
    severity="warning",
    example=f"roc_auc: {NO_BETTER.format('0.0021', '−0.0030 [−0.0082, +0.0021]', '0.2410')}",
)
def simple_model(project: Project) -> Iterator[Found]:
    """A model that is slow to fit and hard to explain should be better than a simple one. The check
    fits `model=linear` with its settings on at most 20,000 training rows, and compares the two
    models on the validation rows. Its bound is a tenth of the linear model's gain over the
    baseline. It reports the model if the whole 95 % interval of the model's gain over the linear
    model lies below this bound. If the interval contains the bound, it reports nothing. The check
    doesn't apply to `model=linear` itself.
    """
    evaluated = Evaluated.of(project)
    if evaluated.params.model == "linear":
        raise NotApplicable("the model is itself linear")
    features, target = evaluated.training_sample()
    if task_of(evaluated.schema).has_classes and target.nunique() < 2:
        raise NotApplicable("the training rows have only one class")
    params = evaluated.params
    linear = make_block("model", "linear", params.settings("model", "linear"))
    fitted = linear.build(evaluated.schema.task, params.seed).fit(features, target)
    lost = evaluated.worse(fitted)
    gain = evaluated.gain - lost["value"]
    if gain > 0 and lost["high"] < SMALL * gain:
        digits = digits_of(lost["low"], lost["high"])
        most, gained = (number(one, digits) for one in (max(lost["high"], 0), gain))
        told = NO_BETTER.format(most, with_interval(lost, digits, sign=True), gained)
        yield Found(evaluated.primary.name, told)


@CHECKS.check(
    "R012",
    "Features that add nothing",
    severity="note",
    example=(
        "features: "
        + IDLE.format(3, 48, "pressure, visib, gust", LOSES.format("0.0009", "roc_auc", "0.0020"))
    ),
)
def idle_features(project: Project) -> Iterator[Found]:
    """A feature that adds nothing costs time, and if its column is ever missing, the model fails.
    The check first looks for features that add nothing, one by one and together: if their values
    are shuffled, the loss is shown to grow by less than 1 % of the model's gain over a constant
    prediction. This needs at least 200 evaluated rows.

    If there are at most 20,000 training rows, the check then fits the model again without these
    features. It reports them only if the new model is shown to lose less than
    `evaluators.standard.margin` or, without a margin, less than 2 % of the gain over the baseline.
    Several features that are made from one column, such as the components of a text, count as one,
    because only the whole column can be left out.

    With more training rows, the check doesn't apply, but its message names up to three such
    features. In that case, run a trial without these features, and leave them out if the verdict is
    *equivalent*. If it is *undecided*, you still don't know whether they matter.
    """
    evaluated = Evaluated.of(project)
    if evaluated.about.get("n_rows", MIN_EVALUATED) < MIN_EVALUATED:
        raise NotApplicable(f"fewer than {MIN_EVALUATED} evaluated rows")
    table = artifacts.read_csv(project.root / artifacts.EVALUATION / "plots/importance.csv")
    if "idle" not in table:
        raise NotApplicable("the result has no importances of features")
    made_from = table["feature"].map(lambda one: _column(str(one), evaluated.schema.features))
    idle = table["idle"].astype(bool).groupby(made_from, sort=False).all()
    names = idle.index[idle].tolist()
    left_out = table["feature"][made_from.isin(names)].tolist()
    rows, features = evaluated.pair("train")
    rest, params = features.drop(columns=left_out), evaluated.params
    if not names or rest.empty:
        return
    if len(rows) > MAX_ROWS:
        raise NotApplicable(
            f"more than {MAX_ROWS:,} training rows; try it without {a_few(names, 3)}"
        )
    block = params.block("model")
    model = fit_model(block, evaluated.schema, rows, rest, params.train, params.seed)
    limit = getattr(params.block("evaluator"), "margin", 0) or WORTHLESS * evaluated.gain
    lost = evaluated.worse(model, left_out)["high"]
    if lost < limit:
        most, bound = same_digits([lost, limit])
        shown = LOSES.format(most, evaluated.primary.name, bound)
        shown = shown if lost > 0 else "isn't worse; leave them out"
        yield Found("features", IDLE.format(len(names), len(idle), a_few(names, SHOWN), shown))


def _column(feature: str, columns: Sequence[str]) -> str:
    """Return the column that a feature such as `note.text1` is made from, or else its own name."""
    if feature in columns:
        return feature
    found = [one for one in columns if feature.startswith(f"{one}.")]
    return max(found, key=len, default=feature)


@CHECKS.check(
    "R013",
    "Features that duplicate each other",
    severity="note",
    example=f"features: {DOUBLE.format('temp', 'temp_celsius', 1)}",
)
def redundant_features(project: Project) -> Iterator[Found]:
    """Two columns that order the rows in the same way carry the same information. The importance is
    then divided between them at random, so each looks less important than it is. In a linear model,
    their coefficients mean nothing. The check reports numeric features with a rank correlation of
    at least 0.999. It needs at least 50 training rows.
    """
    features, _ = Evaluated.of(project).training_sample()
    if len(features) < MIN_ROWS:
        raise NotApplicable(f"fewer than {MIN_ROWS} training rows")
    numbers = features.iloc[:RANKED].select_dtypes("number").astype(float)
    numbers = numbers.loc[:, numbers.nunique() > 2]
    correlation = numbers.corr(method="spearman", min_periods=MIN_ROWS).abs().to_numpy()
    for i, j in zip(*np.nonzero(np.triu(correlation >= SAME, 1)), strict=True):
        shown = DOUBLE.format(numbers.columns[i], numbers.columns[j], correlation[i, j])
        yield Found("features", shown)
