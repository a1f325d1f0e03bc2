"""Schemas of a few columns, for tests that need no more of a table."""

from crivo.core.schema import Column, Role, Schema, Type

TYPES: dict[Role, Type] = {"time": "date", "group": "category", "info": "text"}


def few_columns(*classes: bool | int | str, **roles: Role) -> Schema:
    """Return a schema of the id `key`, the target `y` and columns of some roles.

    Of two classes the last is the positive one; without classes the target is a number.
    """
    two = len(classes) == 2
    return Schema(
        task="binary" if two else "multiclass" if classes else "regression",
        classes=classes,
        positive=classes[-1] if two else None,
        columns=(
            Column(name="key", role="id", type="text"),
            Column(name="y", role="target", type="category" if classes else "number"),
            *(
                Column(name=name, role=role, type=TYPES.get(role, "number"))
                for name, role in roles.items()
            ),
        ),
    )
