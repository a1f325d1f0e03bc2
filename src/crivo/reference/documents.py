"""The page and the schema of what `--json` prints, from the classes that make it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crivo.checks import Checked
from crivo.commands.results import STATUS, SearchReport, TryResult
from crivo.comparison.external import EvaluatedFile
from crivo.comparison.incumbent import ShownIncumbent
from crivo.comparison.prediction_diff import PredictionDiff
from crivo.comparison.pruning import Pruned
from crivo.comparison.repeated import Repetition
from crivo.comparison.restoring import Undone
from crivo.comparison.result import ComparisonResult
from crivo.core.results import VERSION, schemas
from crivo.provenance import Integrity, Trace, Verification
from crivo.reference.schema_words import in_words
from crivo.repository.merge_lock import Resolved
from crivo.sharing import Shared
from crivo.trials.confirmation import Confirmed
from crivo.trials.learning_curve import Curve
from crivo.trials.plan import PlanResult

# The result of each command that prints JSON.
DOCUMENTS: dict[str, type] = {
    "try": TryResult,
    "search": SearchReport,
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

HEAD = f"""\
# JSON for programs

With `--json`, each command that reports something prints one JSON document to the standard output
and nothing else. Progress and warnings go to the standard error. This page is generated from the
code (`make docs`), and the tests check what the commands print against
[the schema](json-schema-{VERSION}.json).

Every document states the version of this contract. Within a version, fields may be added, so a
program should ignore fields that it doesn't know. If a field is removed or its meaning changes, the
version is raised. Numbers have ten significant digits. A number that isn't known is `null`.

If a command can't do what it was asked, it prints one sentence to the standard error and exits with
status 1. In this case, `crivo try --json` and `crivo search --json` print a document too.

## Trying changes by program

```
crivo try models.boosting.learning_rate=0.05 --message "Slower ranks better" \\
  --against main --budget 20 --budget 3h --json
```

The exit status gives the verdict, and the document gives the numbers:

| exit status | `outcome` | what a program should do |
| ---: | --- | --- |
{{statuses}}

Status 130 or 143 means that the run was interrupted or terminated; no part of it is recorded. A
status without a document means that the command didn't start: treat it like 3.

`--budget` takes a number of trials or a time (`90min`, `3h`); give it twice to set both. The
command refuses to run if the trials on the same rows have used up the budget, no matter who ran
them. Removed trials count, and trials with equal predictions count once. The time is that of all
trials that `crivo try` ran and recorded; git keeps it (`refs/crivo/costs/…`). A failed run isn't
recorded and uses nothing. `compare.planned_trials` is a different number: it says how the error is
divided among the trials, and the plan recorded with the first trial applies. If you know the number
of trials beforehand, set both to it.

`crivo search --json` has the same exit statuses; they are about the best of its trials. If a search
is interrupted, its finished trials are kept, and `crivo search --resume` resumes it.

`AGENTS.md` says how to experiment honestly in this project. `docs/examples/loop` is a program that
proposes settings by itself and keeps only those that are better.
"""
WHAT_TO_DO = {
    0: "keep the change, unless `worse` names a metric that matters",
    1: "discard the change",
    2: "discard the change: these rows can't show that it helps",
    3: "read `error`; stop if the budget is used up",
}
TABLE = "| field | type | meaning |\n| --- | --- | --- |"


def documents_page() -> str:
    """Return the page: every document, then their parts."""
    found = schemas(DOCUMENTS)
    outcomes: dict[int, list[str]] = {}
    for outcome, status in STATUS.items():
        outcomes.setdefault(status, []).append(f"`{outcome}`")
    statuses = "\n".join(
        f"| {status} | {', '.join(names)} | {WHAT_TO_DO[status]} |"
        for status, names in outcomes.items()
    )
    lines = [HEAD.replace("{statuses}", statuses)]
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
            yield f"| `{name}` | {in_words(field, _anchor)} | {field.get('description', '')} |"
    yield ""


def _anchor(name: str) -> str:
    for command, model in DOCUMENTS.items():
        if model.__name__ == name:
            return f"crivo-{command.replace(' ', '-')}"
    return name.lower()
