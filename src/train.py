"""train: fit the model and the trivial baseline on the training rows, and on no others."""

from crivo import Run


def train(run: Run) -> None:
    rows, features = run.training_rows()
    with run.tracking():
        model = run.fit("model", rows, features)
        baseline = run.fit("baseline", rows, features)
        run.measure(model, baseline, rows, features)
    run.save(model, baseline)


if __name__ == "__main__":
    Run.start(train)
