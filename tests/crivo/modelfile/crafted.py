"""Model files as somebody would write them who wants more than a model: nodes by hand."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sklearn.dummy import DummyClassifier

from crivo.modelfile.canonical import dump_model

Node = dict[str, Any]


def node(loader: str, module: str, name: str, **more: Any) -> Node:
    """Return a node of a skops file."""
    return {"__class__": name, "__module__": module, "__loader__": loader, **more}


def plain(value: Any) -> Node:
    return node("JsonNode", "builtins", "str", content=json.dumps(value))


def kind(module: str, name: str) -> Node:
    return node("TypeNode", module, name)


def function(module: str, name: str) -> Node:
    return node("FunctionNode", module, name)


def sequence(*items: Node, loader: str = "ListNode", name: str = "list", **more: Any) -> Node:
    return node(loader, "builtins", name, content=list(items), **more)


def method(owner: Node, name: str) -> Node:
    """Return the attribute of what a node stands for."""
    content = {"func": name, "obj": owner}
    return node("MethodNode", owner["__module__"], owner["__class__"], content=content)


def mapping(content: Mapping[str, Node], key_type: Node | None = None) -> Node:
    """Return a dictionary whose keys are made by calling what a node stands for."""
    types = sequence(*[key_type or kind("builtins", "str")] * len(content))
    return node("DictNode", "builtins", "dict", content=dict(content), key_types=types)


def calling(called: Node, text: str) -> Node:
    """Return a dictionary that calls something with a text."""
    return mapping({text: plain(1)}, called)


def reads(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def archive(members: Mapping[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", packing) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return target.getvalue()


def redescribed(data: bytes, change: Callable[[Node], None]) -> bytes:
    """Return a model file whose description was changed."""
    members = reads(data)
    schema = json.loads(members["schema.json"])
    change(schema)
    return archive(members | {"schema.json": json.dumps(schema).encode()})


def holding(*nodes: Node) -> bytes:
    """Return the file of a fitted model that holds something more."""

    def add(schema: Node) -> None:
        attributes = schema["content"]
        for i, one in enumerate(nodes):
            attributes["content"][f"more{i}_"] = one
            attributes["key_types"]["content"].append(kind("builtins", "str"))

    return redescribed(dump_model(DummyClassifier().fit([[0], [1]], [False, True])), add)


def attacks(mark: Path) -> dict[str, bytes]:
    """Return files each of which would leave a mark if something in it were called or imported."""
    command, expression = f"touch {mark}", f"open({str(mark)!r}, 'w')"
    system = method(kind("blocks.models.forest", "os"), "system")
    builtins = kind("blocks.models.sklearn", "re")
    for name in ("enum", "bltns"):
        builtins = method(builtins, name)
    shared = sequence(system, __id__=7001)
    again = mapping({command: plain(1)})
    again["key_types"]["__id__"] = 7001
    text = sequence(plain(command), loader="TupleNode", name="tuple")
    caller = sequence(plain("system"), plain(command), loader="TupleNode", name="tuple")
    return {
        "a method of a block's import": holding(calling(system, command)),
        "a method at the end of a chain": holding(calling(method(builtins, "eval"), expression)),
        "a builtin": holding(calling(kind("builtins", "eval"), expression)),
        "a function of the system": holding(calling(function("posix", "system"), command)),
        "a list of another id": holding(shared, again),
        "an object made of a command": holding(
            node("ConstructorFromReduceNode", "posix", "system", content=text)
        ),
        "a caller": holding(node("OperatorFuncNode", "operator", "methodcaller", attrs=caller)),
        "a module in the working folder": holding(node("ObjectNode", "marks", "Mark")),
        "a type in the working folder": holding(calling(kind("marks", "Mark"), "a")),
        "a dictionary in the working folder": holding(mapping({}) | {"__module__": "marks"}),
    }
