"""What `dataset: table` refuses: files and settings that can't work."""

from pathlib import Path
from typing import Any

import pytest
from tests.crivo.blocks.datasets.test_table import bring

from crivo.core.errors import CrivoError
from crivo.core.problems import Problems
from crivo.core.registry import make_block


@pytest.mark.parametrize(
    ("text", "settings", "message"),
    [
        ("a,y\n1,0\n", {}, "target names no column"),
        ("a,label\n1,0\n", {"target": "lable"}, "'lable', which .* did you mean `label`"),
        ("a,y\n1,0\n", {"target": "y", "drop": ["b"]}, "names the column 'b'"),
        ("a,y\n1,0\n", {"target": "y", "types": {"b": "text"}}, "names the column 'b'"),
        ("a,y\n1,0\n", {"target": "y", "drop": ["y"]}, "'y' twice, in different roles"),
        ("a,y\n1,0\n", {"target": "y", "time": "a", "group": "a"}, "'a' twice"),
        ("a,y\n", {"target": "y"}, "hold no rows"),
        ("a,y\n1,\n2,\n", {"target": "y"}, "missing in every row"),
        ("a,y\n1,0\n2,0\n", {"target": "y"}, r"has 1 class \(0\)"),
        ("a,y\nx,0\nz,1\n", {"target": "y", "time": "a"}, "neither dates nor numbers"),
        ("a,y\nx,0\nz,1\n", {"target": "y", "weight": "a"}, "can't be read as number"),
    ],
)
def test_what_can_not_work_is_refused_in_a_sentence(
    tmp_path: Path, text: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(CrivoError, match=message):
        bring(tmp_path, text, **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tarjet": "y"}, "did you mean `target`"),
        ({"task": "ranking"}, "'binary', 'multiclass' or 'regression'"),
        ({"types": {"a": "numbr"}}, r"types\.a: is 'numbr'"),
        ({"drop": [1]}, r"drop\.0: is 1"),
        ({"min_class_rows": 0}, "min_class_rows: is 0"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(Problems, match=message):
        make_block("dataset", "table", settings)
