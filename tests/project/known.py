"""What the contracts of blocks must know of some of them. Add what your own blocks need."""

from typing import Any

# Settings with which a contract is tested sooner.
QUICK: dict[str, dict[str, Any]] = {
    "boosting": {"max_iter": 10},
    "forest": {"trees": 5},
    "lightgbm": {"n_estimators": 10},
    "xgboost": {"n_estimators": 10},
}
