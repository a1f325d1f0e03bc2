"""`crivo new`, and trials of blocks: a block works as it is written, and nothing else is edited."""

from tests.crivo.behaviour.shop import Shop


def test_a_new_model_works_as_it_is_written(shop: Shop) -> None:
    shop.crivo("new", "model", "mine")
    shop.git("add", "--all")
    document = shop.crivo("try", "model=mine", "--json", status=None).document
    assert document["outcome"] in ("better", "worse", "undecided", "equivalent", "identical")
    assert document["comparison"]["experiments"][0]["changed"].startswith("model=mine")
