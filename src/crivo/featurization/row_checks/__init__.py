"""Do the prepared rows give the target away, or differ from side to side?

`featurize` writes what is found, for the report; `crivo check` looks again.
"""

from crivo.featurization.row_checks import giveaway, shift, splits  # each enters its checks
from crivo.featurization.row_checks.sides import ROW_CHECKS, Sides, looked_at

__all__ = ["ROW_CHECKS", "Sides", "giveaway", "looked_at", "shift", "splits"]
