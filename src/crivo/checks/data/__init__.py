"""Do the tables that the stages wrote deserve belief? They are silent before a stage has run."""

from crivo.checks.data import approval, stages  # each enters its checks

# The first letter of a code, and what the checks that have it are about.
LETTERS = {
    "L": "Leakage, in the prepared rows",
    "T": "The splits",
    "R": "Results",
}

__all__ = ["LETTERS", "approval", "stages"]
