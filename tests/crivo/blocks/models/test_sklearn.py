"""Any estimator by its dotted name; what can't work is refused in a sentence."""

import numpy as np
import pytest

from crivo.core.errors import CrivoError
from crivo.core.problems import Problems
from crivo.core.registry import make_block
from crivo.modelfile.canonical import dump_model, parse_model

from .tasks import INPUTS, LATER, TARGETS, fitted, skill


@pytest.mark.parametrize(
    ("stem", "settings"),
    [
        ("sklearn.ensemble.ExtraTrees", {"n_estimators": 5}),
        ("sklearn.gaussian_process.GaussianProcess", {}),
        ("sklearn.neural_network.MLP", {"max_iter": 60}),
    ],
)
@pytest.mark.parametrize(("target", "ending"), [("text", "Classifier"), ("quantity", "Regressor")])
@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_an_estimator_learns_and_is_the_same_when_stored(
    stem: str, settings: dict[str, int], target: str, ending: str
) -> None:
    model = fitted("sklearn", target, estimator=stem + ending, settings=settings)
    assert skill(model, target) > 0.75
    stored = parse_model(dump_model(model))
    np.testing.assert_array_equal(stored.predict(LATER), model.predict(LATER))


def test_settings_go_to_the_estimator_and_the_seed_where_none_is_given() -> None:
    def build(**settings: object) -> dict[str, object]:
        block = make_block("model", "sklearn", {"settings": settings})
        return block.build("binary", 7)[-1].get_params()

    assert build(max_depth=2)["max_depth"] == 2
    assert build()["random_state"] == 7
    assert build(random_state=None)["random_state"] == 7
    assert build(random_state=1)["random_state"] == 1


def test_another_estimator_leaves_settings_below_a_name_alone() -> None:
    """So `-S models.sklearn.estimator=…` is enough to swap it."""
    settings = {
        "DecisionTreeClassifier": {"max_depth": 8},
        "ExtraTreeClassifier": {"max_depth": 3},
        "SVC": {"C": 10.0},
        "LinearSVC": None,
    }

    def built(name: str) -> dict[str, object]:
        block = make_block("model", "sklearn", {"estimator": name, "settings": settings})
        return block.build("binary", 7)[-1].get_params()

    assert built("sklearn.tree.DecisionTreeClassifier")["max_depth"] == 8
    assert built("sklearn.svm.SVC")["C"] == 10.0
    assert built("sklearn.svm.LinearSVC")["C"] == 1.0
    assert built("sklearn.ensemble.ExtraTreesClassifier")["max_depth"] is None


def test_inputs_come_as_they_are_when_the_encoding_is_off() -> None:
    name = "sklearn.ensemble.HistGradientBoostingClassifier"
    settings = {"categorical_features": "from_dtype", "max_iter": 20}
    model = fitted("sklearn", "text", estimator=name, settings=settings, encode=False)
    assert model.feature_names_in_.tolist() == list(INPUTS)
    assert skill(model, "text") > 0.9


def test_a_fit_on_several_cores_predicts_on_one() -> None:
    name = "sklearn.ensemble.RandomForestClassifier"
    model = fitted("sklearn", "text", estimator=name, settings={"n_jobs": 2, "n_estimators": 3})
    assert model[-1].n_jobs is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"estimator": "os.system"}, r"estimator: .* package that `packages` lists \(sklearn\)"),
        ({"estimator": "SVC"}, "must be a dotted name"),
        ({"estimator": "sklearn.svm.SVC", "packages": []}, r"lists \(none\)"),
        ({"estimater": "sklearn.svm.SVC"}, "did you mean `estimator`"),
    ],
)
def test_a_name_that_is_not_allowed_is_refused_before_anything_is_imported(
    settings: dict[str, object], message: str
) -> None:
    with pytest.raises(Problems, match=message):
        make_block("model", "sklearn", settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"estimator": "sklearn.svm.SVCC"}, "did you mean `SVC`"),
        (
            {"estimator": "xgb_like.Model", "packages": ["sklearn", "xgb_like"]},
            "which can't be imported .*xgb_like.*install the package",
        ),
        ({"estimator": "sklearn.decomposition.PCA"}, "which isn't an estimator with fit and pred"),
        ({"estimator": "sklearn.svm.SVR"}, "the task is binary and .*SVR isn't a classifier"),
        ({"settings": {"max_dept": 3}}, "no such setting; did you mean `max_depth`"),
        (
            {"settings": {"DecisionTreeClasifier": {"max_depth": 3}}},
            "settings.DecisionTreeClasifier: .*did you mean `DecisionTreeClassifier`",
        ),
        (
            {"estimator": "sklearn.svm.SVC", "settings": {"max_depth": 3}},
            "settings.max_depth: .*SVC has no such setting.* belong below its class's name",
        ),
        ({"settings": {"max_depth": "deep"}}, "refused its settings .*max_depth"),
    ],
)
def test_an_unusable_estimator_says_why(settings: dict[str, object], message: str) -> None:
    block = make_block("model", "sklearn", settings)
    with pytest.raises(CrivoError, match=message):
        block.fit(block.build("binary", 3), INPUTS, TARGETS["text"][1], None)


def test_an_estimator_that_takes_no_sparse_words_says_what_to_do() -> None:
    rows = INPUTS.assign(text=[f"word{i % 40}" for i in range(len(INPUTS))])
    block = make_block("model", "sklearn", {"estimator": "sklearn.naive_bayes.GaussianNB"})
    with pytest.raises(CrivoError, match="featurizers.tabular.keep_text=false, text becomes"):
        block.fit(block.build("binary", 3), rows[["text"]], TARGETS["text"][1], None)
