"""`--json`: each command prints one document, and the documented fields are all that it has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from crivo.checks import Finding
from crivo.cli import app
from crivo.commands.documents import VERSION
from crivo.commands.documents.every import DOCUMENTS
from crivo.commands.documents.making import (
    confirm_document,
    diff_document,
    evaluate_document,
    incumbent_document,
)
from crivo.experiments import Confirmation, PredictionDiff, compare, current_incumbent
from crivo.experiments import text as experiment_text
from crivo.experiments.external import evaluate_file
from crivo.experiments.history import read_history
from crivo.experiments.recipes import recipe_of
from crivo.experiments.repetition import summarise_seeds
from crivo.provenance import text as provenance_text
from crivo.provenance.integrity import Damaged, Integrity
from crivo.provenance.result_diff import Metric, Moved
from crivo.provenance.verification import Verification
from crivo.reference.documents import PAGE, SCHEMA, documents_page, schema_text
from crivo.sharing.share import Shared
from crivo.testing.examples import example_predictions
from tests.crivo.experiments.repository import Project, evaluation_files, spread
from tests.crivo.experiments.tried import GOOD, MAIN

ROOT = Path(__file__).parents[3]
SCHEMAS = json.loads((ROOT / SCHEMA).read_text(encoding="utf-8"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Stand in a repository with main, a trial, and one that can't be compared."""
    made = Project(tmp_path / "project")
    made.commit(MAIN)
    made.trial("slow", GOOD, message="Slower learning helps")
    made.trial("elsewhere", evaluation_files({"roc_auc": spread(0.9)}, rows="r2"))
    made.trial("look", {**GOOD, "metrics/evaluation/evaluation.json": json.dumps(
        json.loads(GOOD["metrics/evaluation/evaluation.json"]) | {"split": "test"})})  # fmt: skip
    monkeypatch.chdir(made.folder)
    return made


def undocumented(values: Any, schema: dict[str, Any], root: dict[str, Any]) -> Iterator[str]:
    """Yield the fields that a document has and its schema doesn't name."""
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if isinstance(values, list):
        for one in values:
            yield from undocumented(one, schema.get("items", {}), root)
    if not isinstance(values, dict) or "properties" not in schema:
        return
    yield from values.keys() - schema["properties"].keys()
    for name, one in values.items():
        inner = schema["properties"].get(name, {})
        for kind in inner.get("anyOf", [inner]):
            yield from undocumented(one, kind, root)


@cache
def validator(command: str) -> jsonschema.protocols.Validator:
    """Return what checks a command's documents; to check the schema takes much longer."""
    schema = {**SCHEMAS["$defs"][DOCUMENTS[command].__name__], "$defs": SCHEMAS["$defs"]}
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def require_documented(command: str, text: str, *, open_rows: bool = False) -> dict[str, Any]:
    """Check a document against the published schema, and return it."""
    values: dict[str, Any] = json.loads(text)
    assert (values["version"], values["command"]) == (VERSION, command)
    schema = SCHEMAS["$defs"][DOCUMENTS[command].__name__]
    validator(command).validate(values)
    if not open_rows:
        assert [*undocumented(values, schema, SCHEMAS)] == []
    return values


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_compare_keeps_to_its_document(project: Project) -> None:
    values = require_documented("compare", printed("compare", "--json"))
    slow = next(one for one in values["experiments"] if one["name"] == "slow")
    assert (slow["verdict"], slow["message"]) == ("better", "Slower learning helps")
    assert [one["name"] for one in values["refused"]] == ["elsewhere"]
    assert [one["name"] for one in values["test_looks"]] == ["look"]


def test_the_incumbent_keeps_to_its_document(project: Project) -> None:
    none = require_documented("incumbent show", printed("incumbent", "show", "--json"))
    assert none["name"] is None
    printed("incumbent", "set", "slow")
    some = require_documented("incumbent show", printed("incumbent", "show", "--json"))
    assert some["name"] == "slow"
    first = {"metric": "roc_auc", "value": 0.72, "low": 0.7, "high": 0.74}
    assert first in some["metrics"]
    assert incumbent_document(current_incumbent()).name == "slow"


