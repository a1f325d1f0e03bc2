"""evaluate: evaluate the predictions for held-out rows, and compare them with the baseline's."""

from crivo import Run


def evaluate(run: Run) -> None:
    rows = run.split(run.params.evaluate.split)
    model, baseline = run.predict(rows)
    evaluation = run.block("evaluator").evaluate(model, run.context(baseline))
    run.write(run.explain(evaluation, rows, model, baseline))


if __name__ == "__main__":
    Run.start(evaluate)
