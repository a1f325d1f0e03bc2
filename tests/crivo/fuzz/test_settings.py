"""Any `params.yaml` is taken or refused in a sentence that names the setting."""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from crivo.core.params import read_yaml
from tests.crivo.fuzz.commands import Outcome, cases, pipeline, validate
from tests.crivo.fuzz.values import damaged, scalars, texts

Key = tuple[str, ...]


anything = st.recursive(
    scalars | st.dates() | st.datetimes(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


def keys(values: Any, above: Key = ()) -> list[Key]:
    """Return the path of every setting and every section."""
    if not isinstance(values, dict):
        return [above]
    inner = [key for name, value in values.items() for key in keys(value, (*above, name))]
    return [above, *inner] if above else inner


def exchanged(values: Any, key: Key, value: Any) -> Any:
    """Return the settings with another value at a path."""
    first, *rest = key
    inner = exchanged(values.get(first), tuple(rest), value) if rest else value
    return (values if isinstance(values, dict) else {}) | {first: inner}


def as_yaml(values: Any) -> bytes:
    file = io.BytesIO()
    YAML(typ="safe").dump(values, file)
    return file.getvalue()


def tried(project: Path, data: bytes, run: Any) -> Outcome:
    """Run something with other settings, and put the settings back."""
    path = project / "params.yaml"
    before = path.read_bytes()
    try:
        path.write_bytes(data)
        outcome: Outcome = run(project)
    finally:
        path.write_bytes(before)
    return outcome


@given(data=st.data(), value=anything)
@cases(35)
def test_another_value_of_any_setting_is_taken_or_refused_in_a_sentence(
    project: Path, data: st.DataObject, value: Any
) -> None:
    values = read_yaml(project / "params.yaml")
    key = data.draw(st.sampled_from(keys(values)))
    changed = exchanged(values, key, value)
    outcome = tried(project, as_yaml(changed), validate)
    if not outcome.accepted:
        assert key[0] in outcome.sentence


@given(data=st.data(), name=texts, value=anything)
@cases(15)
def test_an_unknown_setting_is_refused_in_a_sentence(
    project: Path, data: st.DataObject, name: str, value: Any
) -> None:
    values = read_yaml(project / "params.yaml")
    section = data.draw(st.sampled_from([(), *keys(values)]))
    tried(project, as_yaml(exchanged(values, (*section, name), value)), validate)


@given(data=st.data())
@cases(15)
def test_a_damaged_file_of_settings_is_refused_in_a_sentence(
    project: Path, data: st.DataObject
) -> None:
    text = (project / "params.yaml").read_bytes()
    tried(project, data.draw(damaged(text) | st.binary(max_size=30)), validate)


shares = st.floats(0, 1) | st.sampled_from([0.01, 0.5, 0.99, 1e-300])
counts = st.integers(1, 60)
factors = st.floats(0, allow_infinity=False) | st.sampled_from([0.0, 1e-300, 1e300, 0.5])
columns = st.none() | st.sampled_from(
    ["id", "date", "shop", "amount", "pieces", "kind", "member", "ordered", "remark", "target"]
)
several = st.lists(columns.filter(bool), max_size=3)
seeds = st.integers(0, 9) | st.sampled_from([2**31, 2**32 - 1, 2**32, 2**63, 2**64, 10**30])

# Settings that are right by their type; whether they suit the table is another question.
PLAUSIBLE: dict[str, st.SearchStrategy[Any]] = {
    "seed": seeds,
    "splitter": st.sampled_from(["by_time", "by_group", "at_random"]),
    "featurizer": st.sampled_from(["tabular", "flights"]),
    "model": st.sampled_from(["boosting", "forest", "linear", "prior", "sklearn"]),
    "baseline": st.sampled_from(["prior", "linear", "sklearn"]),
    "prepare.quarantine_limit": shares,
    "train.early_stopping_fraction": st.floats(0, 0.5),
    "evaluate.split": st.sampled_from(["valid", "test"]),
    "evaluate.cluster": columns,
    "evaluate.block": counts | st.sampled_from([2**31, 10**30]),
    "evaluate.slices": several,
    "evaluate.value.capacity": st.none() | shares,
    "evaluate.value.true_positive": st.floats(allow_nan=False, allow_infinity=False),
    "evaluate.value.false_positive": st.floats(allow_nan=False, allow_infinity=False),
    "compare.planned_trials": st.none() | counts,
    "compare.planned_looks": st.none() | counts,
    "splitters.by_time.valid_from": shares | st.dates().map(str),
    "splitters.by_time.test_from": shares | st.dates().map(str),
    "splitters.by_group.valid": shares,
    "splitters.by_group.seed": seeds,
    "splitters.at_random.test": shares,
    "splitters.at_random.seed": seeds,
    "splitters.at_random.exact": st.booleans(),
    "featurizers.tabular.max_levels": counts,
    "featurizers.tabular.components": counts,
    "models.boosting.learning_rate": factors,
    "models.boosting.max_leaf_nodes": counts,
    "models.boosting.min_samples_leaf": counts | st.sampled_from([2**31, 2**63, 10**30]),
    "models.boosting.l2_regularization": factors,
    "models.boosting.early_stopping": st.integers(0, 9),
    "models.forest.max_features": shares,
    "models.forest.max_samples": shares,
    "models.linear.C": factors,
    "models.sklearn.estimator": st.sampled_from(
        [
            "sklearn.tree.DecisionTreeClassifier", "sklearn.tree.DecisionTreeRegressor",
            "sklearn.naive_bayes.GaussianNB", "sklearn.svm.LinearSVC", "sklearn.svm.Nothing",
            "sklearn.cluster.KMeans", "sklearn.preprocessing.StandardScaler", "os.system",
            "sklearn.neighbors.KNeighborsClassifier", "sklearn.linear_model.Ridge", "sklearn",
            "sklearn.linear_model.LogisticRegression", "😀", "sklearn.utils.shuffle",
        ]
    ),
    "models.sklearn.settings": st.dictionaries(
        st.sampled_from(["max_depth", "C", "n_neighbors", "x"]), scalars, max_size=1
    ),
    "models.sklearn.encode": st.booleans(),
    "evaluators.standard.primary": st.none() | st.sampled_from(["brier", "rmse", "f1", "roc_auc"]),
    "evaluators.standard.share": shares,
    "evaluators.standard.margin": factors,
    "datasets.table.task": st.sampled_from(["binary", "multiclass", "regression"]),
    "datasets.table.target": columns,
    "datasets.table.positive": scalars,
    "datasets.table.time": columns,
    "datasets.table.group": columns,
    "datasets.table.weight": columns,
    "datasets.table.id": several,
    "datasets.table.drop": several,
    "datasets.table.outcome": several,
    "datasets.table.missing": st.lists(texts, max_size=2),
    "datasets.table.min_class_rows": counts,
    "datasets.table.delimiter": texts,
    "datasets.table.encoding": texts | st.sampled_from(["utf-16", "ascii", "rot13", "idna"]),
    "datasets.table.files": texts | st.sampled_from(["*.csv", "**/*", "../*", "/", "."]),
    "datasets.table.decimal": st.sampled_from([".", ","]),
    "datasets.table.header": st.booleans(),
    "datasets.table.types": st.dictionaries(
        columns.filter(bool),
        st.sampled_from(["number", "category", "boolean", "date", "text"]),
        max_size=2,
    ),
}  # fmt: skip

changes = st.lists(st.sampled_from(sorted(PLAUSIBLE)), min_size=1, max_size=3, unique=True).flatmap(
    lambda names: st.fixed_dictionaries({name: PLAUSIBLE[name] for name in names})
)


@given(changes=changes)
@cases(2)
def test_settings_of_the_right_type_run_or_are_refused_in_a_sentence(
    project: Path, changes: dict[str, Any]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        shutil.copytree(project, copy)
        values = read_yaml(copy / "params.yaml")
        for name, value in changes.items():
            values = exchanged(values, tuple(name.split(".")), value)
        (copy / "params.yaml").write_bytes(as_yaml(values))
        pipeline(copy)
