"""`crivo share`: what arrives at the remotes, and what a colleague gets from them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.crivo.behaviour.shop import Shop


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


def test_sharing_again_uploads_nothing(shop: Shop) -> None:
    assert shop.crivo("share", "trees", "--json").document["uploaded"] == 0


def test_a_colleague_gets_the_same_answer_and_the_same_bytes(shop: Shop, tmp_path: Path) -> None:
    colleague = Shop(tmp_path / "colleague")
    shop.git("clone", "--quiet", str(shop.folder.parent / "hub.git"), str(colleague.folder))
    colleague.write(".dvc/config.local", shop.read(".dvc/config.local"))
    colleague.dvc("exp", "pull", "origin", "trees")
    alone = colleague.crivo("compare", "trees")
    assert "git fetch origin 'refs/crivo/*:refs/crivo/*'" in alone.text
    colleague.git("fetch", "--quiet", "origin", "refs/crivo/*:refs/crivo/*")
    mine = shop.crivo("compare", "trees", "--json").document
    theirs = colleague.crivo("compare", "trees", "--json").document
    assert (theirs["answer"], theirs["trials"]) == (mine["answer"], mine["trials"])
    colleague.dvc("exp", "apply", "trees")
    assert "up to date" in colleague.dvc("status")
    shop.dvc("exp", "apply", "trees")
    model = "models/model.skops"
    assert (colleague.folder / model).read_bytes() == (shop.folder / model).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["tres"], "did you mean `trees`"),
        (["trees", "--remote", "nowhere"], "nowhere"),
        (["trees", "--git-remote", "nowhere"], "nowhere"),
        (["main"], "main"),
    ],
)
def test_what_cannot_be_shared_is_refused_in_a_sentence(
    seen: Shop, arguments: list[str], sentence: str
) -> None:
    said = seen.crivo("share", *arguments, status=1)
    assert said.err.startswith("crivo: ")
    assert sentence in said.text
