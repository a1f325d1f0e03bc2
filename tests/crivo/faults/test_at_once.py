"""Two trials with one name at once: both are kept, and each command shows its own."""

import json
import shutil
from pathlib import Path

import pytest

from tests.crivo.experiments.toy import made_toy
from tests.crivo.faults.killing import start


def test_two_trials_of_one_name_are_both_kept_and_each_shows_its_own(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = shutil.copytree(made_toy(tmp_path_factory).folder, tmp_path / "toy", symlinks=True)
    rates = (0.3, 0.4)
    options = ("--name", "same", "--json", "--quiet")
    both = [
        start(["crivo", "try", f"models.boosting.learning_rate={rate}", *options], folder, tmp_path)
        for rate in rates
    ]
    ends = [one.communicate(timeout=240)[0] for one in both]
    found = [json.JSONDecoder().raw_decode(words[words.index("{") :])[0] for words in ends]
    assert {one["experiment"] for one in found} == {"same", "same-2"}
    assert [one["changed"] for one in found] == [f"learning_rate={rate}" for rate in rates]
