"""The page and the schema of what `--json` prints, from the classes that make it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crivo.checks.review import Checked
from crivo.commands.results import TryResult
from crivo.comparison.external import EvaluatedFile
from crivo.comparison.incumbent import ShownIncumbent
from crivo.comparison.prediction_diff import PredictionDiff
from crivo.comparison.pruning import Pruned, Undone
from crivo.comparison.result import ComparisonResult
from crivo.core.results import VERSION, schemas
from crivo.provenance.integrity import Integrity
from crivo.provenance.trace import Trace
from crivo.provenance.verification import Verification
from crivo.reference import head
from crivo.reference.schema_words import in_words
from crivo.repository.merge_lock import Resolved
from crivo.sharing import Shared
from crivo.trials.confirmation import Confirmed
from crivo.trials.learning_curve import Curve
from crivo.trials.plan import PlanResult
from crivo.trials.repetition import Repetition
from crivo.trials.search.result import SearchResult

# The result of each command that prints JSON.
DOCUMENTS: dict[str, type] = {
    "try": TryResult,
    "search": SearchResult,
    "compare": ComparisonResult,
    "compare --rows": PredictionDiff,
    "confirm": Confirmed,
    "repeat": Repetition,
    "repeat --fractions": Curve,
    "plan": PlanResult,
    "incumbent": ShownIncumbent,
    "check": Checked,
    "check --stored": Integrity,
    "evaluate": EvaluatedFile,
    "share": Shared,
    "resolve": Resolved,
    "prune": Pruned,
    "prune --undo": Undone,
    "trace": Trace,
    "verify": Verification,
}
PAGE = Path("docs/json.md")
SCHEMA = Path(f"docs/json-schema-{VERSION}.json")

TABLE = "| field | type | meaning |\n| --- | --- | --- |"


def documents_page() -> str:
    """Return the page: every document, then their parts."""
    found = schemas(DOCUMENTS)
    lines = [head("json").format(version=VERSION)]
    names = {model.__name__ for model in DOCUMENTS.values()}
    for command, model in DOCUMENTS.items():
        lines += _section(f"`crivo {command}`", found[model.__name__])
    lines.append("## Parts\n\nDocuments consist of these parts.\n")
    for name in sorted(found.keys() - names):
        lines += _section(f"`{name}`", found[name], "###")
    return "\n".join(lines).rstrip() + "\n"


def schema_text() -> str:
    """Return the JSON schema of all documents."""
    values = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"What crivo prints with --json, version {VERSION}",
        # A result that is a part of another one has no version.
        "oneOf": [
            {"$ref": f"#/$defs/{model.__name__}", "required": ["version", "command"]}
            for model in DOCUMENTS.values()
        ],
        "$defs": schemas(DOCUMENTS),
    }
    return json.dumps(values, indent=1, ensure_ascii=False) + "\n"


def _section(title: str, schema: Mapping[str, Any], level: str = "##") -> Iterator[str]:
    words = schema.get("description", "").replace(f"{title}: ", "")
    yield f"{level} {title}\n\n{words[:1].upper()}{words[1:]}\n\n{TABLE}"
    for name, field in schema["properties"].items():
        if name not in ("version", "command"):
            text = " ".join(field.get("description", "").split())
            yield f"| `{name}` | {in_words(field, _anchor)} | {text} |"
    yield ""


def _anchor(name: str) -> str:
    for command, model in DOCUMENTS.items():
        if model.__name__ == name:
            return f"crivo-{command.replace(' ', '-')}"
    return name.lower()
