"""The names that `crivo` gives to projects: few, documented, imported late."""

import re
from inspect import isfunction, signature
from pathlib import Path
from unittest.mock import patch

import pytest

import crivo
from tests.crivo.processes import python

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
PARTS = re.split(r"^## (\w+)\n", PAGE, flags=re.MULTILINE)[1:]
SECTIONS = dict(zip(PARTS[::2], PARTS[1::2], strict=True))


def test_there_are_at_most_fifty_names_and_each_is_what_it_says() -> None:
    assert len(crivo.__all__) <= 50
    for name in crivo.__all__:
        assert getattr(crivo, name) is not None


@pytest.mark.parametrize("name", crivo.__all__)
def test_each_name_has_an_example_that_runs(name: str) -> None:
    code = SECTIONS[name].partition("```python")[2].partition("```")[0]
    crivo.unknown_metric(["mae"])  # from here on, the library's own metrics are known
    with patch.dict("crivo.evaluation.metrics._METRICS"):  # a metric enters itself
        exec(compile(code, name, "exec"), {"__name__": "example"})


def test_a_project_is_looked_for_in_the_current_folder_by_default() -> None:
    functions = (getattr(crivo, name) for name in crivo.__all__)
    given = [signature(one).parameters.get("folder") for one in functions if isfunction(one)]
    assert [one.default for one in given if one] == ["."] * 7


def test_outside_of_a_project_one_sentence_says_so(tmp_path: Path) -> None:
    with pytest.raises(crivo.CrivoError, match="is in no crivo project; start the notebook in one"):
        crivo.experiments(tmp_path)


def test_a_report_is_the_page_that_shows_itself(tmp_path: Path) -> None:
    page = tmp_path / "metrics/evaluation/report.html"
    page.parent.mkdir(parents=True)
    for name in ("params.yaml", "dvc.yaml"):
        (tmp_path / name).touch()
    with patch("crivo.notebook.put_project_first"):
        with pytest.raises(crivo.CrivoError, match="l doesn't exist yet; run `dvc repro`"):
            crivo.report(folder=tmp_path)
        page.write_text("<p>é", encoding="utf-8")
        shown = crivo.report(folder=tmp_path)._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;p&gt;é" style="width:100%;height:45em')


# What people copy from, or what runs in their projects.
COPIED = (
    *("src/crivo/project/blocks/*.txt", "src/blocks/**/*.py", "src/*.py"),
    *("notebooks/*.ipynb", "docs/*.md", "README*.md"),
)


def test_every_name_that_projects_and_pages_import_is_there() -> None:
    known, found = {*crivo.__all__, "testing"}, {}
    for path in [path for pattern in COPIED for path in ROOT.glob(pattern)]:
        text = path.read_text(encoding="utf-8")
        imported = re.findall(r"from crivo import (\([^)]*\)|[\w, ]+)", text)
        found[path] = {name for names in imported for name in re.findall(r"[A-Za-z]\w*", names)}
    assert {path: names - known for path, names in found.items() if names - known} == {}
    assert sum(map(bool, found.values())) > 20


def test_importing_crivo_alone_imports_nothing_large() -> None:
    """It takes some milliseconds more than Python itself."""
    done = python("-S", "-c", "import sys; import crivo; print(*sys.modules)")
    assert done.returncode == 0, done.stderr
    assert not {*done.stdout.split()} & {"typing", "inspect", "numpy", "pandas", "pydantic"}
