"""`crivo resolve`: a conflict in `dvc.lock` between two people's results."""

from tests.crivo.behaviour.shop import Shop


def branch(shop: Shop, name: str, old: str, new: str, *stages: str) -> None:
    """Change a setting on a new branch of `main`, run and commit."""
    shop.git("checkout", "--quiet", "-b", name, "main")
    shop.replace("params.yaml", old, new)
    shop.dvc("repro", "--quiet", *stages)
    shop.commit(name)


def test_two_branches_that_changed_other_stages_are_merged(shop: Shop) -> None:
    branch(shop, "mine", "  linear:\n    C: 1.0", "  linear:\n    C: 0.8")
    branch(shop, "theirs", "    share: 0.1", "    share: 0.2")
    shop.run("git", "merge", "mine", fails=True)
    assert "<<<<<<<" in shop.read("dvc.lock")
    document = shop.crivo("resolve", "--json").document
    assert document["command"] == "resolve"
    assert document["kept"]["prepare"] == "both"
    assert document["kept"]["train"] == "theirs"
    assert "evaluate" in document["left_out"]
    shop.dvc("repro", "--quiet")
    shop.git("add", "--update")
    shop.git("commit", "--quiet", "--no-edit")
    assert shop.status() == ""
    assert "up to date" in shop.dvc("status")


def test_a_conflict_in_the_settings_is_named_and_left(shop: Shop) -> None:
    for name, value in (("mine", "0.8"), ("theirs", "0.9")):
        shop.git("checkout", "--quiet", "-b", name, "main")
        shop.replace("params.yaml", "    C: 1.0", f"    C: {value}")
        shop.replace("dvc.lock", "C: 1.0", f"C: {value}")
        shop.commit(name)
    shop.run("git", "merge", "mine", fails=True)
    before = shop.read("dvc.lock")
    said = shop.crivo("resolve", status=1)
    assert "params.yaml" in said.text
    assert shop.read("dvc.lock") == before


def test_without_a_conflict_there_is_nothing_to_do(seen: Shop) -> None:
    assert "dvc.lock has no conflict" in seen.crivo("resolve", status=1).text


def test_the_old_name_warns(seen: Shop) -> None:
    assert "`crivo merge` is `crivo resolve` now" in seen.crivo("merge", status=1).text
