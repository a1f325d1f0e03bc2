"""The schema, whose roles and task fit together."""

import pytest
from pydantic import ValidationError

from crivo.core.schema import Column, Role, Schema, Words

KEY = Column(name="key", role="id", type="text")
LATE = Column(name="late", role="target", type="boolean")
ONCE: tuple[Role, ...] = ("time", "group", "weight")
X = Column(name="x", role="feature", type="number")


def schema(*columns: Column, **changes: object) -> Schema:
    values: dict[str, object] = {"task": "binary", "classes": (False, True), "positive": True}
    return Schema(columns=columns, **(values | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("columns", "changes", "message"),
    [
        ((LATE, X), {}, "exactly one id"),
        ((KEY, X), {}, "exactly one target"),
        ((KEY, LATE, X, X), {}, "named twice: x"),
        *(
            (
                (KEY, LATE, *(Column(name=name, role=role, type="number") for name in "ab")),
                {},
                words,
            )
            for role, words in {role: f"at most one {role}" for role in ONCE}.items()
        ),
        ((KEY, LATE), {"classes": (1, 2, 3), "positive": 1}, "two classes"),
        ((KEY, LATE), {"positive": "yes"}, "one of them `positive`"),
    ],
)
def test_what_does_not_fit_together_is_refused(columns, changes, message) -> None:
    with pytest.raises(ValidationError, match=message):
        schema(*columns, **changes)


def test_only_what_was_said_is_written_and_nothing_else_is_read() -> None:
    made = schema(KEY, LATE).to_json()
    key = {"name": "key", "role": "id", "type": "text"}
    columns = [key, {"name": "late", "role": "target", "type": "boolean"}]
    assert made == {
        "task": "binary",
        "columns": columns,
        "classes": [False, True],
        "positive": True,
    }
    for kind, values in ((Schema, made), (Column, key), (Words, {})):
        with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
            kind(**values, more=1)
