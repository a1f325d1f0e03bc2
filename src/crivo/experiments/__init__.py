"""Past experiments: reading them from git, comparing them, running them again.

Every command has its function here, which returns pandas objects:

    from crivo.experiments import compare
    compare(["boosting-max_iter=400"], against="main").table
"""

from crivo.experiments.choice import Filters
from crivo.experiments.comparison import Comparison, arranged, compare
from crivo.experiments.confirmation import Confirmation, confirm
from crivo.experiments.incumbent import clear_incumbent, current_incumbent, set_incumbent
from crivo.experiments.looks import known_looks
from crivo.experiments.prediction_diff import PredictionDiff, diff_predictions
from crivo.experiments.repeated import Repetition
from crivo.experiments.repetition import repeat
from crivo.experiments.trial import require_reference, try_settings

__all__ = [
    "Comparison",
    "Confirmation",
    "Filters",
    "PredictionDiff",
    "Repetition",
    "arranged",
    "clear_incumbent",
    "compare",
    "confirm",
    "current_incumbent",
    "diff_predictions",
    "known_looks",
    "repeat",
    "require_reference",
    "set_incumbent",
    "try_settings",
]
