"""`crivo upgrade`: a newer crivo, and the files that came with it, in a team's project."""
