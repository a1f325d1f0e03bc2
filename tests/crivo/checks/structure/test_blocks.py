import pytest


@pytest.mark.parametrize("text", ["x = 1\n", "class Block(\n", "import no_such_library\n"])
def test_a_block_file_without_a_block_is_an_error(project, text):
    project.leave("src/blocks/models/large.py", text)
    assert project.found("B001") == [("B001", "src/blocks/models/large.py")]


def test_a_shared_file_is_no_block(project):
    project.leave("src/blocks/models/_shared.py", "x = 1\n")
    assert project.found("B001") == []


@pytest.mark.parametrize("line", ["import sklearn.tree", "from torch import nn"])
def test_a_heavy_library_at_the_top_of_a_block_is_a_warning(project, line):
    project.leave("src/blocks/models/large.py", f"import json\n{line}\n")
    assert project.found("B002") == [("B002", "src/blocks/models/large.py:2")]


@pytest.mark.parametrize(
    "text",
    [
        "def build():\n    import sklearn\n",
        "if TYPE_CHECKING:\n    import sklearn\n",
        "from .sklearn import x\n",
    ],
)
def test_a_heavy_library_where_it_is_needed_is_fine(project, text):
    project.leave("src/blocks/models/large.py", text)
    assert project.found("B002") == []


def test_code_that_cannot_be_asked_is_named(project):
    project.leave("src/crivo/core/errors.py", "raise SystemExit('no')\n")
    assert project.found("B001") == [("P001", "src")]
