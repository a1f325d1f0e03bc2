"""The settings of a made-up project, a shop's orders: the project's own, but of small models."""

from pathlib import Path

from crivo.project.flights import params_without_flights
from crivo.project.params_file import edited_params

# No settings but the standard ones.
SMALL = """{seed: 1, dataset: table, splitter: by_time, featurizer: tabular, model: boosting,
  baseline: prior, evaluator: standard, prepare: {}, train: {}, evaluate: {},
  datasets: {table: {target: target}}, splitters: {by_time: {}}, featurizers: {tabular: {}},
  models: {boosting: {}, forest: {}, prior: {}}, evaluators: {standard: {}}}
"""
CHANGED = {
    "dataset": "table",
    "featurizer": "tabular",
    "evaluate.cluster": "day",
    "evaluate.slices": ["country", "weekday"],
    "limits": {"roc_auc_low": {"at_least": 0.6}, "model_mb": {"at_most": 50}},
    "datasets.table.target": "returned",
    "datasets.table.task": "binary",
    "datasets.table.positive": "yes",
    "datasets.table.time": "day",
    "models.boosting.max_iter": 5,
    "models.forest.trees": 3,
}
SETTINGS = params_without_flights(edited_params(Path(__file__).parents[2] / "params.yaml", CHANGED))
