import json

import pytest


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


BLOCK = "import os, random\nimport numpy as np\n\n\nclass Block:\n    depth = 2\n\n\n"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("np.random.seed(0)", "calls np.random.seed"),
        ("old = np.seterr(all='ignore')", "calls np.seterr"),
        ("os.environ['OMP_NUM_THREADS'] = '1'", "changes os.environ['OMP_NUM_THREADS']"),
        ("np.mean = np.median", "changes np.mean"),
        ("np.options.x += 1", "changes np.options.x"),
        ("del os.environ['X']", "changes os.environ['X']"),
        ("try:\n    x = 1\nexcept E:\n    random.seed(0)", "calls random.seed"),
        ("class Other:\n    random.seed(0)", "calls random.seed"),
    ],
)
@pytest.mark.parametrize("file", ["large", "small", "_shared", "__init__"])
def test_a_block_s_file_that_changes_something_on_import_is_an_error(project, file, text, what):
    """Also one that isn't in use: `large`."""
    path = f"src/blocks/models/{file}.py"
    project.leave(path, BLOCK + text)
    found = project.findings("B003")
    line = 9 + text.count("\n")
    assert [(one.subject, one.message.split(" when")[0]) for one in found] == [
        (f"{path}:{line}", what)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "NAMES = frozenset(('a',)) | set('b')\nlog = logging.getLogger()\nx: int = 3",
        "def f():\n    random.seed(0)",
        "class Other:\n    @property\n    def f(self):\n        random.seed(0)",
        "if __name__ == '__main__':\n    random.seed(0)",
        "if TYPE_CHECKING:\n    import pandas",
        "first, *rest = 1, 2",
        "for name in ('a', 'b'):\n    importlib.import_module(f'{__name__}.{name}')",
    ],
)
def test_a_block_s_file_that_defines_names_is_fine(project, text):
    project.leave("src/blocks/models/large.py", BLOCK + text)
    assert project.found("B003") == []


def test_what_a_block_imports_changes_nothing_either_unless_every_stage_depends_on_it(project):
    project.leave("src/blocks/models/large.py", "import beside\n\n\nclass Block: ...\n")
    project.leave("src/beside.py", "import random\n\nrandom.seed(0)\n")
    assert project.found("B003") == [("B003", "src/beside.py:3")]
    for script in ("src/train.py", "src/evaluate.py"):
        project.edit("dvc.yaml", f"    - {script}\n", f"    - {script}\n    - src/beside.py\n")
    assert project.found("B003") == []


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("from crivo.core.blocks import Model", "write `from crivo import Model`."),
        ("from crivo.testing.models import check_model", "from crivo.testing import check_model`."),
        ("from crivo.core.artifacts import MODEL", "only the names of crivo itself"),
        ("from crivo import artifacts", "only the names of crivo itself"),
        ("import crivo.core.blocks", "imports crivo.core.blocks, which may move"),
        ("def build():\n    from crivo.core.inputs import numeric_inputs", "numeric_inputs`."),
        ("if TYPE_CHECKING:\n    from crivo.core.schema import Schema", "import Schema`."),
    ],
)
@pytest.mark.parametrize(
    "file", ["src/blocks/models/large.py", "src/train.py", "src/own.py", "tests/project/test_x.py"]
)
def test_an_import_of_the_library_s_insides_is_a_warning(project, file, line, advice):
    project.leave(file, f"import json\n{line}\n")
    (found,) = project.findings("B004")
    assert (found.severity, found.subject) == ("warning", f"{file}:{2 + line.count(chr(10))}")
    assert advice in found.message


def test_a_notebook_is_looked_at_cell_by_cell(project):
    cells = ["%matplotlib inline", ["import crivo\n", "from crivo.core.blocks import block"]]
    cells = [{"cell_type": "code", "source": source} for source in cells]
    cells.append({"cell_type": "markdown", "source": "import crivo.core"})
    project.leave("notebooks/one.ipynb", json.dumps({"cells": cells}))
    assert project.found("B004") == [("B004", "notebooks/one.ipynb")]


@pytest.mark.parametrize(
    "line",
    ["import crivo", "from crivo import Model, hash_split", "from crivo.testing import TASKS"],
)
def test_public_names_are_fine_and_so_is_the_library_itself(project, line):
    project.leave("src/blocks/models/large.py", f"{line}\n")
    project.leave("src/crivo/core/own.py", "from crivo.core.errors import CrivoError\n")
    assert project.found("B004") == []
