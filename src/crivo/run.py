"""`crivo.Run`: the steps that src/prepare.py, featurize.py, train.py and evaluate.py consist of.

It holds a stage's settings and blocks, and reads and writes its files. `Run.start` begins, guards
and ends a stage.
"""

from __future__ import annotations

# Nothing large is imported here. From now on an interrupted import is told in one sentence.
import crivo.runtime.messages  # noqa: F401

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import pandas as pd
    from dvclive import Live

    from crivo.core.blocks import Context, Dataset, Evaluation, Splitter
    from crivo.core.params import Params
    from crivo.core.schema import Schema
    from crivo.evaluation.evaluate import Result
    from crivo.evaluation.predicting import Predicting
    from crivo.evaluation.thresholds import OperatingPoint
    from crivo.featurization.row_checks import SplitRows
    from crivo.preparation.prepared import Prepared

# The prepared rows of a split, and what a model sees of them, in the same order.
Split: TypeAlias = "tuple[pd.DataFrame, pd.DataFrame]"


class Run:
    """One run of a stage.

    `params` contains the settings that `dvc.yaml` declares for the stage. A stage that reads any
    other setting is stopped.
    """

    def __init__(self, params: Params, stage: str, step: Callable[[str], None]) -> None:
        self.params, self.stage, self._step = params, stage, step
        self.log = logging.getLogger(f"crivo.{stage}")
        self._live: Live | None = None
        # The model, whether it was fitted again, and where its threshold lies.
        self._evaluated: tuple[Any, bool, OperatingPoint] | None = None

    @classmethod
    def start(cls, stage: Callable[[Run], None]) -> None:
        """Run a stage as `dvc repro` calls it: `python src/train.py`.

        What the shell could change is taken away, what the stage reads of the project and doesn't
        declare is refused, and the settings are checked. Exits with 1 and a sentence where the
        stage can't go on. `CRIVO_LOG=debug` shows more, `warning` less.
        """
        from crivo.runtime.start import start_stage

        start_stage()
        from crivo.runtime.stage import progress, run_stage

        @wraps(stage)
        def run(params: Params) -> None:
            with progress() as step:
                stage(cls(params, stage.__name__, step))

        run_stage(run)

    def block(self, kind: str) -> Any:
        """Return the block of a kind that the settings choose: `run.block("model")`."""
        return self.params.block(kind)

    @cached_property
    def schema(self) -> Schema:
        """What the columns of the prepared rows are."""
        from crivo.core import artifacts

        return artifacts.read_schema()

    # --- prepare ------------------------------------------------------------------------------

    def prepare(self, dataset: Dataset, splitter: Splitter) -> Prepared:
        """Read the raw rows, set aside what can't be used, and split the rest.

        CrivoError: the raw files aren't those that git records, or too many rows are unusable.
        """
        from crivo.core import artifacts
        from crivo.preparation.prepared import prepare_rows
        from crivo.preparation.rawdata import verify_raw

        raw = artifacts.RAW / self.params.dataset
        self._step("verify raw files")
        verify_raw(raw, raw.with_name(f"{raw.name}.dvc"))
        self._step("read")
        return prepare_rows(dataset.load(raw), dataset, splitter, self.params, self._step)

    def write_prepared(self, prepared: Prepared) -> None:
        """Write the schema, the rows set aside and what is known of the data."""
        from crivo.core import artifacts
        from crivo.preparation.quarantine import REASON, count_reasons

        artifacts.write_json(artifacts.SCHEMA, prepared.schema.to_json())
        artifacts.write_table(artifacts.QUARANTINE, prepared.quarantined)
        reasons = count_reasons(prepared.quarantined[REASON])
        files = {"quarantine.csv": reasons, "metrics.json": prepared.metrics}
        artifacts.write_files(artifacts.DATA_METRICS, files)
        told = "{rows_in:,} rows in, {rows_out:,} out, {rows_quarantined:,} set aside"
        self.log.info("%s", told.format(**prepared.metrics))

    # --- featurize ----------------------------------------------------------------------------

    def prepared_rows(self) -> SplitRows:
        """Return the prepared rows, split by split, without the columns that no check needs."""
        from crivo.core import artifacts
        from crivo.featurization.row_checks import SplitRows

        schema = self.schema
        names = (schema.id, schema.target, schema.time, schema.group, *schema.features)
        columns = [*dict.fromkeys(name for name in names if name is not None)]
        return SplitRows(
            schema, lambda split: artifacts.read_table(artifacts.prepared(split), columns)
        )

    def featurize(self, splits: SplitRows) -> None:
        """Fit the featurizer on the training rows, and write it and the features of all rows."""
        from crivo.core import artifacts
        from crivo.core.errors import CrivoError
        from crivo.core.inputs import check_inputs
        from crivo.modelfile.canonical import save_model

        featurizer, features = self.block("featurizer"), list(self.schema.features)
        transformer = featurizer.build(self.schema, self.params.seed)
        try:
            self._step("fit")
            rows = splits.split("train")
            transformer.fit(rows[features], rows[self.schema.target])
            save_model(artifacts.FEATURIZER, transformer)
            for split in artifacts.SPLITS:
                self._step(split)
                rows = splits.split(split)[features]
                inputs = check_inputs(transformer.transform(rows), rows)
                artifacts.write_table(artifacts.features(split), inputs)
        except KeyError as error:
            raise CrivoError(
                f"The featurizer raised KeyError: {error}. If this names a column that the rows "
                f"lack, name another in the featurizer's block: {', '.join(features)}."
            ) from error

    def check_rows(self, splits: SplitRows) -> None:
        """Write what the checks find in the rows, such as features that leak the target."""
        from crivo.core import artifacts
        from crivo.core.findings import findings_table, log_findings
        from crivo.featurization.row_checks import ROW_CHECKS

        self._step("check rows")
        findings = ROW_CHECKS.review(splits)
        table = findings_table(findings)
        titles = [ROW_CHECKS[code].title for code in table["code"]]
        artifacts.write_csv(artifacts.ROW_FINDINGS, table.assign(title=titles))
        log_findings(self.log, findings)

    # --- train --------------------------------------------------------------------------------

    def training_rows(self) -> Split:
        """Return the training rows and their features, in the same order."""
        from crivo.training.fit import read_training_fraction

        self._step("read")
        return read_training_fraction(self.schema, self.params.train.fraction)

    @contextmanager
    def tracking(self) -> Iterator[None]:
        """Let the fits inside log their metrics, iteration by iteration."""
        from crivo.core import artifacts
        from crivo.training.tracking import tracker

        with tracker(artifacts.TRAIN_METRICS) as self._live:
            yield

    def fit(self, kind: str, rows: pd.DataFrame, features: pd.DataFrame) -> Any:
        """Return the estimator of the chosen `model` or `baseline`, fitted on the rows."""
        from crivo.core.inputs import require_taken
        from crivo.core.wording import counted
        from crivo.runtime.timing import timed
        from crivo.training.fit import fit_model
        from crivo.training.tracking import log_iteration

        block, seed, train = self.block(kind), self.params.seed, self.params.train
        if kind == "baseline":
            return fit_model(block, self.schema, rows, features, train, seed)
        require_taken(features.head(1), self.params.model, block)
        tell = log_iteration(self._live, self._step) if self._live else lambda metrics: None
        self._step("fit")
        with timed("fit", len(rows)):
            fitted = fit_model(block, self.schema, rows, features, train, seed, tell)
        sizes = counted(len(rows), "row"), counted(len(features.columns), "input")
        self.log.info("%s fitted on %s, %s", self.params.model, *sizes)
        return fitted

    def measure(
        self, model: Any, baseline: Any, rows: pd.DataFrame, features: pd.DataFrame
    ) -> None:
        """Log the training loss of both, along the model's iterations if it has any."""
        from crivo.training.tracking import log_training

        self._step("measure")
        assert self._live is not None, "measured inside `with run.tracking()`"
        log_training(self._live, model, baseline, features, rows[self.schema.target])

    def save(self, model: Any, baseline: Any) -> None:
        """Write both estimators, as files that run no code when they are loaded."""
        from crivo.core import artifacts
        from crivo.modelfile.canonical import save_model

        save_model(artifacts.MODEL, model)
        save_model(artifacts.BASELINE, baseline)

    # --- evaluate -----------------------------------------------------------------------------

    def split(self, name: str) -> Split:
        """Return the rows of `valid` or `test`, with their features."""
        from crivo.core import artifacts

        self._step("read")
        return artifacts.read_table(artifacts.prepared(name)), artifacts.read_features(name)

    def predict(self, split: Split) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the predictions tables of model and baseline for the rows.

        The operating point is chosen on validation rows. With `evaluate.refit`, test rows are
        predicted by models that were fitted again on training and validation rows.
        """
        from crivo.core import artifacts
        from crivo.evaluation.thresholds import OperatingPoint
        from crivo.modelfile.canonical import load_model
        from crivo.training.fit import read_fit_rows, refit

        params, context, predicting = self.params, self.context(), self._predicting
        models = load_model(artifacts.MODEL), load_model(artifacts.BASELINE)
        here = params.evaluate.split == "valid"
        # Test rows choose nothing, no threshold either.
        choosing = split if here else self.split("valid")
        self._step("predict")
        tables = predicting.tables(models, *choosing)
        point = OperatingPoint.choose(tables, context, params.evaluate.value, here=here)
        again = params.evaluate.refit and not here
        if again:
            blocks = self.block("model"), self.block("baseline")
            splits = (read_fit_rows(name, self.schema) for name in ("train", "valid"))
            models = refit(blocks, self.schema, splits, params.seed, params.train)
        self._evaluated = models[0], again, point
        return point.apply(tables if here else predicting.tables(models, *split), context)

    def context(self, baseline: pd.DataFrame | None = None) -> Context:
        """Return what an evaluator may know beside the predictions."""
        from crivo.core.blocks import Context

        return Context.of(self.schema, baseline, self.params.seed)

    def explain(
        self,
        evaluation: Evaluation,
        split: Split,
        predictions: pd.DataFrame,
        baseline: pd.DataFrame,
    ) -> Result:
        """Return the evaluation with what explains it: slices, errors, curves, report."""
        from crivo.core import artifacts
        from crivo.evaluation.evaluate import Result
        from crivo.evaluation.incumbent import read_incumbent
        from crivo.evaluation.inspection import learning_curve, permutation_importance
        from crivo.runtime.environment import environment_state
        from crivo.training.fit import write_refitted

        assert self._evaluated is not None, "`predict` comes first"
        self._step("explain")
        params, (rows, features), (model, again, point) = self.params, split, self._evaluated
        target, groups = rows[self.schema.target], self._predicting.groups(rows)
        curves = {
            "learning": learning_curve(model, features, target),
            "importance": permutation_importance(model, features, target, params.seed, groups),
        }
        self._step("find")
        return Result(
            predictions,
            self.context(baseline),
            evaluation,
            point,
            vars(self.block("evaluator")),
            self._predicting,
            dataset=params.dataset,
            model=params.model,
            baseline=params.baseline,
            split=params.evaluate.split,
            rows=rows,
            features=features,
            facts=environment_state() | write_refitted(model if again else None),
            curves=curves,
            training=artifacts.read_json(artifacts.TRAIN_METRICS / "metrics.json"),
            row_findings=artifacts.read_csv(artifacts.ROW_FINDINGS, as_text=True),
            incumbent=read_incumbent(),
            settings=vars(self.block("model")),
            checks=params.evaluate.checks,
        )

    def write(self, result: Result) -> None:
        """Write `metrics/evaluation`: numbers, tables, curves and the report."""
        from crivo.core import artifacts
        from crivo.core.findings import log_findings

        self._step("write")
        artifacts.write_files(artifacts.EVALUATION, result.files)
        log_findings(self.log, result.checked)
        for line in result.warnings:
            self.log.warning(line)

    @cached_property
    def _predicting(self) -> Predicting:
        from crivo.evaluation.predicting import Predicting

        return Predicting(self.schema, self.params.evaluate)
