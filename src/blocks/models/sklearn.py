"""Any scikit-learn compatible estimator, by its dotted name."""

from crivo import EstimatorModel, block


@block
class Sklearn(EstimatorModel):
    """Uses an estimator from a library: `estimator: sklearn.svm.SVC`, with its own `settings`.

    `settings`: those below the name of a class, `SVC: {C: 10}`, are for that estimator alone, so
    that `estimator` can change by itself; others are for any. Its package must be one of
    `packages`. `encode`: fill gaps, scale numbers, one-hot encode categories and weigh the words
    of text first, which most estimators need; false for one that takes a DataFrame with missing
    values and pandas categories.
    """
