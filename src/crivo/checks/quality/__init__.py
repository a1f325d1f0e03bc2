"""Is the model as good as it could be? These checks of results are made by `crivo check` alone."""

from crivo.checks.quality import coefficients, features, rows, simple, trials  # each enters its own

__all__ = ["coefficients", "features", "rows", "simple", "trials"]
