"""What stops a stage: a wrong setting, and a file that it doesn't declare."""

import pytest

from tests.crivo.behaviour.shop import Shop

PEEK = """

def peeked() -> None:
    import pandas as pd

    pd.read_parquet("data/features/valid.parquet")
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("    C: 1.0", "    C: -1.0", "models.linear.C"),
        ("    max_iter: 15", "    max_itre: 15", "did you mean `max_iter`"),
    ],
)
def test_a_wrong_setting_stops_before_any_work(shop: Shop, old: str, new: str, words: str) -> None:
    """Also one of a block that isn't in use."""
    model = (shop.folder / "models/model.skops").read_bytes()
    shop.replace("params.yaml", old, new)
    shop.write("src/train.py", shop.read("src/train.py") + "\n")
    said = shop.dvc("repro", fails=True)
    assert words in said
    assert "Traceback" not in said
    assert not (shop.folder / "models/model.skops").exists() or (
        (shop.folder / "models/model.skops").read_bytes() == model
    )


def test_a_block_cannot_read_what_its_stage_does_not_declare(shop: Shop) -> None:
    path = "src/blocks/models/linear.py"
    shop.write(path, shop.read(path) + PEEK)
    text = shop.read(path)
    line = next(one for one in text.splitlines() if one.lstrip().startswith("def build("))
    shop.replace(path, line, f"{line}\n        peeked()")
    said = shop.dvc("repro", fails=True)
    assert "the stage train reads data/features/valid.parquet (src/blocks/models/linear.py" in said
    assert "which its entry in dvc.yaml doesn't declare" in " ".join(said.split())
