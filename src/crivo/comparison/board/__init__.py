"""The board: one page for many experiments, which needs no network and nothing installed."""

from crivo.comparison.board.page import board_page
from crivo.comparison.board.values import Board, board

__all__ = ["Board", "board", "board_page"]
