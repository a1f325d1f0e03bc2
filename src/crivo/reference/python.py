"""Makes docs/reference/python.md: each public name with its docstring and an example."""

import inspect
import re
from typing import Any

import crivo
from crivo.reference.pages import head


def python_page() -> str:
    """Return the page: each example below the signature and the docstring of its name."""
    return re.sub(r"^## (\w+)\n", _section, head("python"), flags=re.MULTILINE)


def _section(heading: re.Match[str]) -> str:
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
