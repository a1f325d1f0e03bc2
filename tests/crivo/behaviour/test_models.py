"""Models, new ones too: text, tables out of memory, and results that are too certain."""

import numpy as np

from tests.crivo.behaviour.shop import ROWS, Shop, orders


def test_text_stays_text_for_models_that_weigh_words_and_is_refused_by_others(shop: Shop) -> None:
    rng = np.random.default_rng(0)
    returned = orders()["returned"] == "yes"
    good, bad = ["fine", "good", "great", "lovely"], ["broken", "late", "small", "torn"]
    other = ["the", "parcel", "box", "green", "blue", "we", "it", "was"]
    remarks = [
        " ".join([*rng.choice(bad if one else good, 3), *rng.choice(other, 9)]) for one in returned
    ]
    table = orders()[["order", "returned"]].assign(remark=remarks)
    table.to_csv(shop.folder.parent / "remarks.csv", index=False)
    given = ("../remarks.csv", "--target", "returned", "--id", "order", "--force")
    shop.forget_target()
    said = shop.crivo("init", *given)
    assert "featurizers.tabular.keep_text: true" in said.text
    assert "model: linear" in shop.read("params.yaml")
    shop.commit("Take remarks")
    shop.dvc("repro", "--quiet")
    shop.replace("params.yaml", "model: linear", "model: boosting")
    assert "text" in shop.dvc("repro", fails=True)


def test_any_estimator_is_a_trial_and_one_that_memorised_its_rows_is_reported(shop: Shop) -> None:
    nearest = "models.sklearn.estimator=sklearn.neighbors.KNeighborsClassifier"
    one = "+models.sklearn.settings.KNeighborsClassifier.n_neighbors=1"
    change = ("model=sklearn", nearest, one, "datasets.table.drop=[age]")
    said = shop.crivo("try", *change, "--name", "near", "--json", status=None).document
    assert "drop" in said["comparison"]["experiments"][0]["changed"]
    shop.dvc("exp", "apply", "near")
    codes = {one["code"] for one in shop.crivo("check", "--json").document["findings"]}
    assert "R003" in codes


def test_copies_of_a_row_stay_in_one_split(shop: Shop) -> None:
    table = orders().drop(columns="order")
    twice = table.loc[np.arange(ROWS).repeat(2)].iloc[: ROWS + 60]
    twice.to_csv(shop.folder.parent / "twice.csv", index=False)
    shop.forget_target()
    shop.crivo("init", "../twice.csv", "--target", "returned", "--force")
    shop.commit("Take rows twice")
    shop.dvc("repro", "--quiet", "prepare", "featurize")
    findings = shop.crivo("check", "--only", "L", "--json").document["findings"]
    assert not {"L001", "L002"} & {one["code"] for one in findings}


def test_a_new_model_works_as_it_is_written(shop: Shop) -> None:
    shop.crivo("new", "model", "mine")
    shop.git("add", "--all")
    document = shop.crivo("try", "model=mine", "--json", status=None).document
    assert document["outcome"] in ("better", "worse", "undecided", "equivalent", "identical")
    assert document["comparison"]["experiments"][0]["changed"].startswith("model=mine")
