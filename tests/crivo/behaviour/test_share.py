"""`crivo share`: what arrives at the remotes, and what a colleague gets from them."""

import hashlib
from pathlib import Path

from tests.crivo.behaviour.shop import Shop


def clone_of(shop: Shop, folder: Path) -> Shop:
    """Return a colleague's clone of the git remote, with the DVC remote."""
    shop.git("clone", "--quiet", str(shop.folder.parent / "hub.git"), str(folder))
    colleague = Shop(folder)
    colleague.write(".dvc/config.local", shop.read(".dvc/config.local"))
    return colleague


def test_an_experiment_and_all_its_files_arrive(seen: Shop) -> None:
    document = seen.said("share").document
    stored = [path for path in (seen.folder.parent / "store").rglob("*") if path.is_file()]
    assert document["uploaded"] == document["files"] == len(stored)
    assert sum(path.stat().st_size for path in stored) == document["size"]
    for path in stored:
        digest = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
        assert path.parent.name + path.name.removesuffix(".dir") == digest
    hub = seen.git("--git-dir", "../hub.git", "for-each-ref", "--format=%(refname)")
    assert document["ref"] in hub.split()


def test_a_colleague_gets_the_same_answer_and_the_same_bytes(shop: Shop, tmp_path: Path) -> None:
    colleague = clone_of(shop, tmp_path / "colleague")
    colleague.dvc("exp", "pull", "origin", "trees")
    alone = colleague.crivo("compare", "trees")
    assert "`crivo fetch` fetches the shared trials" in alone.text
    assert "and the number of trials is" in colleague.crivo("fetch").text
    mine = shop.crivo("compare", "trees", "--json").document
    theirs = colleague.crivo("compare", "trees", "--json").document
    assert (theirs["answer"], theirs["trials"]) == (mine["answer"], mine["trials"])
    colleague.dvc("exp", "apply", "trees")
    assert "up to date" in colleague.dvc("status")
    shop.dvc("exp", "apply", "trees")
    model = "models/model.skops"
    assert (colleague.folder / model).read_bytes() == (shop.folder / model).read_bytes()


def test_who_confirms_and_continuous_integration_count_what_others_opened_and_chose(
    shop: Shop, tmp_path: Path
) -> None:
    colleague, plain = (clone_of(shop, tmp_path / name) for name in ("colleague", "plain"))
    # Opened after this clone has shared: the remote is told at once.
    mine = shop.crivo("confirm", "stiff", "--anyway", "--json").document["test"]
    colleague.dvc("exp", "pull", "origin", "trees")
    colleague.crivo("fetch")
    theirs = colleague.crivo("confirm", "trees", "--json").document["test"]
    assert theirs["trials"] == mine["trials"] == 2
    shop.dvc("exp", "apply", "trees")
    shop.dvc("push", "--quiet")
    shop.git("add", "--force", "metrics/trials.csv")
    shop.commit("Take the trees over")
    shop.git("push", "--quiet", "origin", "main")
    plain.git("pull", "--quiet")
    plain.dvc("pull", "--quiet")
    here, alone = (one.crivo("check") for one in (shop, plain))
    assert "selection among 6 models" in here.out
    # The branch carries the count, and the looks, though not the other models' numbers.
    assert "selection among 6 models" in alone.out
    assert "trials that its branches don't carry aren't counted" in alone.text
    looks = (one.crivo("compare").text.partition("opened at least")[2] for one in (shop, plain))
    assert len({text.partition("(")[0] for text in looks}) == 1
    plain.crivo("fetch")
    there = plain.crivo("check")
    assert there.out.endswith(here.out.partition("Limits:")[2])
    assert "can't be known" not in there.text


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
    given = ("models.linear.C=0.5", "--again", "--name", "twin", "--json")
    said = shop.crivo("try", *given, status=None)
    assert said.document["experiment"] == "twin"
