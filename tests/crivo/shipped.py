"""The blocks that crivo ships; a project has others besides."""

SHIPPED = {
    "datasets": {"flights", "table"},
    "splitters": {"by_time", "by_group", "by_time_and_group", "at_random"},
    "featurizers": {"flights", "tabular"},
    "models": {"boosting", "forest", "linear", "prior", "sklearn", "lightgbm", "xgboost"},
    "evaluators": {"standard"},
}
