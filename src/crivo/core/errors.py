"""The one error that a user is meant to read."""


class CrivoError(Exception):
    """Something the user can mend: the message says what was given, expected and what to do."""
