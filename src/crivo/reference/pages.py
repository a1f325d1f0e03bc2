"""Makes the pages of docs that are made from the code, each below its words in `heads`."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import typer
from pydantic import TypeAdapter
from typer.cli import get_docs_for_click

import crivo
from crivo.checks.review import GROUPS, OWN_LETTER, Checked, chosen
from crivo.cli import app
from crivo.comparison.external import EvaluatedFile
from crivo.comparison.incumbent import ShownIncumbent
from crivo.comparison.prediction_diff import PredictionDiff
from crivo.comparison.pruning import Pruned, Undone
from crivo.comparison.result import ComparisonResult
from crivo.core.blocks import KINDS
from crivo.core.params import Params
from crivo.core.parsing import parse_yaml
from crivo.core.registry import find_block
from crivo.core.results import VERSION, schemas
from crivo.provenance.trace import Trace
from crivo.provenance.verification import Verification
from crivo.repository.lock import Resolved
from crivo.sharing import Shared
from crivo.trials.confirmation import Confirmed
from crivo.trials.learning_curve import Curve
from crivo.trials.plan import PlanResult
from crivo.trials.repetition import Repetition
from crivo.trials.results import SearchResult, TryResult

# typer's list of a group's commands cuts their help short.
SHORTENED = re.compile(r"\*\*Commands\*\*:\n\n(?:\* .*\n)+\n")

OWN = """\
You can write checks of results in `src/blocks/checks`, one check per file ([blocks](blocks.md)).
`evaluate.checks` in `params.yaml` names the checks that `evaluate` runs. Their codes consist of an
X and three digits."""

TABLE = "| setting | takes | default | meaning |\n| --- | --- | --- | --- |"
FOLDERS = {folder: kind for kind, (folder, _) in KINDS.items() if kind != "baseline"}

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
    "evaluate": EvaluatedFile,
    "share": Shared,
    "resolve": Resolved,
    "prune": Pruned,
    "prune --undo": Undone,
    "trace": Trace,
    "verify": Verification,
}
TYPES = {
    "integer": "whole number",
    "string": "string",
    "boolean": "true or false",
    "array": "list",
    "object": "mapping",
    "date": "day in quotes",
    "date-time": "string",
}
NOUN = re.compile(r"^(whole number|number|string|list|mapping)\b")
BOUNDS = {
    "exclusiveMinimum": "above {:,.12g}",
    "minimum": "at least {:,.12g}",
    "exclusiveMaximum": "below {:,.12g}",
    "maximum": "at most {:,.12g}",
}
# What only the machine's integers ask for.
MACHINE_LIMITS = (2**31, 2**32)


def head(page: str) -> str:
    """Return what stands above the part of a page that is made from the code."""
    return files("crivo.reference").joinpath("heads", f"{page}.md").read_text(encoding="utf-8")


def commands_page() -> str:
    """Return the page of commands: each with its arguments, options and defaults."""
    group = typer.main.get_group(app)
    context = typer.Context(group)
    overview, pages = [], []
    for name, command in group.commands.items():
        if not command.hidden:
            first = " ".join((command.help or "").partition("\n\n")[0].split())
            overview.append(f"| [`crivo {name}`](#crivo-{name}) | {first} |\n")
            text = get_docs_for_click(obj=command, ctx=context, indent=1, call_prefix="crivo")
            pages.append(SHORTENED.sub("", text))
    return head("commands") + "".join(overview) + "\n" + "".join(pages).strip() + "\n"


def checks_page() -> str:
    """Return the page of checks: each with why it matters, what to do and an example."""
    lines = [head("checks"), "| code | finding | severity |", "| --- | --- | --- |"]
    for check in chosen():
        lines.append(
            f"| [{check.code}](#{check.code.lower()}) | {check.title} | {check.severity} |"
        )
    for letter, title in (pair for letters in GROUPS.values() for pair in letters.items()):
        lines.append(f"\n## {title}")
        if letter == OWN_LETTER:
            lines.append(f"\n{OWN}")
        for check in chosen([letter]):
            lines += [
                f'\n### <a id="{check.code.lower()}"></a>{check.code}: {check.title}',
                f"\n{check.explanation}",
                f"\n> {check.code} {check.severity}    {check.example}",
            ]
    return "\n".join(lines) + "\n"


def documents_page() -> str:
    """Return the page of JSON: what each command prints, then every document and its parts."""
    lines = [head("json").format(version=VERSION), "| command | document |", "| --- | --- |"]
    for command, model in DOCUMENTS.items():
        lines.append(f"| `crivo {command}` | {_link(model.__name__)} |")
    for name, schema in schemas(DOCUMENTS).items():
        lines.append(f"\n## {name}\n\n{schema.get('description', '')}\n")
        lines.append("| field | type | meaning |\n| --- | --- | --- |")
        for field, value in schema["properties"].items():
            if field not in ("version", "command"):
                words = " ".join(value.get("description", "").split())
                lines.append(f"| `{field}` | {in_words(value, _link)} | {words} |")
    return "\n".join(lines) + "\n"


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


def settings_page() -> str:
    """Return the page: each section and shipped block of which settings.yaml has sentences."""
    lines, folder = [head("settings").rstrip()], ""
    for place, named in sentences().items():
        section, _, name = place.partition(".")
        if section in FOLDERS:
            cls = find_block(FOLDERS[section], name)
            first = (inspect.getdoc(cls) or "").partition("\n\n")[0]
            lines += [f"\n## {section}"] * (folder != section)
            lines += [f"\n### `{place}`\n\n{' '.join(first.split())}\n"]
            schema, folder = TypeAdapter(cls).json_schema(), section
        else:
            lines.append(f"\n## `{place}`\n" if place else "\n## Top-level settings\n")
            schema = _section(place)
        names = [name for name in schema.get("properties", ()) if place or name in named]
        rows = [TABLE, *(_row(schema, name, named, place) for name in names)]
        lines += rows if names else ["It has no settings: `{}`."]
    return "\n".join(lines) + "\n"


def _section(place: str) -> dict[str, Any]:
    """Return the schema of a section by where it stands in params.yaml; NAME is any name."""
    schema: dict[str, Any] = TypeAdapter(Params).json_schema()
    parts = schema["$defs"]
    for name in filter(None, place.split(".")):
        schema = schema["additionalProperties"] if name == "NAME" else schema["properties"][name]
        if "$ref" in schema:
            schema = parts[schema["$ref"].rpartition("/")[2]]
    return schema


def _row(schema: Mapping[str, Any], name: str, named: Mapping[str, str], place: str) -> str:
    value = schema["properties"][name]
    default = "required"
    if name not in schema.get("required", ()):
        usual = value.get("default", {})
        text = usual if usual and isinstance(usual, str) else json.dumps(usual)
        default = "" if isinstance(usual, dict) and usual else f"`{text}`"
    takes = in_words(value)
    if not place and name in KINDS:
        takes = "name of a block in [{0}](#{0})".format(KINDS[name][0])
    cells = (f"`{name}`", takes, default, named.get(name, ""))
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


@cache
def sentences() -> dict[str, dict[str, str]]:
    """Return the sentence of each setting by the section or block that it stands in."""
    return dict(parse_yaml(files("crivo.reference").joinpath("settings.yaml").read_bytes()))


def python_page() -> str:
    """Return the page: each example below the signature and the docstring of its name."""
    return re.sub(r"^## (\w+)\n", _of_name, head("python"), flags=re.MULTILINE)


def _of_name(heading: re.Match[str]) -> str:
    thing: Any = getattr(crivo, heading[1])
    words = re.split(r"\n\n(?=>>>|    )", inspect.getdoc(thing) or "")[0]
    if inspect.ismodule(thing):
        names = getattr(thing, "__all__", [name for name in vars(thing) if name[0] != "_"])
        parts = [part for part in map(vars(thing).get, names) if inspect.getmodule(part) is thing]
        lines = [f"- `{_call(part)}`: {str(part.__doc__).splitlines()[0]}" for part in parts]
        words = "\n".join([words.splitlines()[0], "", *lines])
    elif inspect.isclass(thing) or inspect.isroutine(thing):
        words = f"`{_call(thing)}`\n\n{words}"
    else:
        return heading[0]  # the words on a type of settings stand above its example
    return f"{heading[0]}\n{words}\n"


def _call(thing: Any) -> str:
    places = () if inspect.isclass(thing) else inspect.signature(thing).parameters.values()
    bare = [one.replace(annotation=one.empty) for one in places]
    return f"{thing.__name__}{inspect.Signature(bare) if bare else ''}"


def in_words(schema: Mapping[str, Any], link: Callable[[str], str] | None = None) -> str:
    """Return which values a JSON schema allows; `link` gives the link to a part by its name.

    >>> in_words({"type": "integer", "minimum": 2, "maximum": 250})
    'whole number, at least 2 and at most 250'
    >>> in_words({"anyOf": [{"enum": [".", ","]}, {"type": "null"}]})
    '`.` or `,`, or null'
    """
    if "$ref" in schema:
        return link(schema["$ref"].rpartition("/")[2]) if link else "mapping"
    if "anyOf" in schema:
        *first, last = (in_words(one, link) for one in schema["anyOf"])
        return f"{', '.join(first)}, or {last}"
    if values := schema.get("enum", [schema["const"]] if "const" in schema else []):
        words = [f"`{value}`" for value in values]
        return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
    kind = schema.get("format", schema.get("type", "any value"))
    members = schema.get("items") or schema.get("additionalProperties")
    of = ""
    if isinstance(members, dict) and members:
        of = " of " if kind == "array" else " of names to "
        of += NOUN.sub(r"\1s", in_words(members, link))
    limits = {key: schema[key] for key in BOUNDS if schema.get(key, 2**31) not in MACHINE_LIMITS}
    bounds = [BOUNDS[key].format(limit) for key, limit in limits.items()]
    return f"{TYPES.get(kind, kind)}{of}{', ' if bounds else ''}{' and '.join(bounds)}"


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


PAGES: dict[str, Callable[[], str]] = {
    "docs/reference/settings.md": settings_page,
    "docs/reference/commands.md": commands_page,
    "docs/reference/python.md": python_page,
    "docs/checks.md": checks_page,
    "docs/json.md": documents_page,
    f"docs/json-schema-{VERSION}.json": schema_text,
}
