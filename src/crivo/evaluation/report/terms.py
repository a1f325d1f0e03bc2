"""What the words of a report mean, in a sentence each."""

from __future__ import annotations

TERMS = {
    "baseline": "A trivial model, evaluated on the same rows. A model that isn't better than it "
    "has learnt nothing useful.",
    "interval": "A 95 % confidence interval. If rows like these were drawn again many times, 95 of "
    "100 such intervals would contain the true value.",
    "clusters": "Groups of similar rows, such as those of the same days. Intervals are computed "
    "by leaving out one whole group at a time.",
    "verdict": "Better or worse: the interval of the difference doesn't contain 0. Undecided: it "
    "does, so these rows can't tell. Equivalent: it lies within the margin that doesn't matter.",
    "threshold": "A row whose score reaches the threshold is flagged: its positive class is "
    "predicted.",
    "score": "The probability of the positive class, as the model estimates it.",
    "slice": "The rows with one value of a column, or with one range of a number.",
    "difference": "The metric on a slice minus the metric on all other rows. Its interval allows "
    "for the number of slices that were examined.",
    "weak segment": "Rows that seem to be predicted badly. A small decision tree finds them on "
    "half of the clusters, and the other half must confirm it.",
    "loss": "How wrong the prediction of a row is; 0 is right.",
    "calibration": "Whether scores can be read as probabilities: of the rows with a score near "
    "0.3, 30 of 100 should be positive.",
    "precision": "The share of the flagged rows that is positive.",
    "recall": "The share of the positive rows that is flagged.",
    "false positive rate": "The share of the negative rows that is flagged.",
    "permutation importance": "How much the loss grows when the values of one feature are "
    "shuffled. Features that carry the same information share their importance.",
    "residual": "The target minus the prediction.",
    "fingerprint": "A short text computed from the content. Two results are compared only if the "
    "fingerprints of their rows are equal.",
    "limit": "A condition, set in params.yaml, that a result must meet before it is used.",
    "finding": "A possible problem that the checks of the data or of the result found.",
}
