"""The checks of a model's quality, on tables with one fault and on tables without."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.crivo.schemas import few_columns
from tests.crivo.settings import SETTINGS

from crivo.checks import review as checks
from crivo.core import artifacts
from crivo.evaluation.predicting import Predicting

# All reasons and findings of these tests; the numbers of fits differ.
SAID = Path(__file__).with_name("quality.txt").read_text(encoding="utf-8").splitlines()
COUNT = 600
SCHEMA = few_columns(False, True, x="feature")


class Made:
    """A project with prepared rows, features and a result, as far as a test makes them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.settings: dict[str, Any] = yaml.safe_load(SETTINGS) | {"evaluate": {}}
        rng = np.random.default_rng(1)
        self.features = {
            split: pd.DataFrame(rng.normal(size=(COUNT, 3)), columns=["a", "b", "c"])
            for split in ("train", "valid")
        }
        self.chance = {split: rng.random(COUNT) for split in self.features}
        self.target = {
            split: self.chance[split] < 1 / (1 + np.exp(-2 * table["a"]))
            for split, table in self.features.items()
        }
        self.about: dict[str, Any] = {}
        self.metrics = {"roc_auc": 0.75, "baseline_roc_auc": 0.5, "log_loss": 0.5}
        self.metrics["baseline_log_loss"] = 0.7
        self.score = 1 / (1 + np.exp(-2 * self.features["valid"]["a"]))

    def ran_with(self, model: str) -> None:
        settings = {"params.yaml": {"model": model}, "more.yaml": {"depth": 3}}
        stages = {"train": {"params": settings}}
        artifacts.write_text(self.root / "dvc.lock", yaml.safe_dump({"stages": stages}))

    def rows(self, split: str) -> pd.DataFrame:
        keys = [f"{split}{i}" for i in range(len(self.target[split]))]
        return pd.DataFrame({"key": keys, "y": self.target[split].to_numpy()})

    def importances(self, **columns: Any) -> None:
        place = self.root / artifacts.EVALUATION / "plots/importance.csv"
        artifacts.write_csv(place, pd.DataFrame(columns))

    def outcomes(self, code: str) -> tuple[str, list[str]]:
        """Write all files, and return the state of a check with what it found."""
        root, folder = self.root, self.root / artifacts.EVALUATION
        artifacts.write_text(root / "params.yaml", yaml.safe_dump(self.settings))
        artifacts.write_json(root / artifacts.SCHEMA, SCHEMA.to_json())
        for split, table in self.features.items():
            artifacts.write_table(root / artifacts.prepared(split), self.rows(split))
            artifacts.write_table(root / artifacts.features(split), table)
        scores = np.column_stack([1 - self.score, self.score])
        made = Predicting(SCHEMA).of(self.rows("valid"), np.asarray(self.score > 0.5), scores)
        artifacts.write_table(folder / "predictions.parquet", made)
        about = {"split": "valid", "task": "binary", "primary": "roc_auc"}
        artifacts.write_json(folder / "evaluation.json", about | self.about)
        artifacts.write_json(folder / "metrics.json", self.metrics)
        found = checks.review(root, [code])
        (one,) = found.checks
        texts = [f"{code}: {one.reason}"] if one.reason else []
        texts += [f"{each.code} {each.subject}: {each.message}" for each in found.findings]
        for text in texts:
            assert re.sub(r"0\.\d{2,}|/.*/(?=metrics/)", "#", text) in SAID
        return one.state, [finding.message for finding in found.findings]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Give a project whose model knows the truth, so that nothing is wrong with it."""
    return Made(tmp_path)


@pytest.mark.parametrize("primary", ["roc_auc", "log_loss"])
def test_a_model_that_is_worse_than_a_simple_one_is_reported(made: Made, primary: str) -> None:
    made.about["primary"] = primary
    made.score = made.score * 0.2 + 0.8 * made.chance["train"]
    made.ran_with("boosting")
    state, messages = made.outcomes("R010")
    assert (state, len(messages)) == ("found", 1)


def test_a_model_that_knows_what_no_sum_can_is_not_reported(made: Made) -> None:
    for split, table in made.features.items():
        sums = 4 * np.sign(table["a"] * table["b"]) + table["c"]
        made.target[split] = made.chance[split] < 1 / (1 + np.exp(-sums))
        if split == "valid":
            made.score = 1 / (1 + np.exp(-sums))
    made.metrics["roc_auc"] = 0.97
    assert made.outcomes("R010") == ("passed", [])


@pytest.mark.parametrize(
    ("names", "idle", "margin", "told"),
    [
        ("a b c", [False, True, True], 0.01, r"2 of 3 add almost nothing .*\(b, c\): fitted again"),
        ("a b c", [False, True, True], 0, "2 of 3 add .* and a loss of 0.00500 doesn't matter"),
        ("a x.1 x.2", [False, True, True], 0.01, r"1 of 2 add .* \(x\): .* a loss of 0.0100 "),
        ("a x.1 x.2", [False, False, True], 0.01, None),  # its part
        ("a b c", [False, True, True], 1e-9, None),  # not within the margin
        ("a b c", [True, True, False], 0.01, None),  # a fit refutes it
        ("a b c", [False, False, False], 0.01, None),  # none is idle
    ],
)
def test_features_add_nothing_when_a_fit_without_them_loses_less_than_the_margin(
    made: Made, names: str, idle: list[bool], margin: float, told: str | None
) -> None:
    """The target follows from `a`; what shuffling says of it is refuted where `a` is left out.

    Only whole columns are named: of a column's features, no single one can be left out.
    """
    for table in made.features.values():
        table.columns = names.split()
    made.settings |= {"model": "linear", "models": {"linear": {}, "prior": {}}}
    made.settings |= {"evaluator": "standard", "evaluators": {"standard": {"margin": margin}}}
    valid = made.features["valid"]
    made.score = 1 / (1 + np.exp(-2 * valid["a"] - valid.iloc[:, 1] / 9))
    made.importances(feature=names.split(), loss_increase=[0.3, 0.0, 0.0], idle=idle)
    state, messages = made.outcomes("R012")
    assert state == ("found" if told else "passed")
    assert [bool(re.match(told or "", one)) for one in messages] == [True] * bool(told)


def test_columns_in_the_same_order_are_copies(made: Made) -> None:
    train = made.features["train"]
    assert made.outcomes("R013") == ("passed", [])
    train["celsius"] = np.exp(-train["b"])
    train["two"] = train["values"] = (train["b"] > 0).astype(int)
    _, messages = made.outcomes("R013")
    assert [message.split(" carry")[0] for message in messages] == ["b and celsius"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda made: made.features.update(train=made.features["train"][5:]), "R010"),
        (lambda made: made.about.update(split="test"), "R013"),
        (lambda made: made.settings.update(model="prior"), "R013"),
        (lambda made: made.settings.update(model="linear"), "R010"),
        (lambda made: made.ran_with("linear"), "R010"),
        (lambda made: made.settings.update(sede=1), "R013"),
        (
            lambda made: [d.update(train=d["train"][:49]) for d in (made.features, made.target)],
            "R013",
        ),
        (lambda made: None, "R012"),
        (lambda made: made.about.update(primary="profit"), "R010"),
        (lambda made: made.about.update(primary="calibration_in_the_large"), "R010"),
        (lambda made: made.target.update(train=made.target["train"] | True), "R010"),
        (lambda made: made.about.update(n_rows=199), "R012"),
        (lambda made: made.importances(feature=[made.about.update(n_rows=200)]), "R012"),
    ],
)
def test_a_check_says_that_it_does_not_apply(
    made: Made, change: Callable[[Made], None], code: str
) -> None:
    change(made)
    assert made.outcomes(code) == ("not applicable", [])
