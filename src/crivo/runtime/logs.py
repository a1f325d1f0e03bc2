"""Logging to the terminal: the level (CRIVO_LOG) and the form of lines."""

from __future__ import annotations

import logging
import os

from crivo.core.errors import CrivoError
from crivo.core.text_guard import escape_control


class VisibleFormatter(logging.Formatter):
    """Writes log lines for people; `%(warning)s` is `warning: `, or nothing if it is none."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        record.warning = "warning: " if record.levelno >= logging.WARNING else ""
        return escape_control(super().format(record))


def log_to_terminal(form: str) -> None:
    """Let warnings, and what loggers are set to, appear on stderr in this form."""
    handler = logging.StreamHandler()
    handler.setFormatter(VisibleFormatter(form))
    logging.basicConfig(level="WARNING", handlers=[handler])


def log_level() -> str:
    """Return the level that the environment variable CRIVO_LOG asks for; info when unset."""
    level = os.environ.get("CRIVO_LOG", "info").upper()
    if level not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        raise CrivoError(f"CRIVO_LOG is {level!r}; expected debug, info, warning or error.")
    return level
