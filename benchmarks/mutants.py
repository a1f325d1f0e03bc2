"""Which small changes of the evaluation's code no test of it notices.

    python benchmarks/mutants.py                                  # all of it: more than an hour
    python benchmarks/mutants.py 'crivo.statistics.intervals.*'
    cd mutants && ../.venv/bin/mutmut show NAME                   # what a survivor changes

mutmut makes the changes and runs the tests that reach each (`[tool.mutmut]` in
`pyproject.toml`). It leaves functions with decorators alone, and those are every metric and
most properties of the rows, so it works on a copy in `mutants/` where `@d def f` is written
as `f = d(f)`.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPY = ROOT / "mutants"
MUTATED = ("src/crivo/evaluation/", "src/crivo/statistics/")
# mutmut knows how to change these.
PLAIN = ("classmethod", "staticmethod")


def main(names: list[str]) -> int:
    """Copy the project, run the mutants of the given names (patterns) and print a table."""
    copy_project()
    environment = os.environ | {"OMP_NUM_THREADS": "1", "HYPOTHESIS_PROFILE": "mutants"}
    mutmut = [str(Path(sys.executable).with_name("mutmut"))]
    done = subprocess.run([*mutmut, "run", *names], cwd=COPY, env=environment, check=False)
    if done.returncode:
        return done.returncode
    results = subprocess.run(
        [*mutmut, "results", "--all", "true"],
        cwd=COPY,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    print("\n".join(table(results.stdout.splitlines())))
    return 0


def copy_project() -> None:
    """Copy what git knows; a file that hasn't changed keeps its time, so mutmut keeps its work."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        source, target = ROOT / name, COPY / name
        if not source.is_file():
            continue
        content = source.read_bytes()
        if name.startswith(MUTATED) and name.endswith(".py"):
            content = undecorated(content.decode()).encode()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def undecorated(code: str) -> str:
    """Return code whose decorated functions are decorated by an assignment after them.

    >>> print(undecorated("@cache\\ndef one():\\n    return 1\\n"))
    def one():
        return 1
    one = (cache)(one)
    <BLANKLINE>
    """
    lines = code.splitlines()
    # from the last to the first: what is above stays where it is
    for function in sorted(_decorated(ast.parse(code)), key=lambda node: -node.lineno):
        value = function.name
        for decorator in reversed(function.decorator_list):
            value = f"({ast.unparse(decorator)})({value})"
        assert function.end_lineno is not None
        lines.insert(function.end_lineno, f"{' ' * function.col_offset}{function.name} = {value}")
        del lines[function.decorator_list[0].lineno - 1 : function.lineno - 1]
    return "\n".join(lines) + "\n"


def _decorated(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for body in [tree.body, *(node.body for node in classes)]:
        for node in body:
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                names = [ast.unparse(decorator) for decorator in node.decorator_list]
                if names not in [[name] for name in PLAIN]:
                    yield node


def table(results: list[str]) -> Iterator[str]:
    """Give the lines of a Markdown table: a file, and how many mutants came to which end."""
    ends: dict[str, Counter[str]] = {}
    for line in results:
        name, _, end = line.strip().partition(": ")
        module = name.rpartition(".")[0].removeprefix("crivo.").partition(".")[2]
        ends.setdefault(module, Counter())[end] += 1
    yield "| file | mutants | killed | survived | no test | other |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for module, count in sorted(ends.items()):
        if count["not checked"]:
            continue
        known = [count[end] for end in ("killed", "survived", "no tests")]
        other = count.total() - sum(known)
        yield "| " + " | ".join(map(str, [module, count.total(), *known, other])) + " |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
