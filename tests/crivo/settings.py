"""The settings of a made-up project, a shop's orders, with comments as a team's file has them."""

SETTINGS = """\
# Every setting of the project.

seed: 13

dataset: table
splitter: by_time
featurizer: tabular
model: boosting
# What the model must beat.
baseline: prior
evaluator: standard

prepare:
  # The run stops when a larger share of the raw rows can't be used.
  quarantine_limit: 0.05

train:
  early_stopping_fraction: 0.1

evaluate:
  split: valid
  # Orders of one day belong together.
  cluster: day
  block: 5
  # Columns to break the metrics down by.
  slices:
  - country
  - weekday
  value:
    # One order in ten can be looked at.
    capacity: 0.1
    true_positive: 45
    false_positive: -15
    false_negative: 0
    true_negative: 0

# What must hold of a result: `crivo gate` says whether it does.
limits:
  roc_auc_low:
    at_least: 0.6
  model_mb:
    at_most: 50

datasets:
  # Your own file: `crivo init FILE --target COLUMN` writes these lines.
  table:
    target: returned
    task: binary
    positive: yes
    # Columns that name the row; without one, a hash of its content does.
    id: []
    time: day
    group:
    weight:
    # Known only afterwards; for people to read; left out.
    outcome: []
    info: []
    drop: []
    # Cells that mean missing, beside the usual ones.
    missing:
    - '?'
    min_class_rows: 1

splitters:
  by_time:
    valid_from: '2013-09-01'
    test_from: '2013-11-01'
  by_group:
    valid: 0.2
    test: 0.2
    seed: 0
  at_random:
    valid: 0.2
    test: 0.2
    seed: 0
    exact: false

featurizers:
  tabular:
    max_levels: 100
    components: 20

models:
  boosting:
    learning_rate: 0.1
    max_iter: 5
    max_leaf_nodes: 31
    min_samples_leaf: 20
    l2_regularization: 0.0
    early_stopping: 0
  forest:
    trees: 3
    min_samples_leaf: 20
    max_features: 0.3
    max_samples: 0.5
  linear:
    C: 1.0
    max_iter: 200
  prior: {}
  # Any estimator of the packages that are listed.
  sklearn:
    packages:
    - sklearn
    estimator: sklearn.tree.DecisionTreeClassifier
    settings:
      max_depth: 8
    encode: true
  lightgbm:
    learning_rate: 0.1
    n_estimators: 200
    num_leaves: 31
    min_child_samples: 20
    reg_lambda: 0.0
    colsample_bytree: 1.0
    early_stopping: 0
  xgboost:
    learning_rate: 0.1
    n_estimators: 200
    max_depth: 6
    min_child_weight: 1.0
    reg_lambda: 1.0
    colsample_bytree: 1.0
    early_stopping: 0

evaluators:
  standard:
    primary: roc_auc
    # The share of rows that can be worked on.
    share: 0.1
"""
