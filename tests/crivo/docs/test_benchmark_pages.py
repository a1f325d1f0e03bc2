"""A benchmark renews its part of a page and leaves the parts of others as they are."""

import importlib.util
from pathlib import Path

import pytest

PLACE = Path(__file__).parents[3] / "benchmarks" / "pages.py"
PAGE = "# Title\n\nFirst.\n\n## One\n\n1\n\n## Two\n\n2\n"


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("# Title\n\nNew.\n", "# Title\n\nNew.\n\n## One\n\n1\n\n## Two\n\n2\n"),
        ("## One\n\nnew\n", "# Title\n\nFirst.\n\n## One\n\nnew\n\n## Two\n\n2\n"),
        ("## Two\n\nnew\n", "# Title\n\nFirst.\n\n## One\n\n1\n\n## Two\n\nnew\n"),
        ("## Three\n\n3\n", f"{PAGE}\n## Three\n\n3\n"),
    ],
)
def test_only_one_part_is_renewed(part: str, expected: str) -> None:
    spec = importlib.util.spec_from_file_location("benchmark_pages", PLACE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.renewed(PAGE, part) == expected
