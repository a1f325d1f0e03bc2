"""What may be spent on trials on the same rows, and what they have used."""

from crivo.records.history import read_history
from crivo.trials.trial import keep_cost, trials_so_far, usual_seconds
from tests.crivo.experiments.repository import Project, about
from tests.crivo.experiments.tried import OTHER


def test_the_trials_on_the_same_rows_are_counted(tried: Project) -> None:
    tried.trial("other", OTHER)
    tried.trial("elsewhere", {**OTHER, **about(OTHER, rows="r6", sample=["x"])})
    assert trials_so_far(read_history(tried.folder)) == 2


def test_the_next_trial_takes_as_long_as_the_last_ones(tried: Project) -> None:
    assert usual_seconds(read_history(tried.folder), "boosting") == ""
    for name, seconds in (("a", 10), ("b", 12), ("c", 90)):
        tried.trial(name, OTHER)
        keep_cost(read_history(tried.folder), name, seconds)
    history = read_history(tried.folder)
    assert usual_seconds(history, "boosting").endswith(
        "the last 3 trials with model=boosting took 12 s (median)"
    )
    assert usual_seconds(history, "linear") == ""
    assert usual_seconds(history, "boosting", last=1).endswith("model=boosting took 90 s")
