"""Looking up each category once changes no prediction of a histogram gradient boosting."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder

from crivo.evaluation.encoding import encoding_once

SIZE = 200
RANDOM = np.random.default_rng(0)
CITY = pd.Series(RANDOM.choice(["Ulm", "Köln", "Bonn", None], SIZE), dtype="str")
X = pd.DataFrame(
    {
        "share": np.where(RANDOM.random(SIZE) < 0.1, np.nan, RANDOM.random(SIZE)),
        "city": CITY.astype("category"),
        "count": RANDOM.integers(0, 9, SIZE),
        "old": RANDOM.random(SIZE) < 0.5,
        "size": pd.array(RANDOM.integers(0, 3, SIZE), dtype="Int64"),
        "kind": pd.Categorical(RANDOM.choice(["b", "a"], SIZE), categories=["b", "a", "c"]),
    }
)
X.loc[::9, "size"] = pd.NA
Y = (CITY == "Ulm").to_numpy() + X["share"].fillna(2) + (X["kind"] == "a") * X["count"]
MODELS = {
    "numbers": HistGradientBoostingRegressor(max_iter=9, min_samples_leaf=5).fit(X, Y),
    "classes": HistGradientBoostingClassifier(max_iter=9, min_samples_leaf=5).fit(X, Y.mean() < Y),
}


def answers(model: Any, rows: pd.DataFrame) -> np.ndarray:
    return np.asarray((getattr(model, "predict_proba", None) or model.predict)(rows))


ROWS = {
    "those it was fitted on": X,
    "one row": X.iloc[:1],
    "columns in another order": X[X.columns[::-1]],
    "one more column": X.assign(more=1),
    "categories in another order": X.assign(
        city=X["city"].cat.reorder_categories(["Ulm", "Bonn", "Köln"])
    ),
    "a category that it never saw": X.assign(city=pd.Categorical(["Rom", "Ulm"] * (SIZE // 2))),
    "no category at all": X.assign(city=pd.Categorical([None] * SIZE, categories=["Ulm", "Bonn"])),
    "other numbers": X.assign(share=X["share"].astype("float32"), count=X["count"].astype(float)),
    "texts without categories": X.assign(city=X["city"].astype(object)),
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_predictions_are_the_same(model: Any, rows: pd.DataFrame) -> None:
    faster = encoding_once(model)
    assert faster is not model
    np.testing.assert_array_equal(answers(faster, rows), answers(model, rows))


def test_scikit_learn_looks_up_no_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = answers(MODELS["classes"], X)
    monkeypatch.setattr(OrdinalEncoder, "transform", None)
    np.testing.assert_array_equal(answers(encoding_once(MODELS["classes"]), X), expected)


def test_a_column_that_is_missing_is_refused_as_before() -> None:
    for model in (MODELS["numbers"], encoding_once(MODELS["numbers"])):
        with pytest.raises(ValueError, match="columns are missing: .*count"):
            model.predict(X.drop(columns="count"))


@pytest.mark.parametrize("name", MODELS)
def test_the_model_itself_stays_as_it_is(name: str) -> None:
    before = dict(vars(MODELS[name]))
    encoding_once(MODELS[name])
    assert vars(MODELS[name]) == before


def test_categories_that_are_numbers_are_left_to_scikit_learn() -> None:
    rows = X.assign(kind=X["kind"].cat.codes.astype("category"))
    model = HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=5).fit(rows, Y)
    asked = rows.assign(kind=rows["kind"].cat.rename_categories(float))
    np.testing.assert_array_equal(encoding_once(model).predict(asked), model.predict(asked))


class OwnEncoding(HistGradientBoostingRegressor):
    """A model that does something else with its rows."""

    def _preprocess_X(self, X: pd.DataFrame, *, reset: bool) -> Any:
        return super()._preprocess_X(X.assign(count=0), reset=reset)


@pytest.mark.parametrize(
    "model",
    [
        OwnEncoding(max_iter=3).fit(X, Y),
        HistGradientBoostingRegressor(max_iter=3).fit(X[["share", "count"]], Y),
        HistGradientBoostingRegressor(max_iter=3, categorical_features=[1]).fit(
            X[["share", "count"]].to_numpy(), Y
        ),
        make_pipeline(OrdinalEncoder(), HistGradientBoostingRegressor(max_iter=3)).fit(X, Y),
        FunctionTransformer(),
    ],
    ids=["derived class", "no categories", "no names", "other encoder", "no model"],
)
def test_other_estimators_are_returned_as_they_are(model: Any) -> None:
    assert encoding_once(model) is model
