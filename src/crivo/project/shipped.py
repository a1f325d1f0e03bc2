"""The settings that a new project comes with; `crivo init` starts from them each time."""

from __future__ import annotations

from typing import Any

from crivo.core.params import ValueSettings

# Whatever an earlier table asked for is undone: its columns, costs and limits, its few trees, its
# bad rows. tests/crivo/project/test_shipped.py compares these with params.yaml.
SHIPPED: dict[str, Any] = {
    "baseline": "prior",
    "evaluator": "standard",
    "prepare.quarantine_limit": 0.05,
    "train.early_stopping_fraction": 0.1,
    "evaluate.split": "valid",
    "splitters.by_group.valid": 0.2,
    "splitters.by_group.test": 0.2,
    "splitters.by_group.seed": 0,
    "splitters.by_group.exact": False,
    "splitters.by_time_and_group.valid_from": 0.6,
    "splitters.by_time_and_group.test_from": 0.8,
    "splitters.by_time_and_group.valid": 0.25,
    "splitters.by_time_and_group.test": 0.25,
    "splitters.by_time_and_group.seed": 0,
    "splitters.at_random.valid": 0.2,
    "splitters.at_random.test": 0.2,
    "splitters.at_random.seed": 0,
    "splitters.at_random.exact": False,
    "splitters.at_random.copies_together": True,
    "featurizers.tabular.max_levels": 100,
    "featurizers.tabular.components": 20,
    "featurizers.tabular.keep_text": False,
    "models.boosting.learning_rate": 0.1,
    "models.boosting.max_iter": 200,
    "models.boosting.max_leaf_nodes": 31,
    "models.boosting.min_samples_leaf": 20,
    "models.boosting.l2_regularization": 0.0,
    "models.boosting.early_stopping": 0,
    "models.linear.text": "words",
    "models.linear.C": 1.0,
    "evaluators.standard.share": 0.1,
}
# What params.yaml says of the flights there, and a table of one's own doesn't have.
EMPTY: dict[str, Any] = {
    "evaluate.slices": [],
    "evaluate.value": ValueSettings().model_dump(),
    "limits": {},
    "evaluators.standard.primary": None,
    "evaluators.standard.metrics": [],
}
# Dates that cut another table mean nothing here.
BY_TIME = {"splitters.by_time.valid_from": 0.6, "splitters.by_time.test_from": 0.8}
