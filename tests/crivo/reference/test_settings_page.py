"""Is the page of settings in step with the classes that check them?"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from crivo.core.blocks import KINDS, Model, Names, block
from crivo.reference.meanings import meaning
from crivo.reference.settings_page import PAGE, settings_page

TEXT = (Path(__file__).parents[3] / PAGE).read_text(encoding="utf-8")
SHIPPED = {
    "datasets": {"flights", "table"},
    "splitters": {"by_time", "by_group", "at_random"},
    "featurizers": {"flights", "tabular"},
    "models": {"boosting", "forest", "linear", "prior", "sklearn", "lightgbm", "xgboost"},
    "evaluators": {"standard"},
}


def on_the_page(kind: str) -> Sequence[str]:
    return re.findall(rf"^### `{KINDS[kind][0]}\.(\w+)`$", TEXT, flags=re.MULTILINE)


def test_the_page_is_what_the_classes_say() -> None:
    """A block of your own needs no line on the page; what is on it has to be right."""
    assert settings_page(on_the_page) == TEXT, "run `make docs`"


def test_every_shipped_block_is_on_the_page() -> None:
    for kind, (folder, _) in KINDS.items():
        assert SHIPPED[folder] <= set(on_the_page(kind))


def test_every_setting_has_a_meaning() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\|([^|]*)\|$", TEXT, flags=re.MULTILINE)
    assert len(rows) > 80
    assert [name for name, said in rows if not said.strip()] == []


@block
class Ridge(Model):
    """A weighted sum. Only `solver` is by hand.

        a drawing; `alpha` is not explained here

    Penalty: `alpha`, `beta`: how much (0 to 1; more
    shrinks); 0 is none; `names` are kept. The others: nothing special.
    """

    alpha: Annotated[float, Field(gt=0, le=1)] = 0.5
    beta: float = 0.0
    names: Names = ()
    solver: str | None = None
    max_iter: int = 10
    odd: bool = False

    def build(self, task, seed):
        """Return nothing."""


def test_a_meaning_is_the_clause_that_names_the_setting() -> None:
    known = ("alpha", "beta", "names", "solver", "max_iter", "odd")
    assert {name: meaning(Ridge, name, known) for name in known} == {
        "alpha": "How much (0 to 1; more shrinks); 0 is none",
        "beta": "How much (0 to 1; more shrinks); 0 is none",
        "names": "`names` are kept",
        "solver": "Only `solver` is by hand",
        "max_iter": "How many iterations at most",
        "odd": "Nothing special",
    }
