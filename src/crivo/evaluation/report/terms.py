"""What the words of a report mean, in a sentence each."""

from __future__ import annotations

TERMS = {
    "baseline": "A trivial model, evaluated on the same rows. A model that isn't better than it "
    "has learnt nothing of use.",
    "interval": "A 95 % confidence interval. If rows like these were drawn again many times, 95 of "
    "100 such intervals would contain the true value.",
    "clusters": "Groups of rows that are alike, such as those of the same days. Intervals leave "
    "out one whole group at a time.",
    "verdict": "Better or worse: the interval of the difference doesn't contain 0. Undecided: it "
    "does, so these rows can't tell. Equivalent: it lies within the margin that doesn't matter.",
    "threshold": "A row whose score reaches the threshold is flagged: its positive class is "
    "predicted.",
    "score": "The probability of the positive class, as the model estimates it.",
    "slice": "The rows with one value of a column, or with one range of a number.",
    "difference": "What a slice has more of a metric than all other rows. Its interval is widened "
    "for the number of slices that were looked at.",
    "weak segment": "Rows that a small tree suspects to be predicted badly. Half of the clusters "
    "suspect, and the other half must confirm it.",
    "loss": "How wrong the prediction of a row is; 0 is right.",
    "calibration": "Whether scores can be taken for probabilities: of the rows with a score near "
    "0.3, 30 of 100 should be positive.",
    "precision": "The share of the flagged rows that is positive.",
    "recall": "The share of the positive rows that is flagged.",
    "false positive rate": "The share of the negative rows that is flagged.",
    "permutation importance": "How much the loss grows when the values of one feature are "
    "shuffled. Features that say the same share their importance.",
    "residual": "The target minus the prediction.",
    "fingerprint": "A short text computed from the content. Two results are compared only if the "
    "fingerprints of their rows are equal.",
    "limit": "What must hold of a result before it is used, as params.yaml sets it.",
    "finding": "What the checks of the data and of the result found to be doubtful.",
}
