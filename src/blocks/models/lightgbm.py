"""LightGBM's gradient boosting; an optional package."""

from crivo import LightgbmModel, block


@block
class LightGBM(LightgbmModel):
    """Gradient-boosted trees grown leaf by leaf; they accept missing values and categories.

    The loss is logged after each iteration. `early_stopping`: stop after this many iterations
    without a gain on the rows set aside for it (`train.early_stopping_fraction`); 0 turns early
    stopping off.
    """
