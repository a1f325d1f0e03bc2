"""The board: one page for many experiments, which needs no network and nothing installed."""
