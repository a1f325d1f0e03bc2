"""featurize: turn rows into model inputs, with a featurizer fitted on the training rows."""

from crivo import Run


def featurize(run: Run) -> None:
    rows = run.prepared_rows()
    run.featurize(rows)
    run.check_rows(rows)


if __name__ == "__main__":
    Run.start(featurize)
