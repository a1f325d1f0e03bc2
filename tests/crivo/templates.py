"""Jinja templates whose branches say when they are rendered."""

from __future__ import annotations

from typing import Any

from jinja2 import BaseLoader, Environment, Template, nodes


class Marking(BaseLoader):
    """Loads templates whose branches say that they were rendered."""

    def __init__(self, loader: BaseLoader) -> None:
        self.loader = loader
        self.known: set[str] = set()
        self.seen: set[str] = set()

    def load(self, environment: Environment, name: str, globals: Any = None) -> Template:
        source, file, _ = self.loader.get_source(environment, name)
        tree = environment.parse(source, name, file)
        for place, node in enumerate([*tree.find_all((nodes.If, nodes.For, nodes.CondExpr))]):
            self.mark(f"{name}:{node.lineno} #{place}", node)
        code = environment.compile(tree, name, file)
        known = dict(environment.globals) | {"rendered": self.rendered}
        return environment.template_class.from_code(environment, code, known)

    def rendered(self, branch: str, value: Any = "") -> Any:
        self.seen.add(branch)
        return value

    def mark(self, place: str, node: nodes.Node) -> None:
        """Let both sides of a condition, or the body of a loop, be known and say when they ran."""
        if isinstance(node, nodes.CondExpr):
            node.expr1 = self.call(f"{place} if", node.expr1)
            if node.expr2 is not None:
                node.expr2 = self.call(f"{place} else", node.expr2)
            return
        assert isinstance(node, nodes.If | nodes.For)
        for side in ("body", "else_"):
            if statements := getattr(node, side):
                statements.insert(0, nodes.ExprStmt(self.call(f"{place} {side}")))

    def call(self, branch: str, *value: nodes.Expr) -> nodes.Call:
        self.known.add(branch)
        given = [nodes.Const(branch), *value]
        return nodes.Call(nodes.Name("rendered", "load"), given, [], None, None)
