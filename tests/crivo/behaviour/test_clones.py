"""Clones that lack something, and experiments that are broken or share a name."""

from __future__ import annotations

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


def test_names_that_occur_twice_are_told_apart_by_their_commit(shop: Shop) -> None:
    commit = shop.git("for-each-ref", "--format=%(objectname)", "refs/exps/*/*/flat").strip()
    parent = "1" * 40
    shop.git("update-ref", f"refs/exps/{parent[:2]}/{parent[2:]}/stiff", commit)
    document = shop.crivo("compare", "--all", "--json").document
    twins = [one["name"] for one in document["experiments"] if one["name"].startswith("stiff")]
    assert len(set(twins)) == len(twins)


def test_code_that_git_does_not_know_is_told(shop: Shop) -> None:
    shop.crivo("new", "model", "mine")
    said = shop.crivo("try", "model=mine", "--json", status=3)
    assert "src/blocks/models/mine.py" in said.document["error"]


def test_a_known_result_is_made_again_when_told_to(shop: Shop) -> None:
    said = shop.crivo(
        "try", "models.linear.C=0.5", "--again", "--name", "twin", "--json", status=None
    )
    assert said.document["experiment"] == "twin"
