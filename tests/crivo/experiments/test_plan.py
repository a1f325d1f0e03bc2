"""How much more data a comparison needs, worked out by hand and by simulation."""

from crivo.comparison.compare import compare
from crivo.statistics.planning import clusters_needed
from crivo.trials.plan import plan, plan_text
from tests.crivo.experiments.repository import OTHER_WAY, Project, evaluated, settings

MAIN = evaluated(0.70)
# 0.01 ± 0.019 better, of nine clusters: the standard error is 8/3 of the step, 0.008.
SMALL = evaluated(0.71, 0.003)


def test_with_a_margin_it_says_what_shows_a_difference_of_that_size(project: Project) -> None:
    """A difference of 0.016 is two errors of 0.008: as if it had been observed."""
    own = settings(evaluators__standard__margin=0.016)
    project.commit(evaluated(0.70, settings=own))
    project.trial("small", evaluated(0.71, 0.003, settings=own))
    found = plan("small", folder=project.folder)
    critical = compare(["small"], folder=project.folder).candidates[0].metrics[0].critical
    assert found.for_margin == clusters_needed(0.016, 0.008, critical, 9, 0)
    said = " ".join(plan_text(found).split())
    assert f"With {found.for_margin:.0f} clusters, there is an 80 % chance" in said


def test_it_goes_by_the_correction_that_compare_applies(project: Project) -> None:
    project.commit(MAIN)
    project.trial("small", SMALL)
    one = plan("small", folder=project.folder)
    row = compare(["small"], folder=project.folder).table.loc["small"]
    assert one.comparison.candidates[0].spent == row["spent"]
    # A later trial may spend less, and needs more.
    project.trial("other", evaluated(0.71, 0.003, OTHER_WAY))
    later = plan("other", folder=project.folder)
    assert later.comparison.candidates[0].trial == 2
    assert later.needed > one.needed
