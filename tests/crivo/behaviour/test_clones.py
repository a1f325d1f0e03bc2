"""Clones that lack something, and experiments that are broken or share a name."""

from pathlib import Path

from tests.crivo.behaviour.shop import Shop


def test_a_shallow_clone_runs_trials_and_says_what_its_counts_may_lack(
    shop: Shop, tmp_path: Path
) -> None:
    shop.git("commit", "--quiet", "--allow-empty", "--message", "One more")
    folder = tmp_path / "shallow"
    shop.git("clone", "--quiet", "--depth", "1", f"file://{shop.folder}", str(folder))
    clone = Shop(folder)
    clone.write(".dvc/config.local", shop.read(".dvc/config.local"))
    cache = shop.folder / ".dvc/cache"
    clone.dvc("cache", "dir", "--local", str(cache))
    clone.dvc("checkout", "--quiet")
    document = clone.crivo("try", "models.linear.C=0.6", "--json", status=None).document
    assert document["outcome"] in ("undecided", "equivalent", "better", "worse")
    assert "--unshallow" in " ".join(document["comparison"]["notes"])


def test_a_known_result_is_made_again_when_told_to(shop: Shop) -> None:
    said = shop.crivo(
        "try", "models.linear.C=0.5", "--again", "--name", "twin", "--json", status=None
    )
    assert said.document["experiment"] == "twin"
