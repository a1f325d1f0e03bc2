"""`CrivoError`: a problem that the user can fix, shown without a traceback."""

from crivo.core.text_guard import escape_control


class CrivoError(Exception):
    """An error that the user can fix: it says what was given, what was expected, and what to do."""

    def __str__(self) -> str:
        """Return the message; what somebody wrote into a name in it can't steer a terminal."""
        return escape_control(super().__str__())


class NotRun(CrivoError):
    """Something wasn't run because of the place where it was to run, and not by its own fault."""
