"""What the tests of comparing compare: a reference, a better trial, one that differs otherwise."""

from crivo.comparison.result import ComparisonResult, RefusedExperiment
from tests.crivo.experiments.repository import OTHER_WAY, evaluation_files, settings, spread

SLOW = settings(models__boosting__learning_rate=0.05)
TEST = settings(evaluate__split="test")

MAIN = evaluation_files({"roc_auc": spread(0.70), "log_loss": spread(0.40)})
# Differences of 0.02 with a standard error of 0.008: better for the one trial that was planned,
# whose critical value is 2.3735 (4.5 % of t with 8 degrees of freedom), undecided for a second.
GOOD = evaluation_files(
    {"roc_auc": spread(0.72, 0.003), "log_loss": spread(0.42, 0.003)}, settings=SLOW
)
OTHER = evaluation_files(
    {"roc_auc": spread(0.70, 0.003, OTHER_WAY), "log_loss": spread(0.4, 0.003, OTHER_WAY)}
)


def refused(found: ComparisonResult) -> dict[str, RefusedExperiment]:
    """Return what couldn't be compared, by name."""
    return {one.name: one for one in found.refused}
