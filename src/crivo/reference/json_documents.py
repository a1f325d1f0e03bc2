"""Makes docs/json.md and the schema of what `--json` prints, from the classes of results."""

from __future__ import annotations

import json
from pathlib import Path

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
    """Return the page: what each command prints, then every document and its parts."""
    lines = [head("json").format(version=VERSION), "| command | document |", "| --- | --- |"]
    for command, model in DOCUMENTS.items():
        lines.append(f"| `crivo {command}` | {link(model.__name__)} |")
    for name, schema in schemas(DOCUMENTS).items():
        lines.append(f"\n## {name}\n\n{schema.get('description', '')}\n\n{TABLE}")
        for field, value in schema["properties"].items():
            if field not in ("version", "command"):
                words = " ".join(value.get("description", "").split())
                lines.append(f"| `{field}` | {in_words(value, link)} | {words} |")
    return "\n".join(lines) + "\n"


def link(name: str) -> str:
    """Return a link to where a document or a part of one is described."""
    return f"[{name}](#{name.lower()})"


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
