"""Checks L and T of the prepared rows: leakage of the target, and shifts between splits.

`featurize` makes them and records the findings; the report and `crivo check` show these.
"""

# Importing these modules registers their checks.
from crivo.featurization.row_checks import copies, shift, split_leakage, target_leakage  # noqa: F401
from crivo.featurization.row_checks.split_rows import ROW_CHECKS, SplitRows

__all__ = ["ROW_CHECKS", "SplitRows"]
