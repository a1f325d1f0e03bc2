"""`crivo start`, `fetch`, `new` and `upgrade`: the files and settings of a team's project."""
