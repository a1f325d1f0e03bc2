"""What a model file names is called, made and imported only if it is listed for that very use."""

import io
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name

import pytest
from sklearn.dummy import DummyClassifier
from sklearn.preprocessing import FunctionTransformer
from skops.io._audit import NODE_TYPE_MAPPING

from crivo.core.errors import CrivoError
from crivo.modelfile import allowed
from crivo.modelfile.canonical import dump_model, load_model, parse_model

from . import crafted
from .crafted import Node, archive, holding, kind, node, plain, reads, redescribed, sequence

NOT_TRUSTED = "holds types that crivo does not trust: .* was not loaded"


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of a mark, which a module that can be imported would also leave."""
    path = tmp_path / "ran"
    code = f"from pathlib import Path\nPath({str(path)!r}).touch()\nclass Mark(dict): ...\n"
    (tmp_path / "marks.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    return path


@pytest.mark.parametrize("name", crafted.attacks(Path()))
def test_nothing_of_a_model_file_is_called_or_imported(mark: Path, name: str) -> None:
    path = mark.with_name("model.skops")
    path.write_bytes(crafted.attacks(mark)[name])
    with pytest.raises(CrivoError, match=f"{NOT_TRUSTED}|isn't a readable model file"):
        load_model(path)
    assert not mark.exists()
    assert "marks" not in sys.modules


BLOCK = "blocks.models.forest"
FILES = "/etc/hostname"
WORDS = sequence(plain(FILES), loader="TupleNode", name="tuple")


@pytest.mark.parametrize(
    "held",
    [
        kind(BLOCK, "os"),  # what a block imports
        kind("crivo.modelfile.canonical", "load_model"),
        crafted.function("blocks.models.sklearn", "block"),
        crafted.function("numpy", "fromfile"),
        node("ObjectNode", BLOCK, "os"),
        node("ObjectNode", "sklearn.utils.validation", "check_array"),
        node("ObjectNode", "pathlib", "Path"),
        crafted.method(kind("blocks.models.forest", "Forest"), "fit"),
        node("ConstructorFromReduceNode", "lightgbm.basic", "Booster", content=WORDS),
        node("LossNode", "lightgbm.basic", "Booster", content=plain(1), __reduce__={"args": WORDS}),
        node("NdArrayNode", "numpy", "memmap", type="json", content=[], shape=WORDS),
        node("SparseMatrixNode", "scipy.sparse._csr", "csr_matrix", type="scipy", file="a.npz"),
        node("SetNode", "blocks.models.forest", "Forest", content=[]),
    ],
    ids=lambda held: f"{held['__loader__']} {held['__module__']}.{held['__class__']}",
)
def test_a_name_is_trusted_for_its_own_kind_of_node_only(held: Node) -> None:
    with pytest.raises(CrivoError, match=f"{NOT_TRUSTED}") as error:
        parse_model(holding(held))
    assert f"{held['__module__']}.{held['__class__']}" in str(error.value)


def test_every_name_that_is_trusted_is_one_of_the_installed_libraries() -> None:
    listed = [*allowed.NAMES.values(), *allowed.CLASSES_OF.values(), allowed.OWN_PACKAGES]
    for name in {*allowed.GENERATORS, *allowed.UFUNCS_OF}.union(*listed):
        assert resolve_name(name) is not None
    kinds = {kind for kind, _ in NODE_TYPE_MAPPING}
    assert {*allowed.NAMES, *allowed.CLASSES_OF, *allowed.OWN_KINDS} <= kinds


@pytest.mark.parametrize(
    "held",
    [
        kind("blocks.models.../../x", "os"),
        kind("", "os"),
        {"__loader__": "JsonNode", "content": "1"},
        {"__class__": "Forest", "__module__": BLOCK},
        node("RandomGeneratorNode", "numpy.random._generator", "Generator", content={
            "bit_generator": crafted.mapping({"bit_generator": plain("seed")}),
            "seed_seq": crafted.mapping({"pool_size": plain(4)})}),
    ],
)  # fmt: skip
def test_what_skops_never_writes_is_refused(held: Node) -> None:
    with pytest.raises(CrivoError, match=r"isn't a readable model file"):
        parse_model(holding(held))


def test_a_name_is_found_wherever_it_stands() -> None:
    """Also below an object that skops would take from elsewhere by its id, or not look at."""
    hidden = sequence(__id__=1) | {"more": [{"deep": kind(BLOCK, "os")}]}
    with pytest.raises(CrivoError, match=f"does not trust: {BLOCK}.os"):
        parse_model(holding(sequence(__id__=1), hidden))


@pytest.mark.parametrize("schema", [b" " * 100_000_000, b"[" * 100_000])
def test_a_small_file_that_holds_much_is_refused(schema: bytes) -> None:
    with pytest.raises(CrivoError, match="unpacks to more than|Recursion"):
        parse_model(archive(reads(dump_model(DummyClassifier())) | {"schema.json": schema}))


def test_what_is_unpacked_at_one_go_or_named_twice_is_refused() -> None:
    with pytest.raises(CrivoError, match="neither stored nor deflated"):
        parse_model(archive(reads(dump_model(DummyClassifier())), zipfile.ZIP_BZIP2))
    twice = io.BytesIO(dump_model(DummyClassifier()))
    with zipfile.ZipFile(twice, "a") as file, pytest.warns(UserWarning, match="Duplicate name"):
        file.writestr("schema.json", b"")
    with pytest.raises(CrivoError, match="two of its members have the same name"):
        parse_model(twice.getvalue())


def test_a_file_of_another_version_of_the_format_is_refused() -> None:
    """Older versions are read by other rules, which check less."""
    data = dump_model(DummyClassifier())
    for version in (0, 1, 3, True, None):
        with pytest.raises(CrivoError, match="not in version 2 of the skops format"):
            parse_model(redescribed(data, lambda schema, v=version: schema.update(protocol=v)))


OWN = """
from typing import NamedTuple
from sklearn.base import BaseEstimator
import os
class Pair(NamedTuple):
    low: float
    high: float
class Between(BaseEstimator):
    def predict(self, rows): return [self.pair_.low] * len(rows)
if True:
    def double(rows): return rows * 2
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    """Give the module of a block's file."""
    (tmp_path / "own_blocks").mkdir()
    (tmp_path / "own_blocks/mine.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(allowed, "OWN_PACKAGES", allowed.OWN_PACKAGES | {"own_blocks"})

    def module() -> object:
        import importlib

        return importlib.import_module("own_blocks.mine")

    yield module
    for name in ("own_blocks.mine", "own_blocks"):
        sys.modules.pop(name, None)


def test_what_a_block_defines_can_be_stored(own: Callable[[], object]) -> None:
    mine = own()
    model = mine.Between()
    model.pair_, model.kind_ = mine.Pair(1.5, 2.5), mine.Between
    loaded = parse_model(dump_model(model))
    assert loaded.predict([0, 0]) == [1.5, 1.5]
    assert (loaded.pair_, loaded.kind_) == (model.pair_, mine.Between)
    doubling = parse_model(dump_model(FunctionTransformer(mine.double)))
    assert doubling.func is mine.double


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("name", ["os", "Missing"])
def test_what_a_block_only_imports_can_not(name: str) -> None:
    for held in (kind("own_blocks.mine", name), crafted.function("own_blocks.mine", name)):
        with pytest.raises(CrivoError, match=f"does not trust: own_blocks.mine.{name}"):
            parse_model(holding(held))
