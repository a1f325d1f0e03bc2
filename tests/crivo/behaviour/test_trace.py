"""`crivo trace` and `crivo verify`: where a result comes from, and whether it comes again."""

import re
import subprocess
from functools import partial
from pathlib import Path

from tests.crivo.behaviour.shop import Shop

MODEL = "models/model.skops"


def test_a_file_is_traced_to_its_experiment(seen: Shop) -> None:
    document = seen.crivo("trace", MODEL, "--json").document
    assert [document["output"]["path"], document["in_workspace"]] == [MODEL, True]


def test_a_file_from_elsewhere_is_traced_by_its_bytes_or_by_the_model_in_it(
    shop: Shop, tmp_path: Path
) -> None:
    shop.crivo("export", str(tmp_path / "orders.zip"))
    found = shop.crivo("trace", str(tmp_path / "orders.zip"), "--json").document
    assert (found["output"]["path"], found["source"]["message"]) == (MODEL, "Take our orders")
    shop.dvc("get", "--quiet", ".", MODEL, "--rev", "trees", "--out", str(tmp_path / "mail"))
    found = shop.crivo("trace", str(tmp_path / "mail"), "--json").document
    assert (found["source"]["kind"], found["source"]["name"]) == ("experiment", "trees")
    assert found["changed"] == ["setting model: linear → boosting"]
    assert (found["current"], found["in_workspace"]) == (False, False)


def test_the_workspace_is_compared_without_a_run(shop: Shop) -> None:
    assert shop.crivo("verify", "--workspace", "--json").document["outcome"] == "identical"
    path = "metrics/evaluation/metrics.json"
    shop.replace(path, '"roc_auc": 0.', '"roc_auc": 0.1')
    said = shop.crivo("verify", "--workspace", status=1)
    assert "Running" not in said.text


def test_the_command_of_the_docs_names_a_damaged_file_of_the_cache(shop: Shop) -> None:
    page = (Path(__file__).parents[3] / "docs/team.md").read_text()
    (command,) = re.findall(r"^\$ (find \?\? .*)$", page, re.MULTILINE)
    model = (shop.folder / MODEL).read_bytes()
    cached = shop.folder / ".dvc/cache/files/md5"
    check = partial(subprocess.run, ["sh", "-c", command], cwd=cached, capture_output=True)
    assert check().stdout == b""
    (path,) = (one for one in cached.rglob("*") if one.is_file() and one.read_bytes() == model)
    path.chmod(0o644)
    path.write_bytes(model[:-1] + bytes([model[-1] ^ 1]))
    path.chmod(0o444)
    assert check().stdout == f"{path.relative_to(cached)}: FAILED\n".encode()
    for damaged in (path, shop.folder / MODEL):
        damaged.unlink()
    shop.dvc("repro", "--quiet")
    assert shop.status() == ""
    assert check().returncode == 0
