"""A breach is told once, with the promise and what happened."""

import pytest

from crivo.core.errors import CrivoError
from crivo.testing.contract import ContractError, promise, require_kept


class Arithmetic:
    def __init__(self, number: int) -> None:
        self.number = number
        self.where = "For once, "

    def is_even(self) -> None:
        """The number is even.

        More about it, which is not repeated.
        """
        promise(self.number % 2 == 0, f"it is {self.number}.")

    def is_small(self) -> None:
        """The number is small."""
        promise(self.number < 10, f"it is {self.number}.")


class Crashing:
    def crashes(self) -> None:
        """Dividing works."""
        raise ZeroDivisionError("division by zero")

    def crashes_too(self) -> None:
        """Dividing works here as well."""
        raise ZeroDivisionError("division by zero")


def test_all_broken_promises_are_told() -> None:
    with pytest.raises(ContractError) as error:
        require_kept("the number", Arithmetic(11))
    assert str(error.value) == (
        "the number breaks its contract.\n"
        "- is_even: The number is even. For once, it is 11.\n"
        "- is_small: The number is small. For once, it is 11."
    )
    assert error.value.checks == ("is_even", "is_small")


def test_the_error_is_one_for_users_and_for_test_runners() -> None:
    assert issubclass(ContractError, CrivoError)
    assert issubclass(ContractError, AssertionError)


def test_one_cause_is_told_once() -> None:
    with pytest.raises(ContractError) as error:
        require_kept("the division", Crashing())
    assert [str(breach) for breach in error.value.breaches] == [
        "crashes: Dividing works. it raised ZeroDivisionError: division by zero"
    ]


def test_kept_promises_are_no_error() -> None:
    require_kept("the number", Arithmetic(4))
