"""The import closure, on files of every form, and against grimp's graph of the package."""

from pathlib import Path

import grimp
import pytest

from crivo.checks.imports import Sources
from crivo.core.params import read_params  # the package is importable, for grimp

ROOT = Path(__file__).parents[3]


def closure(tmp_path: Path, files: dict[str, str]) -> set[str]:
    """Return what `src/stage.py` imports, without `src/` and itself."""
    for path, text in files.items():
        file = tmp_path / "src" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    found = Sources(tmp_path).closure(["src/stage.py"])
    return {path.removeprefix("src/") for path in found} - {"stage.py"}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import beside", {"beside.py"}),
        ("import pack.one", {"pack/__init__.py", "pack/one.py"}),
        ("from pack import one", {"pack/__init__.py", "pack/one.py"}),
        ("from pack.one import name", {"pack/__init__.py", "pack/one.py"}),
        ("from pack import name", {"pack/__init__.py"}),
        ("from loose.deep import two", {"loose/deep/two.py"}),
        ("def f():\n    import beside", {"beside.py"}),
        ("try:\n    import beside\nexcept ImportError:\n    pass", {"beside.py"}),
        ("if TYPE_CHECKING:\n    import beside\nelse:\n    import pack", {"pack/__init__.py"}),
        ("if typing.TYPE_CHECKING:\n    import beside", set()),
        ('import_module("beside")', {"beside.py"}),
        ('importlib.import_module(f"pack.{name}")', {"pack/__init__.py", "pack/one.py"}),
        ("import json, numpy", set()),
    ],
)
def test_an_import_is_followed_in_each_form(tmp_path, line, found):
    files = {"stage.py": line, "beside.py": "", "pack/__init__.py": "", "pack/one.py": ""}
    assert closure(tmp_path, {**files, "loose/deep/two.py": ""}) == found


@pytest.mark.parametrize("line", ["from . import two", "from .two import x", "from ..a import two"])
def test_a_relative_import_is_followed_at_any_depth(tmp_path, line):
    files = {"stage.py": "import a.one", "a/__init__.py": "", "a/one.py": line}
    found = closure(tmp_path, {**files, "a/two.py": "import beside", "beside.py": ""})
    assert found == {"a/__init__.py", "a/one.py", "a/two.py", "beside.py"}


def test_a_relative_import_in_a_package_starts_at_the_package(tmp_path):
    files = {"stage.py": "import a", "a/__init__.py": "from .one import x", "a/one.py": ""}
    assert closure(tmp_path, files) == {"a/__init__.py", "a/one.py"}


def test_files_that_import_each_other_end(tmp_path):
    files = {"stage.py": "import a", "a.py": "import b", "b.py": "import a"}
    assert closure(tmp_path, files) == {"a.py", "b.py"}


def test_the_imports_of_the_whole_package_are_those_that_grimp_finds():
    assert read_params.__module__ == "crivo.core.params"
    graph = grimp.build_graph("crivo", exclude_type_checking_imports=True, cache_dir=None)
    sources = Sources(ROOT)
    wrong = {}
    for module in graph.modules:
        path = sources.module(tuple(module.split(".")))
        ours = {sources.name(found) for found in sources.imports(path)}
        grimps = graph.find_modules_directly_imported_by(module)
        # Grimp counts neither the packages of a module, which run too, nor computed names.
        more = ours - grimps - {name for one in {*ours, module} for name in packages_of(one)}
        if grimps - ours or (more and "import_module" not in (ROOT / path).read_text()):
            wrong[module] = (grimps - ours, more)
    assert wrong == {}


def packages_of(module: str) -> set[str]:
    names = module.split(".")
    return {".".join(names[:end]) for end in range(1, len(names))}
