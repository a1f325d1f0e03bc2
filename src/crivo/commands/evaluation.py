"""Commands that evaluate predictions and check results: `crivo evaluate`, `crivo gate`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from crivo.commands.options import AS_JSON, FORCE
from crivo.commands.outputs import require_free
from crivo.commands.printing import say, say_document


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(evaluate)
    app.command()(gate)


def evaluate(
    predictions: Annotated[
        Path, typer.Option(help="A CSV or Parquet file, one row per evaluated row.")
    ],
    task: Annotated[
        str | None, typer.Option(help="binary, multiclass or regression; guessed if left out.")
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="The class of interest of a binary task.")
    ] = None,
    split: Annotated[
        str, typer.Option(help="The prepared rows that supply missing columns: valid or test.")
    ] = "valid",
    id_column: Annotated[
        str, typer.Option("--id", help="The column that identifies the row.")
    ] = "id",
    target: Annotated[str, typer.Option(help="The column to predict.")] = "target",
    prediction: Annotated[str, typer.Option(help="The column with the prediction.")] = "prediction",
    score: Annotated[str, typer.Option(help="The column with the probability.")] = "score",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A folder for all files of the result.")
    ] = None,
    force: FORCE = False,
    as_json: AS_JSON = False,
) -> None:
    """Evaluate any system's predictions as the pipeline evaluates its own."""
    from crivo.core.artifacts import write_files
    from crivo.experiments.external import evaluate_file, in_words
    from crivo.experiments.external_table import Names

    names = Names(id=id_column, target=target, prediction=prediction, score=score)
    result = evaluate_file(predictions, names, task=task, positive=positive, split=split)
    if output is not None:
        require_free([output / name for name in result.files], [predictions], force=force)
    if output is not None:
        write_files(output, result.files)
    if as_json:
        from crivo.commands.documents.making import evaluate_document

        say_document(evaluate_document(result, output))
        return
    say(in_words(result))
    if output is not None:
        say(f"All files are in {output}; open {output / 'report.html'} in a browser.")


def gate(
    as_json: AS_JSON = False,
) -> None:
    """Check the result against the limits in params.yaml; exit status 1 if one is violated."""
    from crivo.core.params import read_params
    from crivo.experiments.limits import check_experiment_limits
    from crivo.experiments.selection import workspace_selection
    from crivo.prediction.latency import milliseconds_per_row

    params = read_params()
    checked_limits = check_experiment_limits(
        params.limits,
        latency=milliseconds_per_row,
        selected=workspace_selection() if params.limits else None,
    )
    if as_json:
        from crivo.commands.documents.checks import GateDocument

        limits = [asdict(one) for one in checked_limits]
        say_document(GateDocument.made_of("gate", {"limits": limits}))
    elif not checked_limits:
        say("params.yaml sets no limits; write them under `limits:`.")
    else:
        say("\n".join(map(str, checked_limits)))
    if any(one.state != "holds" for one in checked_limits):
        raise typer.Exit(1)
