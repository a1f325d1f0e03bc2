"""XGBoost's gradient boosting; an optional package."""

from crivo import XgboostModel, block


@block
class XGBoost(XgboostModel):
    """Gradient-boosted trees grown level by level; they accept missing values and categories.

    The loss is logged after each iteration. `early_stopping`: stop after this many iterations
    without a gain on the rows reserved for it (`train.early_stopping_fraction`); 0 turns early
    stopping off.
    """
