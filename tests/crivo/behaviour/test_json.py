"""`--json`: every document keeps to the published schema, and nothing else is printed."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.crivo.behaviour.shop import Shop

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "docs/json-schema-2.json").read_text(encoding="utf-8"))
KEPT = {"trees": "try", "flat": "try", "search": "search", "folds": "repeat", "share": "share",
        "verify": "verify"}  # fmt: skip
PRINTED = {
    "compare": [],
    "confirm": ["trees"],
    "repeat": ["trees", "--seeds", "2"],
    "plan": ["stiff"],
    "compare --rows": ["main", "trees"],
    "incumbent": [],
    "check": [],
    "evaluate": ["--predictions", "metrics/evaluation/predictions.parquet"],
    "trace": ["trees"],
    "prune": ["stiff", "--dry-run"],
}


def never(word: str) -> Any:
    raise AssertionError(f"{word} is no JSON")


def require_documented(command: str, text: str) -> None:
    """Check a document: of this version and command, with numbers that JSON has, as published."""
    document = json.loads(text, parse_constant=never)
    assert (document["version"], document["command"]) == (2, command)
    jsonschema.validate(document, {**schema_of(command), "$defs": SCHEMA["$defs"]})


def schema_of(command: str) -> dict[str, Any]:
    (found,) = [
        one
        for one in SCHEMA["$defs"].values()
        if one["properties"].get("command", {}).get("const") == command
    ]
    return found


@pytest.mark.parametrize("name", KEPT)
def test_each_document_of_a_run_keeps_to_the_schema(seen: Shop, name: str) -> None:
    require_documented(KEPT[name], seen.said(name).out)


@pytest.mark.parametrize("command", PRINTED)
def test_each_document_keeps_to_the_schema(seen: Shop, command: str) -> None:
    said = seen.crivo(*command.split(), *PRINTED[command], "--json")
    require_documented(command, said.out)


def test_quiet_prints_the_result_all_the_same(seen: Shop) -> None:
    quiet, usual = (seen.crivo("compare", *one).out.split() for one in (["--quiet"], []))
    assert quiet == usual
    assert "--colour" in seen.crivo("compare", "--colour", status=2).err


def test_the_version_says_which_code_runs(seen: Shop) -> None:
    assert seen.crivo("--version").out.startswith("crivo ")
