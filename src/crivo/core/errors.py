"""The one error that a user is meant to read."""

from crivo.core.visible import visible


class CrivoError(Exception):
    """Something the user can fix: the message says what was given, expected and what to do."""

    def __str__(self) -> str:
        """Return the message; what somebody wrote into a name in it can't steer a terminal."""
        return visible(super().__str__())


class NotRun(CrivoError):
    """Something wasn't run because of the place where it was to run, and not by its own fault."""
