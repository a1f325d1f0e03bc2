"""What the import of a block's file changes is an error."""

import os
import random
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from crivo.checks import project as checked
from crivo.checks.review import CHECKS
from crivo.core.errors import CrivoError


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give back what a test changes."""
    for name in ("ODD", "KMP_ODD"):
        monkeypatch.setitem(os.environ, name, "0")
    monkeypatch.chdir(Path.cwd())
    state, known = random.getstate(), np.random.get_state()  # noqa: NPY002
    with np.errstate(), pd.option_context("display.width", pd.options.display.width):
        yield
    random.setstate(state)
    np.random.set_state(known)  # noqa: NPY002


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("import numpy as np\nnp.random.seed(0)", "the state of NumPy's random numbers"),
        ("import random\nrandom.seed(0)", "the state of Python's random numbers"),
        ("import pandas as pd\npd.options.display.width = 7", "pandas' options"),
        ("import os\nos.chdir('/')", "the working directory"),
        (
            "import os, numpy as np\nnp.seterr(all='ignore')\nos.environ['ODD'] = '1'",
            "how NumPy handles errors and environment variables",
        ),
        ("import os\nos.environ['KMP_ODD'] = '1'", None),
        ("import random\ndef f():\n    random.seed(0)", None),
    ],
)
def test_a_block_s_file_that_changes_something_on_import_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, what: str | None
) -> None:
    monkeypatch.setattr(checked, "block_names", lambda kind: ["odd"] * (kind == "model"))
    monkeypatch.setattr(checked, "find_block", lambda kind, name: exec(text, {}))
    project, path = checked.Project(tmp_path), "src/blocks/models/odd.py"
    assert project.imports == {path: ("", what or "")}
    assert [one.subject for one in CHECKS["B003"].search(project)] == [path] * bool(what)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (SystemExit(3), "can't be imported (SystemExit: 3); fix it."),
        (CrivoError("src/blocks/models/odd.py defines no class."), "defines no class."),
    ],
)
def test_a_block_s_file_that_has_no_block_is_an_error_before_its_settings_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, said: str
) -> None:
    (tmp_path / "params.yaml").write_text("sede: 1\n")
    wrong = dict(CHECKS["S001"].search(checked.Project(tmp_path)))
    assert "did you mean `seed`?" in wrong["sede"]
    monkeypatch.setattr(checked, "block_names", lambda kind: ["odd"] * (kind == "model"))
    monkeypatch.setattr(checked, "find_block", Mock(side_effect=error))
    project = checked.Project(tmp_path)
    (found,) = CHECKS["B001"].search(project)
    assert (found.subject, found.message) == ("src/blocks/models/odd.py", said)
    assert [*CHECKS["S001"].search(project)] == []
    monkeypatch.undo()
    (tmp_path / "params.yaml").write_text("a: [")
    assert [*dict(CHECKS["S001"].search(checked.Project(tmp_path)))] == ["params.yaml"]
