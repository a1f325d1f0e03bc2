"""The command that evaluates predictions of any system: `crivo evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crivo.commands.options import AS_JSON, FORCE, RESULTS
from crivo.commands.outputs import require_free
from crivo.commands.printing import show


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command(rich_help_panel=RESULTS)(evaluate)


def evaluate(
    predictions: Annotated[
        Path,
        typer.Option(metavar="FILE", help="A CSV or Parquet file, one row per evaluated row."),
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
        str, typer.Option("--id", metavar="COLUMN", help="The column that identifies the row.")
    ] = "id",
    target: Annotated[str, typer.Option(help="The column to predict.")] = "target",
    prediction: Annotated[str, typer.Option(help="The column with the prediction.")] = "prediction",
    score: Annotated[str, typer.Option(help="The column with the probability.")] = "score",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FOLDER", help="A folder for all files of the result."
        ),
    ] = None,
    force: FORCE = False,
    as_json: AS_JSON = False,
) -> None:
    """Evaluate any system's predictions as the pipeline evaluates its own."""
    from crivo.comparison.external import evaluate_file, evaluated_file, evaluated_text
    from crivo.comparison.external_table import Names
    from crivo.core.artifacts import write_files

    names = Names(id=id_column, target=target, prediction=prediction, score=score)
    found = evaluate_file(predictions, names, task=task, positive=positive, split=split)
    if output is not None:
        require_free([output / name for name in found.files], [predictions], force=force)
        write_files(output, found.files)
    show("evaluate", evaluated_file(found, output), evaluated_text, as_json=as_json)
