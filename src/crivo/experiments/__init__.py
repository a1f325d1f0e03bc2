"""Past experiments: reading them from git, comparing them, running them again.

Every command has its function here, which returns pandas objects:

    from crivo.experiments import compare
    compare(["boosting-max_iter=400"], against="main").table
"""

from crivo.experiments.choice import Filters
from crivo.experiments.comparison import Comparison, compare
from crivo.experiments.incumbent import clear_incumbent, current_incumbent, set_incumbent
from crivo.experiments.looks import known_looks

__all__ = [
    "Comparison",
    "Filters",
    "clear_incumbent",
    "compare",
    "current_incumbent",
    "known_looks",
    "set_incumbent",
]
