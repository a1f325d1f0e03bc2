"""Each wheel says with Python's own modules alone which files a project has."""

import io
import zipfile
from pathlib import Path

import pytest
from tests.crivo.project.wheels import FILES, adding, packed, wheel_of

from crivo.core.errors import CrivoError
from crivo.project.contents import new_files
from crivo.project.upgrade import read_release, read_wheel
from crivo.project.wheel import Wheel


def test_a_wheel_says_its_files_with_nothing_installed(tmp_path: Path) -> None:
    wheel = wheel_of("7.0", {f"{FILES}/Makefile": adding("# seven\n")})
    found = read_release(wheel, "Churn", tmp_path / "seven")
    written = [path for path in found.files.rglob("*") if path.is_file()]
    files = {path.relative_to(found.files).as_posix(): path.read_bytes() for path in written}
    assert files["Makefile"].endswith(b"# seven\n")
    assert files[f"vendor/{wheel.name}"] == wheel.content
    assert files.keys() == new_files("Churn", wheel).keys()
    assert files["pyproject.toml"] == new_files("Churn", wheel)["pyproject.toml"]


@pytest.mark.parametrize("name", ["crivo-2-py3-none-any.whl", "pandas-3-py3-none-any.whl"])
def test_what_is_no_wheel_of_crivo_is_refused(tmp_path: Path, name: str) -> None:
    empty = packed({"crivo/__init__.py": b"", "crivo-2.dist-info/METADATA": b""})
    content = b"damaged" if name.startswith("crivo") else empty.content
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CrivoError, match="is not a wheel of crivo"):
        read_wheel(tmp_path / name)
    with pytest.raises(CrivoError, match="can't be read"):
        read_wheel(tmp_path / "missing.whl")
    with pytest.raises(CrivoError, match="can't say which files a project has"):
        read_release(empty, "Churn", tmp_path / "empty")


def test_a_wheel_that_unpacks_to_hundreds_of_megabytes_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name in ("crivo/__init__.py", "other/table.bin"):
            file.writestr(name, bytes(51 * 2**20))
    wheel = Wheel("crivo-2-py3-none-any.whl", buffer.getvalue())
    assert len(wheel.content) < 2**20
    with pytest.raises(CrivoError, match="unpacks to more than 100 MB"):
        read_release(wheel, "Churn", tmp_path / "large")
    assert not (tmp_path / "large/library").exists()
