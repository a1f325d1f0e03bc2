# The public names and the modules that have them, in the order of docs/reference/python.md.
# `__init__.py` reads these lines, one name each; type checkers read them too.
# isort: skip_file
from crivo.core.blocks import block as block
from crivo.core.blocks import Dataset as Dataset
from crivo.core.blocks import Splitter as Splitter
from crivo.core.blocks import Featurizer as Featurizer
from crivo.core.blocks import Model as Model
from crivo.core.blocks import Evaluator as Evaluator
from crivo.core.blocks import Training as Training
from crivo.core.blocks import RawContext as RawContext
from crivo.core.blocks import Count as Count
from crivo.core.blocks import CountOrNone as CountOrNone
from crivo.core.blocks import Day as Day
from crivo.core.blocks import Names as Names
from crivo.core.blocks import Positive as Positive
from crivo.core.blocks import PositiveOrZero as PositiveOrZero
from crivo.core.schema import Schema as Schema
from crivo.core.schema import Column as Column
from crivo.core.schema import Words as Words
from crivo.core.schema import Task as Task
from crivo.preparation.tables.dataset import TableDataset as TableDataset
from crivo.preparation import rawdata as rawdata
from crivo.preparation import timestamps as timestamps
from crivo.preparation import point_in_time as point_in_time
from crivo.preparation import hash_split as hash_split
from crivo.preparation import group_split as group_split
from crivo.preparation import time_split as time_split
from crivo.featurization.table import TableEncoder as TableEncoder
from crivo.featurization.typed import TypedColumns as TypedColumns
from crivo.core.tasks import by_estimator as by_estimator
from crivo.core.inputs import numeric_inputs as numeric_inputs
from crivo.training.estimators import EstimatorModel as EstimatorModel
from crivo.training.boosters import LightgbmModel as LightgbmModel
from crivo.training.boosters import XgboostModel as XgboostModel
from crivo.core.blocks import Context as Context
from crivo.core.blocks import Evaluation as Evaluation
from crivo.evaluation.assess import assess as assess
from crivo.evaluation.assess import choose_metrics as choose_metrics
from crivo.evaluation.metrics import unknown_metric as unknown_metric
from crivo.evaluation.metrics import metric as metric
from crivo.statistics.jackknife import NotDefined as NotDefined
from crivo.evaluation.result_checks import check as check
from crivo.core.errors import CrivoError as CrivoError
from crivo.runtime.start import shell_variable as shell_variable
from crivo.run import Run as Run
from crivo.notebook import experiments as experiments
from crivo.notebook import compare as compare
from crivo.notebook import load as load
from crivo.notebook import report as report
from crivo.notebook import workspace as workspace
from crivo.provenance.trace import trace as trace
from crivo.provenance.verification import verify as verify

__all__: list[str]
