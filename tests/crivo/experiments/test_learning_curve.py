"""A learning curve over training rows: its slope by hand, and that its points choose nothing."""

import pytest
from scipy.stats import t

from crivo.core.errors import CrivoError
from crivo.records.history import read_history
from crivo.trials.learning_curve import CONCLUSIONS, Curve, curve_of, curve_text, learning_curve
from tests.crivo.experiments.repository import Project, evaluated, settings

FRACTIONS = (0.125, 0.25, 0.5)


def files(metric: str, value: float, fraction: float, step: float = 0.0) -> dict[str, str]:
    return evaluated(value, step, metric=metric, settings=settings(train__fraction=fraction))


def curve(
    project: Project, metric: str, values: tuple[float, ...], step: float, margin: float = 0.0
) -> Curve:
    """Return the curve of a metric whose last value alone varies with the clusters."""
    project.commit(evaluated(values[-1], step, metric=metric))
    for fraction, value in zip(FRACTIONS, values, strict=False):
        project.trial(f"main-fraction={fraction:g}", files(metric, value, fraction))
    history = read_history(project.folder)
    names = [*(f"main-fraction={fraction:g}" for fraction in FRACTIONS), "main"]
    return curve_of([history.find(name) for name in names], margin)


def test_the_slope_is_that_of_the_last_three_points(project: Project) -> None:
    """Evenly spaced: half of what the last is above the first of three, (0.74 - 0.70) / 2.

    Its standard error is half the last one's, 8/3 * 0.003 / 2 = 0.004, with 8 degrees of freedom.
    """
    found = curve(project, "log_loss", (0.40, 0.30, 0.27, 0.26), 0.003)
    assert found.gain.value == pytest.approx(0.02)
    assert found.gain.high - found.gain.value == pytest.approx(0.004 * t.ppf(0.975, 8))
    assert found.conclusion == "yes"
    assert [point.fraction for point in found.points] == [0.125, 0.25, 0.5, 1.0]


@pytest.mark.parametrize(
    ("last", "step", "said"),
    [(0.702, 0.01, "unknown"), (0.6, 0.003, "no"), (0.701, 0.001, "hardly")],
)
def test_it_concludes_what_the_interval_shows(
    project: Project, last: float, step: float, said: str
) -> None:
    """The gain is half of what the last point is above the others; 0.01 wouldn't matter."""
    found = curve(project, "roc_auc", (0.6, 0.70, 0.70, last), step, margin=0.01)
    assert found.conclusion == said
    assert CONCLUSIONS[said] in " ".join(curve_text(found).split())


def test_points_of_one_model_make_no_curve(project: Project) -> None:
    project.commit(evaluated(0.70, model="same"))
    for fraction in (0.1234567, 0.5):
        about = {"settings": settings(train__fraction=fraction), "model": "same"}
        files = evaluated(0.6 + fraction / 10, **about)
        project.trial(f"point-{fraction}", files, kind="part")
    with pytest.raises(CrivoError, match="is the same for any part of the training rows"):
        learning_curve("main", fractions=(0.1234567, 0.5), folder=project.folder)
