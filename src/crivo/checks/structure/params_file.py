"""S: does `params.yaml` stay as it is when DVC changes a setting in it?"""

from __future__ import annotations

from collections.abc import Iterator

from crivo.checks.project import Project
from crivo.checks.registry import Found, check
from crivo.repository.overrides import as_rewritten


@check(
    "S007",
    "`params.yaml` is in a form that `-S` would rewrite",
    severity="warning",
    example="params.yaml:12: `-S` would write this line as `columns:`; write it so yourself, "
    "or every trial shows a difference that isn't one.",
)
def form(project: Project) -> Iterator[Found]:
    """`dvc exp run -S` reads the file and writes it again. It keeps comments, but rewrites double
    quotes, flow lists, deeper indents, long lines and `${…}`. Plain block form stays the same.
    """
    _ = project.settings
    path = project.root / "params.yaml"
    before = path.read_bytes().decode().split("\n")
    after = as_rewritten(path).split("\n")
    for number, line in enumerate(before):
        new = after[number] if number < len(after) else ""
        if new != line:
            yield Found(
                f"params.yaml:{number + 1}",
                f"`-S` would write this line as `{new.strip()}`; write it so yourself, or every "
                "trial shows a difference that isn't one.",
            )
            return  # the lines that follow may just have moved
