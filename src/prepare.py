"""prepare: check the raw rows, set invalid ones aside, split the rest."""

from crivo import Run


def prepare(run: Run) -> None:
    prepared = run.prepare(run.block("dataset"), run.block("splitter"))
    run.write_prepared(prepared)


if __name__ == "__main__":
    Run.start(prepare)
