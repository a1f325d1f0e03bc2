"""The checks of `crivo check`, which find mistakes that make results wrong.

`crivo check` calls `review.review`. Each check is one function, and `docs/checks.md` lists them.
The checks of rows are in `crivo.featurization.row_checks`, those of results in
`crivo.evaluation.result_checks`: stages make them, and `stages` shows what they found. No stage
makes those of `quality`, as they fit and compare.
"""
