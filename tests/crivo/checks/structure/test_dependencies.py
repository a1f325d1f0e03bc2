import io
import json
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from tests.crivo.core.crafted import archive, attacks

CODE_DEPS = [
    ("train", "    - src/train.py\n", "src/train.py"),
    ("train", "    - src/crivo/training\n", "src/crivo/training/fit.py"),
    ("train", "    - src/blocks/models/${model}.py\n", "src/blocks/models/small.py"),
]


@pytest.mark.parametrize(("stage", "line", "path"), CODE_DEPS)
def test_a_file_that_is_imported_and_not_declared_is_an_error(project, stage, line, path):
    project.edit("dvc.yaml", line, "")
    (finding,) = project.findings("D001")
    assert finding.subject == stage
    assert finding.message.startswith(f"uses {path},")


def test_what_a_block_imports_at_any_depth_is_needed(project):
    project.leave("src/blocks/models/small.py", "def f():\n    from . import _shared\n")
    project.leave("src/blocks/models/_shared.py", "import beside\n")
    project.leave("src/beside.py", "")
    messages = [finding.message for finding in project.findings("D001")]
    assert [message.split(",")[0] for message in messages] == [
        "uses src/beside.py",
        "uses src/blocks/models/_shared.py",
    ]


def test_the_block_in_use_counts_and_no_other(project):
    project.leave("src/blocks/models/large.py", "import beside\n")
    project.leave("src/beside.py", "")
    assert project.found("D001") == []
    project.edit("params.yaml", "model: small", "model: large")
    assert project.found("D001") == [("D001", "train")]


def test_an_empty_package_file_is_no_dependency_until_it_holds_code(project):
    project.leave("src/crivo/__init__.py", '"""Sieve."""\n')
    assert project.found("D001") == []
    project.leave("src/crivo/__init__.py", "x = 1\n")
    assert project.found("D001") == [("D001", "train"), ("D001", "evaluate")]


@pytest.mark.parametrize("text", ["page.html.j2", "templates"])
def test_a_file_beside_the_code_that_a_string_names_is_a_dependency(project, text):
    project.leave("src/crivo/training/fit.py", f"PAGE = {text!r}\n")
    project.leave("src/crivo/training/page.html.j2")
    project.leave("src/crivo/training/templates/page.html")
    assert project.found("D001") == []
    project.edit("dvc.yaml", "    - src/crivo/training\n", "    - src/crivo/training/fit.py\n")
    assert project.found("D001") == [("D001", "train")]


@pytest.mark.parametrize("dep", ["src/blocks/models/large.py", "src/crivo/evaluation"])
def test_code_that_is_declared_and_not_imported_is_a_warning(project, dep):
    project.leave("src/crivo/evaluation/__init__.py")
    project.edit("dvc.yaml", "    - src/train.py\n", f"    - src/train.py\n    - {dep}\n")
    (finding,) = project.findings("D002")
    assert (finding.severity, finding.subject) == ("warning", "train")
    assert finding.message.startswith(f"depends on {dep} ")


def test_an_import_by_a_computed_name_is_a_warning(project):
    project.leave("src/crivo/training/fit.py", "import importlib\nimportlib.import_module(x)\n")
    assert project.found("D003") == [("D003", "src/crivo/training/fit.py:2")]
    project.leave("src/crivo/training/fit.py", 'importlib.import_module(f"{__name__}.{x}")\n')
    assert project.found("D003") == []


def stored_model(module: str) -> bytes:
    """Return the bytes of a skops file, as far as its classes are concerned."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        schema = {"__module__": "sklearn.pipeline", "content": {"a": [{"__module__": module}]}}
        archive.writestr("schema.json", json.dumps(schema))
    return buffer.getvalue()


def test_a_stored_model_of_the_projects_own_classes_needs_their_code(project):
    model = project.root / "models/model.skops"
    model.parent.mkdir()
    model.write_bytes(stored_model("sklearn.tree"))
    assert project.found("D004") == []
    model.write_bytes(stored_model("blocks.models.small"))
    (finding,) = project.findings("D004")
    assert finding.subject == "evaluate"
    assert "src/blocks/models/small.py" in finding.message
    line = "    - src/evaluate.py\n"
    project.edit("dvc.yaml", line, f"{line}    - src/blocks/models/${{model}}.py\n")
    assert project.found("D") == []


@pytest.mark.parametrize("package", ["src/blocks/models", "src/blocks/splitters"])
def test_code_in_a_package_of_blocks_is_a_dependency_of_every_stage(project, monkeypatch, package):
    """Every stage imports blocks of every kind, to check their settings."""
    project.leave("src/blocks/splitters/__init__.py")
    assert project.found("D") == []
    project.leave(f"{package}/__init__.py", "import beside\n")
    project.leave("src/beside.py", "x = 1\n")
    found = project.findings("D001")
    assert [(one.subject, one.message.split(",")[0]) for one in found] == [
        (stage, f"uses {path}")
        for stage in ("train", "evaluate")
        for path in ("src/beside.py", f"{package}/__init__.py")
    ]


MARK = "open('ran', 'w')\nclass Mark(dict): ...\n"
# Made when needed: 100 MB take a while to be packed.
MODELS = {
    "nothing": lambda: b"",
    "blanks": lambda: archive({"schema.json": b" " * 100_000_000}),
    "nested": lambda: archive({"schema.json": b"[" * 10**6}),
    "a name too long": lambda: archive({"schema.json": b'{"__module__": "%s"}' % (b"a" * 10**4)}),
    "a name of no module": lambda: archive({"schema.json": b'{"__module__": "../../a\\u0000"}'}),
    "packed otherwise": lambda: archive({"schema.json": b"{}"}, zipfile.ZIP_LZMA),
}
MODELS |= {name: lambda data=data: data for name, data in attacks(Path("ran")).items()}


@pytest.mark.parametrize("name", MODELS)
def test_a_stored_model_is_read_and_not_loaded(project, name, monkeypatch):
    monkeypatch.chdir(project.root)
    project.write("marks.py", MARK)
    path = project.root / "models/model.skops"
    path.parent.mkdir()
    path.write_bytes(MODELS[name]())
    project.findings("D004")
    assert not (project.root / "ran").exists()


@pytest.mark.parametrize(
    ("path", "name", "of"),
    [
        ("random.py", "random.py", "Python's own `random`"),
        ("json/a.py", "json", "Python's own `json`"),
        ("six.py", "six.py", "the library `six`"),
        ("yaml/__init__.py", "yaml", "the library `yaml`"),
        ("numpy.cpython-311-x86_64-linux-gnu.so", None, "the library `numpy`"),
    ],
)
@pytest.mark.parametrize("ignored", [False, True])
def test_a_module_that_hides_a_library_is_an_error(project, path, name, of, ignored):
    if path.endswith(".so"):
        path = f"numpy{EXTENSION_SUFFIXES[0]}"
    project.leave(f"src/{path}")
    if ignored:
        project.leave(".gitignore", "src/*\n!src/crivo\n!src/blocks\n")
    (finding,) = project.findings("D005")
    assert finding.subject == f"src/{name or path}"
    assert finding.message.startswith(f"hides {of} from every stage")


def test_a_module_of_a_name_of_its_own_hides_nothing(project):
    project.leave("src/beside.py")
    project.leave("src/notes/read.txt")
    assert project.found("D005") == []
