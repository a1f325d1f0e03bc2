"""S: does `params.yaml` stay as it is when DVC changes a setting in it?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from crivo.checks.project import Project
from crivo.checks.registry import Found, check
from crivo.checks.unreadable import Unreadable


@check(
    "S007",
    "`params.yaml` is in a form that `-S` would rewrite",
    severity="warning",
    example="params.yaml:12: `-S` would write this line as `columns:`; write it so yourself, "
    "or every trial shows a difference that isn't one.",
)
def form(project: Project) -> Iterator[Found]:
    """`dvc exp run -S` reads the file and writes it anew. Comments stay; double quotes, flow
    lists, deeper indents, long lines and `${…}` don't. Plain block form comes back the same.
    """
    _ = project.settings
    path = project.root / "params.yaml"
    before = path.read_bytes().decode().split("\n")
    after = _as_rewritten(path).split("\n")
    for number, line in enumerate(before):
        new = after[number] if number < len(after) else ""
        if new != line:
            yield Found(
                f"params.yaml:{number + 1}",
                f"`-S` would write this line as `{new.strip()}`; write it so yourself, or every "
                "trial shows a difference that isn't one.",
            )
            return  # the lines that follow may just have moved


def _as_rewritten(path: Path) -> str:
    """Return the file's text as DVC writes it, by DVC's own function on a copy."""
    from dvc.utils.hydra import apply_overrides

    with TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(path.read_bytes())
        try:
            apply_overrides(copy, [])
        except Exception as error:  # DVC passes on whatever its YAML and OmegaConf raise
            text = " ".join(str(error).split())
            raise Unreadable("params.yaml", f"DVC can't rewrite it: {text}.") from None
        return copy.read_bytes().decode()
