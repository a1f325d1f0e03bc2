"""Which experiment is better: differences, verdicts, the board."""
