"""The board: one page for many experiments, which needs no network and nothing installed."""

from crivo.experiments.board.page import board_page
from crivo.experiments.board.values import Board, board

__all__ = ["Board", "board", "board_page"]
