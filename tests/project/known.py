"""What the contracts of blocks must know of some of them. Add what your own blocks need."""

from typing import Any

# Settings with which a contract is tested sooner.
QUICK: dict[str, dict[str, Any]] = {
    "boosting": {"max_iter": 10},
    "forest": {"trees": 5},
    "lightgbm": {"n_estimators": 10},
    "xgboost": {"n_estimators": 10},
}

# The boosting libraries leave the target to their caller; the pipeline checks it at its door.
UNCHECKED_TARGET = dict.fromkeys(
    (
        "check_classifiers_regression_target",
        "check_classifiers_train",
        "check_regressor_data_not_an_array",
        "check_regressors_train",
        "check_supervised_y_2d",
        "check_supervised_y_no_nan",
    ),
    "the library doesn't check the target",
)

# Checks of scikit-learn that a block fails for a good reason.
EXPECTED: dict[str, dict[str, str]] = {
    "lightgbm": UNCHECKED_TARGET,
    "xgboost": UNCHECKED_TARGET | {"check_regressor_multioutput": "it answers in 32 bits"},
    "tabular": {"check_fit2d_1sample": "no column of a single row varies: refused with a sentence"},
    "forest": {
        "check_regressors_train": "leaves of 20 rows are too large for scikit-learn's 50 rows"
    },
}
