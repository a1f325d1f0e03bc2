"""What stops a stage: a wrong setting."""

import pytest

from tests.crivo.behaviour.shop import Shop


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
