"""What may be spent on trials on the same rows, and what they have used."""

from crivo.records.history import read_history
from crivo.trials.trial import trials_so_far
from tests.crivo.experiments.repository import Project, about
from tests.crivo.experiments.tried import OTHER


def test_the_trials_on_the_same_rows_are_counted(tried: Project) -> None:
    tried.trial("other", OTHER)
    tried.trial("elsewhere", {**OTHER, **about(OTHER, rows="r6", sample=["x"])})
    assert trials_so_far(read_history(tried.folder)) == 2
