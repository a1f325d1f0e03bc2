"""What the report says acting is worth."""

from dataclasses import replace

import pandas as pd

from crivo.evaluation.report.sections import value_section
from crivo.evaluation.report.subject import Subject
from tests.crivo.evaluation.report.made_up import report

VALUE = pd.DataFrame(
    {
        "of": ["model", "act_on_all", "difference"],
        "acted_per_1000": [100.0, 1000.0, 0.0],
        "value_per_1000": [1803.5, -5582.8, 2361.8],
        "low": [579.9, -7676.6, 1316.0],
        "high": [3027.2, -3488.9, 3407.5],
    }
)


def test_the_sentences_give_each_number_as_the_table_does() -> None:
    """The median interval is 2,447 wide: all bear tens, though the second alone bears hundreds."""
    made = replace(report(), tables={"value": VALUE}, subject=Subject(currency="€"))
    found = value_section(made)
    assert found is not None
    table, text = found
    assert list(table.columns[2].texts) == [
        "1,800 [580, 3,030]",
        "−5,580 [−7,680, −3,490]",
        "2,360 [1,320, 3,410]",
    ]
    assert "The model is worth €1,800 [580, 3,030] per 1,000 rows." in text
    assert "That is €2,360 [1,320, 3,410] more than the baseline." in text
    assert text.endswith("Flagging all would be worth −€5,580.")
