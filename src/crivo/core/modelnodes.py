"""Reads what a model file describes, before anything in it is imported, made or called.

A skops file holds a tree of nodes. Each has a kind (`__loader__`) and names the class or function
it stands for. A node may have an id: skops makes the first of an id, and takes its object for all
later ones, whatever those describe. So the nodes are visited as skops visits them, in its order.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from crivo.core.modeltrust import GENERATORS, KEY_TYPES, MAX_SEEDS, is_trusted, skops_trusts

Node = dict[str, Any]

# Deeper than a pipeline of pipelines, and less deep than Python's stack.
DEPTH = 100
# A list may hold another many times, and that another: as many objects as this, all told.
MAX_NODES = 20_000_000
# class -> the kind of node that its trees are stored in.
BOOSTERS = {"lightgbm.basic.Booster": "JsonNode", "xgboost.core.Booster": "BytearrayNode"}
SLICE = ("start", "stop", "step")
FACTORIES = ("dict", "float", "int", "list", "set")
SKOPS_LISTS = (
    "PRIMITIVE", "CONTAINER", "NUMPY_DTYPE", "NUMPY_UFUNC", "SCIPY_UFUNC", "SKLEARN_ESTIMATOR",
    "SKLEARN_INTERNAL",
)  # fmt: skip


@dataclass
class Description:
    """What a file's nodes name, and which members they are read from.

    `unknown`: names that nobody vouches for; `trusted`: those of which skops must be told;
    `arrays`, `blobs`: members, as often as skops will read them; `texts`, `buffers`: the JSON of
    LightGBM's texts and the members of XGBoost's.
    """

    unknown: set[str] = field(default_factory=set)
    trusted: set[str] = field(default_factory=set)
    arrays: list[str] = field(default_factory=list)
    blobs: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    buffers: set[str] = field(default_factory=set)


def described(schema: Any) -> Description:
    """Return what the nodes of a skops file name; ValueError for what skops never writes."""
    from skops.io._protocol import PROTOCOL

    if not isinstance(schema, dict) or schema.get("protocol") != PROTOCOL:
        raise ValueError(f"it is not in version {PROTOCOL} of the skops format")
    walk = _Walk()
    walk.visit(schema, 0)
    return walk.description


class _Walk:
    """Visits the nodes that skops makes objects of."""

    def __init__(self) -> None:
        self.description = Description()
        self._first: dict[int, Node] = {}
        self._sizes: dict[int, int] = {}
        self._known = skops_trusts(*SKOPS_LISTS)

    def visit(self, node: Any, depth: int) -> int:
        """Check a node and all under it; return how many objects it stands for."""
        if depth > DEPTH:
            raise ValueError(f"its objects are nested more than {DEPTH} deep")
        kind, module, name = _named(node)
        known = _id(node)
        if known in self._first:
            return self._size_again(known)
        if known:  # skops remembers neither none nor 0
            self._first[known] = node
        size = 1
        if self._trusted(kind, module, name):
            size += sum(self.visit(child, depth + 1) for child in CHILDREN[kind](node))
            self._note_file(kind, node)
            self._note_booster(kind, f"{module}.{name}", node)
            if kind in RULES and not self.description.unknown:  # a name says more
                RULES[kind](node, self._made)
        if size > MAX_NODES:
            raise ValueError(f"it stands for more than {MAX_NODES:,} objects")
        self._sizes[known] = size
        return size

    def _size_again(self, known: int) -> int:
        if known not in self._sizes:
            raise ValueError("an object of it holds itself")
        return self._sizes[known]

    def _made(self, node: Node) -> Node:
        """Return the node whose object skops takes for this one."""
        return self._first.get(_id(node), node)

    def _trusted(self, kind: str, module: str, name: str) -> bool:
        """Whether a node's children need be looked at; the name of one that may not be is kept."""
        whole = f"{module}.{name}"
        if not is_trusted(kind, module, name):
            self.description.unknown.add(whole if kind in CHILDREN else f"{whole} as a {kind}")
            return False
        if whole not in self._known:
            self.description.trusted.add(whole)
        return True

    def _note_file(self, kind: str, node: Node) -> None:
        if kind in ("BytesNode", "BytearrayNode"):
            self.description.blobs.append(_text(node, "file"))
        elif kind == "NdArrayNode" and node.get("type") == "numpy":
            self.description.arrays.append(_text(node, "file"))

    def _note_booster(self, kind: str, name: str, node: Node) -> None:
        """Note what a library of boosters will read by itself."""
        if kind != "ObjectNode" or name not in BOOSTERS or self.description.unknown:
            return
        state = _as(dict, _of_kind(self._made(node["content"]), "DictNode")["content"])
        if sum(key in state for key in ("handle", "_handle")) != 1:
            raise ValueError("a booster has no trees, or two kinds of them")
        held = self._made(state.get("handle", state.get("_handle")))
        if _of_kind(held, BOOSTERS[name])["__loader__"] == "JsonNode":
            self.description.texts.append(_text(held, "content"))
        else:
            self.description.buffers.add(_text(held, "file"))


def _id(node: Any) -> int:
    """Return a node's id; 0 for one without."""
    known = node.get("__id__")
    if known is not None and type(known) is not int:
        raise ValueError(f"{str(known)[:40]!r} isn't the id of an object")
    return known or 0


def _named(node: Any) -> tuple[str, str, str]:
    """Return a node's kind, and the module and the name of what it stands for."""
    kind, module, name = (_text(node, key) for key in ("__loader__", "__module__", "__class__"))
    if not all(part.isidentifier() for part in [*module.split("."), name]):
        raise ValueError(f"{f'{module}.{name}'[:60]!r} isn't the name of a class or function")
    return kind, module, name


