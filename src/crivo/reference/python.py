"""Makes docs/reference/python.md, the public names of `crivo`, each with an example."""

from __future__ import annotations

import inspect
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import crivo
from crivo.reference import head

PAGE = Path("docs/reference/python.md")


def python_page() -> str:
    """Return the page; KeyError for a name that has no example."""
    examples = example_codes()
    sections = [f"## {name}\n\n{_text(name)}{examples[name]}" for name in crivo.__all__]
    return f"{head('python')}\n" + "\n\n".join(sections) + "\n"


def example_codes() -> dict[str, str]:
    """Return the examples by name, each with its fences, below words where the code has none."""
    text = files("crivo.reference").joinpath("examples.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (\w+)\n", text, flags=re.MULTILINE)[1:]
    return {name: code.strip() for name, code in zip(parts[::2], parts[1::2], strict=True)}


def _text(name: str) -> str:
    thing: Any = getattr(crivo, name)
    doc = inspect.getdoc(thing) or ""
    told = re.split(r"\n\n(?=>>>|    )", doc)[0].strip()
    if inspect.ismodule(thing):
        told = doc.partition("\n\n")[0]
        return f"The module `{name}`. {told}\n\n{_functions(thing)}\n\n"
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        return ""  # a type of settings: its words stand above its example
    return f"`{name}{_signature(thing)}`\n\n{told}\n\n"


def _functions(module: Any) -> str:
    """Return a line for each function and class that a module defines, with its first sentence."""
    names = [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == module.__name__
    ]
    lines = []
    for name in getattr(module, "__all__", names):
        one = getattr(module, name)
        first = (inspect.getdoc(one) or "").partition("\n\n")[0].replace("\n", " ")
        lines.append(f"- `{name}{_signature(one)}`: {first}")
    return "\n".join(lines)


def _signature(thing: Any) -> str:
    if inspect.isclass(thing):
        return ""
    names = inspect.signature(thing).parameters.values()
    return f"({', '.join(str(one.replace(annotation=one.empty)) for one in names)})"
