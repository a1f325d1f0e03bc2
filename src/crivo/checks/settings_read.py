"""Which settings a stage's script reads, found without running it.

Only the scripts read settings, by the name `params`: `params.evaluate.split`, or
`params.block("model")`, which reads `model` and the section of the block it names.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from crivo.checks.keys import Key
from crivo.core.blocks import KINDS

NAME = "params"


@dataclass
class SettingsRead:
    """The chains of names after `params`, the kinds of blocks, and the lines that hide a read.

    A chain ends in "()" where its last name is called: a method, not a setting.
    """

    chains: set[Key] = field(default_factory=set)
    blocks: set[str] = field(default_factory=set)
    unclear: set[int] = field(default_factory=set)

    def keys(self, settings: Mapping[str, Any]) -> set[Key]:
        """Return the settings read, as the longest keys that `settings` has."""
        keys_read = {key for chain in self.chains if (key := resolve(chain, settings))}
        for kind in self.blocks:
            keys_read |= {(kind,), (KINDS[kind][0], str(settings.get(kind)))}
        return keys_read


def read_settings(tree: ast.Module) -> SettingsRead:
    """Return what a script reads of the settings."""
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    functions = {node.name for node in parents if isinstance(node, ast.FunctionDef)}
    read = SettingsRead()
    for node in parents:
        if isinstance(node, ast.Name) and node.id == NAME and isinstance(node.ctx, ast.Load):
            _follow(node, parents, functions, read)
        elif isinstance(node, ast.arg) and node.arg != NAME and _is_params(node.annotation):
            read.unclear.add(node.lineno)
    return read


def resolve(chain: Key, settings: Any) -> Key:
    """Return the setting that a chain of names reads: it ends where there are no deeper keys.

    >>> resolve(("evaluate", "split", "upper", "()"), {"evaluate": {"split": "valid"}})
    ('evaluate', 'split')
    """
    called = chain[-1] == "()"
    names = chain[:-2] if called else chain
    for depth, name in enumerate(names):
        if not isinstance(settings, Mapping):
            return names[:depth]
        if name not in settings:
            return names[: depth + 1]
        settings = settings[name]
    return names


def _follow(
    node: ast.AST, parents: Mapping[ast.AST, ast.AST], functions: set[str], read: SettingsRead
) -> None:
    """Add what follows one occurrence of `params`."""
    chain: list[str] = []
    while isinstance(parent := parents[node], ast.Attribute):
        chain.append(parent.attr)
        node = parent
    called = isinstance(parent, ast.Call) and parent.func is node
    if chain == ["block"] and isinstance(parent, ast.Call) and called:
        kind = parent.args[0] if len(parent.args) == 1 else None
        if isinstance(kind, ast.Constant) and kind.value in KINDS:
            read.blocks.add(str(kind.value))
        else:
            read.unclear.add(parent.lineno)
    elif len(chain) > called:
        read.chains.add((*chain, "()") if called else tuple(chain))
    elif not _stays_here(node, parents, functions):
        read.unclear.add(node.lineno)  # type: ignore[attr-defined]


def _stays_here(node: ast.AST, parents: Mapping[ast.AST, ast.AST], functions: set[str]) -> bool:
    """Return whether `params` is given, by this name, to a function of the same script."""
    parent = parents[node]
    call = parents[parent] if isinstance(parent, ast.keyword) else parent
    return (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in functions
    )


def _is_params(annotation: ast.expr | None) -> bool:
    return annotation is not None and ast.unparse(annotation).strip("'\"").endswith("Params")
