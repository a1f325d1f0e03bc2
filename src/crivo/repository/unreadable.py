"""The error of a project that can't be read far enough to be checked."""

from crivo.core.errors import CrivoError


class Unreadable(CrivoError):
    """Some part of the project can't be read: which, and why."""

    def __init__(self, subject: str, message: str) -> None:
        super().__init__(f"{subject}: {message}")
        self.subject = subject
        self.message = message
