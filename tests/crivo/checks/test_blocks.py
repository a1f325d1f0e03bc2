import pytest

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
