"""Commands about predictions: `crivo predict`, `crivo export`, `crivo evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crivo.commands.options import AS_JSON, FORCE, column
from crivo.commands.outputs import require_free
from crivo.commands.printing import say, say_table, show
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    import pandas as pd


def predict(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A CSV or Parquet file of raw or prepared rows.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="A CSV or Parquet file to write; by default, CSV is printed.",
        ),
    ] = None,
    model: Annotated[
        Path,
        typer.Option(
            metavar="PATH", help="A project's folder, or a file that `crivo export` wrote."
        ),
    ] = Path(),
    beside: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="A folder with other raw files that the rows need, such as earlier events; by "
            "default, the files stored with the model.",
        ),
    ] = None,
    force: FORCE = False,
) -> None:
    """Score a file of rows with the trained model."""
    from crivo.core.wording import counted
    from crivo.prediction.bundle import files_of, load_predictor, named
    from crivo.repository.progress import steps

    if output is not None:
        if output.suffix not in (".csv", ".parquet"):
            raise CrivoError(f"{output} must end in .csv or .parquet.")
        require_free([output], [file, *files_of(model)], force=force)
    with steps(3, "Predicting") as step:
        predictor = load_predictor(model)
        predictor = predictor if beside is None else predictor.beside(beside)
        step()
        rows = predictor.read(file)
        step()
        scored = predictor.predict(rows)
    name, count = predictor.schema.id, range(1, len(rows) + 1)
    scored.insert(0, *((name, rows[name]) if name in rows else ("row", count)))
    _write(output, scored)
    if output is not None:
        say(f"{output}: {counted(len(scored), 'row')} scored by model {named(predictor)}", err=True)


def _write(output: Path | None, scored: pd.DataFrame) -> None:
    from crivo.core.artifacts import write_table, written

    if output is None:
        say_table(scored.to_csv(index=False, lineterminator="\n"))
    elif output.suffix == ".parquet":
        write_table(output, scored)
    else:
        with written(output) as place:
            scored.to_csv(place, index=False, lineterminator="\n")


def export(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write, such as model.zip.")
    ],
    force: FORCE = False,
) -> None:
    """Write the model, and the raw files that it needs, into one file."""
    from crivo.prediction.bundle import export_predictor, files_of, load_predictor, named

    require_free([file], files_of(Path()), force=force)
    export_predictor(file)
    say(f"{file}: model {named(load_predictor(file))}, {file.stat().st_size / 1e6:.2f} MB")


def evaluate(
    predictions: Annotated[
        Path,
        typer.Option(metavar="FILE", help="A CSV or Parquet file, one row per evaluated row."),
    ],
    split: Annotated[
        str,
        typer.Option(
            metavar="valid|test", help="The prepared rows from which missing columns are taken."
        ),
    ] = "valid",
    id_column: Annotated[str, column("The column that identifies the row.", "--id")] = "id",
    target: Annotated[str, column("The column with the actual outcome.")] = "target",
    prediction: Annotated[str, column("The column with the prediction.")] = "prediction",
    score: Annotated[str, column("The column with the probability.")] = "score",
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
    from crivo.core.artifacts import write_files

    names = {"id": id_column, "target": target, "prediction": prediction, "score": score}
    found = evaluate_file(predictions, names, split=split)
    if output is not None:
        require_free([output / name for name in found.files], [predictions], force=force)
        write_files(output, found.files)
    show("evaluate", evaluated_file(found, output), evaluated_text, as_json=as_json)