def test_a_confirmation_keeps_to_its_document(project: Project) -> None:
    one = compare(["slow"])
    values = require_documented("confirm", confirm_document(Confirmation(one, one, "held")).text())
    assert values["outcome"] == "held"
    assert values["test"]["experiments"][0]["name"] == "slow"


def test_a_repetition_keeps_to_its_document(project: Project) -> None:
    history = read_history()
    recipes = [recipe_of(history, history.find(name)) for name in ("slow", "main")]
    found = summarise_seeds(recipes[0], recipes[1])
    text = experiment_text.repetition_json(found)
    made = DOCUMENTS["repeat"].made_of("repeat", json.loads(text))
    assert require_documented("repeat", made.text())["summary"]["runs"] == 1


def test_a_diff_keeps_to_its_document() -> None:
    rows = pd.DataFrame({"id": [7], "change": ["fixed"], "when": [pd.Timestamp("2024-05-01")],
                         "gone": [None], "far": [float("nan")]})  # fmt: skip
    slices = pd.DataFrame(
        [[9, 8, 0.1, 0.0, 0.2, "undecided"]], pd.Index(["origin = JFK"]),
        ["rows", "clusters", "difference", "low", "high", "verdict"],
    )  # fmt: skip
    made = pd.DataFrame([["code", "src/x.py", "", "changed"]],
                        columns=["kind", "what", "one", "other"])  # fmt: skip
    net = pd.Series({"value": 0.1, "low": float("nan"), "high": 0.2})
    diff = PredictionDiff("a", "b", made, pd.Series({"fixed": 3}), net, rows, slices)
    values = require_documented("diff", diff_document(diff).text(), open_rows=True)
    assert values["rows"] == [
        {"id": "7", "change": "fixed", "when": "2024-05-01 00:00:00", "gone": None, "far": None}
    ]
    assert values["net"]["low"] is None


def test_an_evaluation_keeps_to_its_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    example_predictions("binary").to_csv("scores.csv", index=False)
    found = evaluate_document(evaluate_file(Path("scores.csv")), Path("out"))
    values = require_documented("evaluate", found.text())
    assert values["about"]["task"] == "binary"
    assert {one["of"] for one in values["metrics"]} == {"model"}


def test_the_other_documents_hold_what_their_functions_return() -> None:
    verification = Verification(
        "main", "abc", "moved", "Not the same.", (Moved("train", "models/model", "1", None),),
        (Metric("roc_auc", 0.7, 0.6),), 0.1,
    )  # fmt: skip
    integrity = Integrity(3, 2, (Damaged("x", "models/model"),))
    shared = Shared("slow", "refs/exps/x", "origin", "team", "/data", 3, 99, 2, ("note",))
    finding = Finding("S004", "error", "seed", "no stage declares it.")
    documents = {
        "verify": json.loads(provenance_text.as_json(verification)),
        "verify --stored": json.loads(provenance_text.as_json(integrity)),
        "share": vars(shared),
        "check": {"findings": [vars(finding)]},
    }
    for command, values in documents.items():
        text = DOCUMENTS[command].made_of(command, values).text()
        assert require_documented(command, text).items() >= json.loads(text).items()


def test_every_command_that_reports_has_a_document() -> None:
    """A command that prints for people only makes or brings something."""
    silent = {"start", "init", "upgrade", "fetch", "new", "predict", "export"}
    group = typer.main.get_group(app)
    options = {name: {word for one in command.params for word in one.opts}
               for name, command in group.commands.items()}  # fmt: skip
    reporting = {name for name, words in options.items() if "--json" in words}
    assert reporting == {name.split()[0] for name in DOCUMENTS} - {"incumbent"}
    assert options.keys() - reporting - {"incumbent"} >= silent


def test_the_page_and_the_schema_are_what_the_documents_say() -> None:
    assert (ROOT / PAGE).read_text(encoding="utf-8") == documents_page(), "run `make docs`"
    assert (ROOT / SCHEMA).read_text(encoding="utf-8") == schema_text(), "run `make docs`"
