"""`crivo check`: each rule is broken once in a copy of the project, and found."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.crivo.behaviour.shop import Shop

HEAVY = '''"""A model whose file does too much when it is imported."""

import numpy as np

from crivo.core.blocks import Model, block

np.random.seed(1)


@block
class Heavy(Model):
    """Never used."""

    def build(self, task: object, seed: int) -> object:
        return None
'''


def odd_blocks(shop: Shop) -> None:
    shop.write("src/blocks/models/heavy.py", HEAVY)
    shop.replace("params.yaml", "  prior: {}", "  prior: {}\n  heavy: {}")


def empty_block(shop: Shop) -> None:
    shop.write("src/blocks/models/nothing.py", '"""No model."""\n')
    shop.replace("params.yaml", "  prior: {}", "  prior: {}\n  nothing: {}")


def wrong_pipeline(shop: Shop) -> None:
    train = "    - src/train.py\n"
    shop.replace("dvc.yaml", train, f"{train}    - data/features/valid.parquet\n")
    shop.replace(
        "dvc.yaml", "    - requirements.txt\n    - src/prepare.py\n", "    - src/prepare.py\n"
    )
    shop.replace(
        "dvc.yaml", "    - src/prepare.py\n", "    - src/prepare.py\n    - data/raw/mine\n"
    )
    shop.write("data/raw/mine", "1\n")


def other_command(shop: Shop) -> None:
    shop.replace("dvc.yaml", "cmd: python src/train.py", "cmd: python -m train")


def no_yaml(shop: Shop) -> None:
    shop.write("params.yaml", shop.read("params.yaml") + "a: [b\n")


def wrong_settings(shop: Shop) -> None:
    shop.replace("params.yaml", "    max_iter: 15", "    max_itre: 15")
    shop.replace("params.yaml", "seed: 13\n", "seed: 13\nsede: 1\n")


def other_environment(shop: Shop) -> None:
    lock = shop.read("requirements.txt")
    (line,) = [one for one in lock.splitlines() if one.startswith("pandas==")]
    shop.write("requirements.txt", lock.replace(line, "pandas==9.9.9 \\"))


def untracked(shop: Shop) -> None:
    shop.git("rm", "--quiet", "--cached", "src/train.py")


def notebook_with_output(shop: Shop) -> None:
    path = sorted((shop.folder / "notebooks").glob("*.ipynb"))[0]
    content = json.loads(path.read_text())
    cell = next(one for one in content["cells"] if one["cell_type"] == "code")
    cell["execution_count"] = 1
    path.write_text(json.dumps(content))


def table(shop: Shop, name: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    """Change a Parquet file that a stage wrote."""
    path = shop.folder / name
    rows = pd.read_parquet(path)
    path.unlink()
    change(rows).to_parquet(path)


def prepared(shop: Shop, split: str) -> pd.DataFrame:
    return pd.read_parquet(shop.folder / f"data/prepared/{split}.parquet")


def featurize(shop: Shop) -> None:
    """Run the stage that checks the rows, on rows that were changed by hand."""
    shop.dvc("repro", "--quiet", "--single-item", "featurize")


def rows_in_two_splits(shop: Shop) -> None:
    train = prepared(shop, "train")
    table(shop, "data/prepared/valid.parquet", lambda rows: pd.concat([rows, train.iloc[:20]]))


def copied_rows(shop: Shop) -> None:
    train = prepared(shop, "train")
    key = train.columns[0]
    copies = train.iloc[:20].assign(**{key: [f"copy{i}" for i in range(20)]})
    table(shop, "data/prepared/valid.parquet", lambda rows: pd.concat([rows, copies]))


def times_and_groups(shop: Shop) -> None:
    path = shop.folder / "data/prepared/schema.json"
    schema = json.loads(path.read_text())
    for column in schema["columns"]:
        roles = {"country": "group", "price": "time"}
        column["role"] = roles.get(column["name"], column["role"])
    path.unlink()
    path.write_text(json.dumps(schema))


def leaking_columns(shop: Shop) -> None:
    for split in ("train", "valid", "test"):

        def leak(rows: pd.DataFrame) -> pd.DataFrame:
            late = rows["returned"] == "yes"
            noise = np.random.default_rng(0).normal(size=len(rows)) / 100
            return rows.assign(price=late * 2.0, age=late + noise)

        table(shop, f"data/prepared/{split}.parquet", leak)


def shifted_rows(shop: Shop) -> None:
    def shift(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(price=rows["price"] + 5)

    table(shop, "data/prepared/valid.parquet", shift)


def evaluate(shop: Shop) -> None:
    """Fit and evaluate again, on files that were changed by hand."""
    for stage in ("train", "evaluate"):
        shop.dvc("repro", "--quiet", "--single-item", stage)


def features(shop: Shop, change: Callable[[pd.DataFrame, pd.Series], pd.DataFrame]) -> None:
    """Change what the model sees, knowing the target."""
    for split in ("train", "valid", "test"):
        target = prepared(shop, split)["returned"] == "yes"

        def changed(rows: pd.DataFrame, target: pd.Series = target) -> pd.DataFrame:
            return change(rows, target)

        table(shop, f"data/features/{split}.parquet", changed)


def features_that_never_vary(shop: Shop) -> None:
    features(shop, lambda rows, _: rows[["price"]].assign(price=1.0))


def a_feature_that_knows_all(shop: Shop) -> None:
    features(shop, lambda rows, target: rows.assign(price=target * 1.0))


def turned_targets(shop: Shop) -> None:
    """Later rows mean the opposite."""

    def turn(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(returned=np.where(rows["returned"] == "yes", "no", "yes"))

    table(shop, "data/prepared/valid.parquet", turn)


def doubled_feature(shop: Shop) -> None:
    for split in ("train", "valid", "test"):
        name = f"data/features/{split}.parquet"
        table(shop, name, lambda rows: rows.assign(age=rows["price"] * 2))


def undeclared_setting(shop: Shop) -> None:
    shop.replace("dvc.yaml", "    - splitter\n    - prepare\n", "    - splitter\n")


# What is broken in one copy of the project, by its name, and the codes that are found.
BROKEN: dict[str, tuple[tuple[Callable[[Shop], None], ...], str]] = {
    "code": ((odd_blocks, notebook_with_output), "B003 N001"),
    "block": ((empty_block,), "B001"),
    "pipeline": (
        (wrong_pipeline, undeclared_setting, other_environment),
        "E001 E002 G001 P003 S004",
    ),
    "command": ((other_command, untracked), "P002 G001"),
    "yaml": ((no_yaml,), "P001"),
    "settings": ((wrong_settings,), "S001"),
    "rows": ((rows_in_two_splits, copied_rows, times_and_groups, featurize), "L001 L002 L003 L004"),
    "columns": ((leaking_columns, featurize), "L005 L006"),
    "shift": ((shifted_rows, featurize), "T001"),
    "constant": ((features_that_never_vary, evaluate), "R001"),
    "results": ((turned_targets, doubled_feature, evaluate), "R002 R013"),
    "too good": ((a_feature_that_knows_all, evaluate), "R005"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_each_rule_is_found(shop: Shop, what: str) -> None:
    breaks, codes = BROKEN[what]
    for one in breaks:
        one(shop)
    said = shop.crivo("check", "--json", status=None)
    findings: list[dict[str, Any]] = said.document["findings"]
    found = {one["code"] for one in findings}
    assert {*codes.split()} <= found, findings
    assert ("S004" in found) == ("S004" in codes), "a setting that S001 names is not said twice"
    grave = any(one["severity"] == "error" for one in findings)
    grave |= any(one["state"] != "holds" for one in said.document["limits"])
    assert said.status == int(grave)
    for one in findings:
        assert one["subject"]
        assert one["message"]


def test_a_sound_project_has_no_error(seen: Shop) -> None:
    seen.crivo("check")
    document = seen.crivo("check", "--all", "--json").document
    states = {one["code"]: one["state"] for one in document["checks"]}
    assert states["L001"] == states["S001"] == states["R002"] == "passed"
    assert states["L003"] == "not applicable"
    assert not [one for one in document["findings"] if one["severity"] == "error"]
