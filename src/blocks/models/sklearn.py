"""Any scikit-learn compatible estimator, by its dotted name."""

from crivo import EstimatorModel, block


@block
class Sklearn(EstimatorModel):
    """Uses an estimator from a library: `estimator: sklearn.svm.SVC`, with its own `settings`.

    `settings` under the name of a class, such as `SVC: {C: 10}`, apply only to that estimator, so
    that you can change `estimator` alone; other settings apply to every estimator. The estimator's
    package must be one of `packages`. `encode`: first fill gaps, scale numbers, one-hot encode
    categories and weight the words of texts, which most estimators need; set it to false for an
    estimator that takes a DataFrame with missing values and pandas categories.
    """