def _text(node: Any, key: str) -> str:
    value = node.get(key) if isinstance(node, dict) else None
    if not isinstance(value, str):
        raise ValueError(f"an object has no {key} but {str(value)[:40]!r}")
    return value


def _as(kind: type, content: Any) -> Any:
    if not isinstance(content, kind):
        raise ValueError(
            f"an object holds {str(content)[:40]!r}, which isn't of type {kind.__name__}"
        )
    return content


def _content(node: Node, *keys: str) -> list[Any]:
    content = _as(dict, node.get("content"))
    return [content.get(key) for key in keys]


def _leaf(node: Node) -> list[Any]:
    return []


def _one(node: Node) -> list[Any]:
    return [] if node.get("content") is None else [node["content"]]


def _items(node: Node) -> list[Any]:
    return list(_as(list, node.get("content")))


def _dict(node: Node) -> list[Any]:
    return [node.get("key_types"), *_as(dict, node.get("content")).values()]


def _array(node: Node) -> list[Any]:
    return [] if node.get("type") == "numpy" else [*_items(node), node.get("shape")]


def _reduced(node: Node) -> list[Any]:
    return [node.get("content"), _as(dict, node.get("__reduce__")).get("args")]


def _named_parts(*keys: str) -> Callable[[Node], list[Any]]:
    return lambda node: _content(node, *keys)


# kind of node -> its children, where and in the order in which skops looks for them.
CHILDREN: dict[str, Callable[[Node], list[Any]]] = {
    "BytearrayNode": _leaf,
    "BytesNode": _leaf,
    "DTypeNode": _one,
    "DefaultDictNode": _named_parts("main", "default_factory"),
    "DictNode": _dict,
    "FunctionNode": _leaf,
    "JsonNode": _leaf,
    "ListNode": _items,
    "LossNode": _reduced,
    "MaskedArrayNode": _named_parts("data", "mask"),
    "NdArrayNode": _array,
    "ObjectNode": _one,
    "PartialNode": _named_parts("func", "args", "kwds", "namespace"),
    "RandomGeneratorNode": _named_parts("bit_generator", "seed_seq"),
    "RandomStateNode": _one,
    "SetNode": _items,
    "SliceNode": _leaf,
    "TreeNode": _reduced,
    "TupleNode": _items,
    "TypeNode": _leaf,
}

# Says which node's object skops takes for a node.
Made = Callable[[Node], Node]


def _of_kind(node: Node, *kinds: str) -> Node:
    kind, module, name = _named(node)
    if kind not in kinds:
        raise ValueError(f"an object holds {f'{module}.{name}'[:60]}, which has no place there")
    return node


def _keys(node: Node, made: Made) -> None:
    """A dictionary calls the types of its keys with their texts."""
    for item in _items(_of_kind(made(node["key_types"]), "ListNode")):
        _, module, name = _named(_of_kind(made(item), "TypeNode"))
        if f"{module}.{name}" not in KEY_TYPES:
            raise ValueError(f"{f'{module}.{name}'[:60]} isn't a type of a dictionary's keys")


def _factory(node: Node, made: Made) -> None:
    """A default dictionary calls its factory for a key that it doesn't have."""
    main, factory = map(made, _content(node, "main", "default_factory"))
    _of_kind(main, "DictNode")
    kind, module, name = _named(_of_kind(factory, "JsonNode", "TypeNode"))
    if kind == "TypeNode" and (module != "builtins" or name not in FACTORIES):
        raise ValueError(f"{f'{module}.{name}'[:60]} isn't a factory of a dictionary's values")


def _function(node: Node, made: Made) -> None:
    func, args, kwds, namespace = map(made, _content(node, "func", "args", "kwds", "namespace"))
    _of_kind(func, "FunctionNode"), _of_kind(args, "TupleNode"), _of_kind(kwds, "DictNode")
    if _of_kind(namespace, "DictNode", "JsonNode").get("content") not in ({}, "null"):
        raise ValueError("a partial function has attributes")


def _plain(node: Node, made: Made) -> None:
    _text(node, "content")


def _numbers(node: Node, made: Made) -> None:
    if not all(part is None or type(part) is int for part in _content(node, *SLICE)):
        raise ValueError("a slice is not one of whole numbers")


def _generator(node: Node, made: Made) -> None:
    """A generator calls the class that its state names, and mixes a pool of seeds."""
    state, seeds = map(made, _content(node, "bit_generator", "seed_seq"))
    if _value(state, "bit_generator", made) not in GENERATORS:
        raise ValueError(f"random numbers come from {', '.join(GENERATORS)} or are refused")
    pool = _value(seeds, "pool_size", made)
    if type(pool) is not int or not 0 < pool <= MAX_SEEDS:
        raise ValueError(f"a pool of {str(pool)[:40]} seeds is none")


def _value(node: Node, key: str, made: Made) -> Any:
    """Return a plain value of a dictionary's node."""
    (value,) = _content(_of_kind(node, "DictNode"), key)
    return json.loads(_text(_of_kind(made(value), "JsonNode"), "content"))


def _children_are(*kinds: str) -> Callable[[Node, Made], None]:
    def rule(node: Node, made: Made) -> None:
        for child in CHILDREN[_named(node)[0]](node):
            _of_kind(made(child), *kinds)

    return rule


# kind of node -> what its children must be.
RULES: dict[str, Callable[[Node, Made], None]] = {
    "DTypeNode": _children_are("NdArrayNode"),
    "DefaultDictNode": _factory,
    "DictNode": _keys,
    "JsonNode": _plain,
    "MaskedArrayNode": _children_are("NdArrayNode"),
    "PartialNode": _function,
    "RandomGeneratorNode": _generator,
    "RandomStateNode": _children_are("DictNode"),
    "SliceNode": _numbers,
}
