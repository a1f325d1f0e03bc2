"""`crivo resolve`: a conflict in `dvc.lock` between two people's results."""

import re

from tests.crivo.behaviour.shop import Shop
from tests.crivo.pipeline.pages import commands_of
from tests.crivo.pipeline.project import ROOT

PAGE = (ROOT / "docs/team.md").read_text(encoding="utf-8")
(SECTION,) = re.findall(r"^## Merge without.*?\n(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)


def branch(shop: Shop, name: str, old: str, new: str, *stages: str) -> None:
    """Change a setting on a new branch of `main`, run and commit."""
    shop.git("checkout", "--quiet", "-b", name, "main")
    shop.replace("params.yaml", old, new)
    shop.dvc("repro", "--quiet", *stages)
    shop.commit(name)


def test_the_commands_of_the_page_end_with_everything_clean(shop: Shop) -> None:
    branch(shop, "theirs", "  linear:\n    C: 1.0", "  linear:\n    C: 0.8")
    branch(shop, "mine", "    share: 0.1", "    share: 0.2")
    merge, *rest = commands_of(SECTION)
    assert "Merge conflict in dvc.lock" in shop.run(*merge.split(), fails=True)
    shop.run("bash", "-ec", "\n".join(rest))
    assert shop.status() == ""
    assert "up to date" in shop.dvc("status")
    assert len(shop.git("log", "-1", "--format=%P").split()) == 2
    assert {"C: 0.8", "share: 0.2"} <= {line.strip() for line in shop.read("dvc.lock").splitlines()}
