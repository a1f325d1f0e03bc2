"""crivo: machine-learning experiments whose results can be believed.

These names are the public face. Blocks, stages, tests and notebooks of a project import nothing
else of the library but `crivo.testing`. A name is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from crivo.core.blocks import Count as Count
    from crivo.core.blocks import CountOrNone as CountOrNone
    from crivo.core.blocks import Dataset as Dataset
    from crivo.core.blocks import Day as Day
    from crivo.core.blocks import Evaluator as Evaluator
    from crivo.core.blocks import Featurizer as Featurizer
    from crivo.core.blocks import Model as Model
    from crivo.core.blocks import Names as Names
    from crivo.core.blocks import Positive as Positive
    from crivo.core.blocks import PositiveOrZero as PositiveOrZero
    from crivo.core.blocks import RawContext as RawContext
    from crivo.core.blocks import Splitter as Splitter
    from crivo.core.blocks import Training as Training
    from crivo.core.blocks import block as block
    from crivo.core.errors import CrivoError as CrivoError
    from crivo.core.evaluation import Context as Context
    from crivo.core.evaluation import Evaluation as Evaluation
    from crivo.core.inputs import numeric_inputs as numeric_inputs
    from crivo.core.schema import Column as Column
    from crivo.core.schema import Schema as Schema
    from crivo.core.schema import Task as Task
    from crivo.core.schema import Words as Words
    from crivo.core.tasks import by_estimator as by_estimator
    from crivo.evaluation.assess import assess as assess
    from crivo.evaluation.assess import choose_metrics as choose_metrics
    from crivo.evaluation.metrics import metric as metric
    from crivo.evaluation.metrics import unknown_metric as unknown_metric
    from crivo.evaluation.result_checks import check as check
    from crivo.evaluation.rows import NotDefined as NotDefined
    from crivo.featurization.table import TableEncoder as TableEncoder
    from crivo.featurization.typed import TypedColumns as TypedColumns
    from crivo.notebook import compare as compare
    from crivo.notebook import experiments as experiments
    from crivo.notebook import load as load
    from crivo.notebook import report as report
    from crivo.notebook import workspace as workspace
    from crivo.preparation import group_split as group_split
    from crivo.preparation import hash_split as hash_split
    from crivo.preparation import point_in_time as point_in_time
    from crivo.preparation import rawdata as rawdata
    from crivo.preparation import time_split as time_split
    from crivo.preparation import timestamps as timestamps
    from crivo.preparation.tables.dataset import TableDataset as TableDataset
    from crivo.provenance.trace import trace as trace
    from crivo.provenance.verification import verify as verify
    from crivo.run import Run as Run
    from crivo.runtime.start import shell_variable as shell_variable
    from crivo.training.boosters import LightgbmModel as LightgbmModel
    from crivo.training.boosters import XgboostModel as XgboostModel
    from crivo.training.estimators import EstimatorModel as EstimatorModel

# The modules that have the names, in the order of the page about them.
_NAMES = {
    "crivo.core.blocks": (
        *("block", "Dataset", "Splitter", "Featurizer", "Model", "Evaluator"),
        *("Training", "RawContext", "Count", "CountOrNone", "Day", "Names", "Positive"),
        "PositiveOrZero",
    ),
    "crivo.core.schema": ("Schema", "Column", "Words", "Task"),
    "crivo.preparation.tables.dataset": ("TableDataset",),
    "crivo.preparation": (
        *("rawdata", "timestamps", "point_in_time"),
        *("hash_split", "group_split", "time_split"),
    ),
    "crivo.featurization.table": ("TableEncoder",),
    "crivo.featurization.typed": ("TypedColumns",),
    "crivo.core.tasks": ("by_estimator",),
    "crivo.core.inputs": ("numeric_inputs",),
    "crivo.training.estimators": ("EstimatorModel",),
    "crivo.training.boosters": ("LightgbmModel", "XgboostModel"),
    "crivo.core.evaluation": ("Context", "Evaluation"),
    "crivo.evaluation.assess": ("assess", "choose_metrics"),
    "crivo.evaluation.metrics": ("unknown_metric", "metric"),
    "crivo.evaluation.rows": ("NotDefined",),
    "crivo.evaluation.result_checks": ("check",),
    "crivo.core.errors": ("CrivoError",),
    "crivo.runtime.start": ("shell_variable",),
    "crivo.run": ("Run",),
    "crivo.notebook": ("experiments", "compare", "load", "report", "workspace"),
    "crivo.provenance.trace": ("trace",),
    "crivo.provenance.verification": ("verify",),
}
# These are modules themselves: functions for datasets and splitters.
_MODULES = frozenset(_NAMES["crivo.preparation"])
_PLACES = {name: module for module, names in _NAMES.items() for name in names}
__all__ = [*_PLACES]


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'crivo' has no attribute {name!r}")
    module = _PLACES[name]
    found = import_module(f"{module}.{name}" if name in _MODULES else module)
    value = globals()[name] = found if name in _MODULES else getattr(found, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
