"""`crivo prune`: the space that it frees, and what stays."""

from tests.crivo.behaviour.shop import Shop


def test_the_command_that_it_names_frees_space_and_keeps_everything_else(shop: Shop) -> None:
    """Files of branches, their older commits and other experiments stay in DVC's cache."""
    shop.git("branch", "older", "main")
    shop.replace("params.yaml", "    C: 1.0", "    C: 0.9")
    shop.dvc("repro", "--quiet")
    shop.commit("Go on")
    cache = shop.folder / ".dvc/cache/files/md5"
    before = {path for path in cache.rglob("*") if path.is_file()}
    others = shop.experiments() - {"stiff", "flat"}
    kept = [models(shop, one) for one in ("older", "HEAD", *others)]
    gone = models(shop, "stiff")
    said = shop.crivo("prune", "stiff", "flat", "--yes")
    command = said.out.splitlines()[-1].strip()
    assert command.startswith("dvc gc ")
    shop.dvc(*command.split()[1:], "--force")
    after = {path for path in cache.rglob("*") if path.is_file()}
    there = {path.parent.name + path.name for path in after}
    assert all(md5 in there for md5 in kept)
    assert gone not in there
    assert after < before


def models(shop: Shop, name: str) -> str:
    """Return the hash of an experiment's model."""
    found = shop.git("for-each-ref", "--format=%(objectname)", f"refs/exps/*/*/{name}").split()
    lock = shop.git("show", f"{[*found, name][0]}:dvc.lock")
    parts = lock.partition("  train:\n")[2].partition("outs:")[2]
    return parts.partition("path: models/model.skops")[2].partition("md5: ")[2].split()[0]
