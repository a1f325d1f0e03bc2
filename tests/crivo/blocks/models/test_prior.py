"""The trivial baseline says what the training rows say on average."""

import numpy as np
import pytest

from .tasks import INPUTS, TARGETS, fitted


@pytest.mark.parametrize("target", ["text", "truth", "three numbers"])
def test_it_gives_every_row_the_shares_of_the_classes(target: str) -> None:
    shares = TARGETS[target][1].value_counts(normalize=True).sort_index()
    given = fitted("prior", target).predict_proba(INPUTS)
    np.testing.assert_allclose(given, np.tile(shares, (len(INPUTS), 1)))


def test_it_gives_every_row_the_mean_of_a_quantity() -> None:
    np.testing.assert_allclose(
        fitted("prior", "quantity").predict(INPUTS), TARGETS["quantity"][1].mean()
    )
