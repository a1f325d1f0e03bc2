"""`crivo try`: what it records, what it refuses, and what its exit status says."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pandas as pd

from tests.crivo.behaviour.shop import Shop


def test_the_document_has_the_interval_the_trial_s_number_and_its_cost(seen: Shop) -> None:
    document = seen.said("trees").document
    assert document["experiment"] == "trees"
    assert document["seconds"] > 0
    assert document["comparison"]["reference"] == "main"
    (trial,) = document["comparison"]["experiments"]
    assert trial["message"] == "Prices and ages interact"
    assert trial["changed"] == "model=boosting"
    assert trial["difference_low"] > 0
    assert (trial["trial"], document["comparison"]["trials"]) == (1, 1)
    assert trial["revision"] in seen.git("for-each-ref", "refs/exps")


def test_people_get_the_comparison_and_the_status_0_whatever_the_verdict(seen: Shop) -> None:
    said = seen.said("stiff")
    assert said.status == 0
    assert "stiff vs main is undecided: roc_auc" in said.out
    assert "corrected for multiple trials (trial 2 of 2)" in said.out


def test_a_trial_runs_only_the_stages_that_it_changes(seen: Shop) -> None:
    text = seen.said("stiff").text
    assert "Stage 'prepare' didn't change, skipping" in text
    assert "Running stage 'train'" in text


def test_changed_settings_of_the_workspace_are_a_trial_named_after_them(shop: Shop) -> None:
    shop.replace("params.yaml", "    C: 1.0", "    C: 0.45")
    document = shop.crivo("try", "--json", status=None).document
    assert document["experiment"] == "linear-C=0.45"
    assert shop.status() == " M params.yaml\n"


def test_a_result_that_is_known_is_not_made_again(shop: Shop) -> None:
    """Nor because of words that no stage reads."""
    before = shop.experiments()
    shop.write("README.md", "Our orders.\n")
    said = shop.crivo("try", "models.linear.C=0.5", status=None)
    assert "stiff" in said.text
    assert "Running stage" not in said.text
    assert "Nothing to try: main already has this" in shop.crivo("try", status=1).text
    assert shop.experiments() == before


def test_changed_code_is_a_trial_that_needs_a_hypothesis(shop: Shop) -> None:
    path = "src/blocks/models/linear.py"
    shop.write(path, shop.read(path) + "\nONE = 1\n")
    assert "-m" in shop.crivo("try", status=1).text
    said = shop.crivo("try", "-m", "A constant more does nothing", "--json", status=None)
    assert said.document["outcome"] == "identical"
    assert said.document["experiment"] == "linear-code=linear"
    assert "linear" in said.document["comparison"]["experiments"][0]["changed"]
    assert shop.status() == " M src/blocks/models/linear.py\n"


def test_changed_data_are_a_trial_whose_record_is_the_workspace_s(shop: Shop) -> None:
    path = next((shop.folder / "data/raw/table").iterdir())
    rows = pd.read_csv(path).assign(price=lambda table: table["price"].clip(-1, 1))
    path.unlink()
    rows.to_csv(path, index=False)
    shop.dvc("add", "--quiet", "data/raw/table")
    said = shop.crivo("try", "--message", "Outliers mislead", "--name", "clipped", status=None)
    assert said.status in (0, 1, 2), said.text
    assert "clipped" in shop.experiments()


def test_a_trial_that_fails_is_told_from_one_that_is_refused(shop: Shop) -> None:
    shop.write("src/blocks/models/broken.py", BROKEN)
    shop.replace("params.yaml", "  prior: {}", "  prior: {}\n  broken: {}")
    shop.git("add", "--all")
    before = shop.experiments()
    said = shop.crivo("try", "model=broken", "--json", status=3)
    assert said.document["outcome"] == "failed"
    assert "It can't be fitted" in said.document["error"] + said.err
    assert shop.experiments() == before
    shop.replace("dvc.yaml", "    cmd: python src/train.py", "")
    broken = shop.crivo("try", "models.linear.C=2", "--json", status=3).document["error"]
    assert "DVC can't read the project: './dvc.yaml' validation failed; required key" in broken


BROKEN = '''"""A model that can't be fitted."""

from crivo.core.blocks import Model, block
from crivo.core.errors import CrivoError
from crivo.core.tasks import Task


@block
class Broken(Model):
    """Refuses every fit."""

    def build(self, task: Task, seed: int) -> object:
        raise CrivoError("It can't be fitted; take another.")
'''


def test_a_trial_on_other_rows_is_recorded_and_refused(shop: Shop) -> None:
    said = shop.crivo("try", "splitters.at_random.valid=0.3", "--name", "rows", "--json", status=3)
    assert (said.document["outcome"], said.document["experiment"]) == ("refused", "rows")
    assert said.document["comparison"]["refused"][0]["name"] == "rows"
    assert "rows" in shop.experiments()


def test_a_name_that_is_taken_is_not_given_twice_nor_to_two_that_try_at_once(shop: Shop) -> None:
    def tried(value: str) -> tuple[str, str]:
        change = f"models.linear.C={value}"
        said = shop.crivo("try", change, "--name", "stiff", "--json", status=None)
        (trial,) = said.document["comparison"]["experiments"]
        assert f"so this one is {said.document['experiment']}." in said.text
        return said.document["experiment"], trial["changed"]

    with ThreadPoolExecutor(2) as pool:
        found = dict(pool.map(tried, ("0.6", "0.65")))
    assert len(found) == 2
    assert all(name.startswith("stiff-") for name in found)
    assert set(found.values()) == {"C=0.6", "C=0.65"}
    for name, change in found.items():
        (ref,) = shop.git("for-each-ref", "--format=%(refname)", f"refs/exps/*/*/{name}").split()
        assert f"    {change.replace('=', ': ')}\n" in shop.git("show", f"{ref}:params.yaml")


def test_an_experiment_of_dvc_is_compared_in_the_same_way(shop: Shop) -> None:
    change = "models.linear.C=0.55"
    shop.dvc("exp", "run", "--quiet", "--temp", "--name", "by-dvc", "-S", change)
    line = shop.crivo("compare", "by-dvc").out.splitlines()[0]
    assert line.startswith("by-dvc vs main is undecided")
    assert line.endswith("corrected for multiple trials (trial 6 of 6)")
