"""Each wheel says with Python's own modules alone which files a project has."""

import io
import zipfile
from pathlib import Path

import pytest
from tests.crivo.project.wheels import FILES, adding, packed, wheel_of

from crivo.core.errors import CrivoError
from crivo.project.contents import new_files
from crivo.project.upgrade.release import read_release, read_wheel
from crivo.project.wheel import Wheel


def test_a_wheel_says_its_files_with_nothing_installed(tmp_path: Path) -> None:
    wheel = wheel_of("7.0", {f"{FILES}/Makefile": adding("# seven\n")})
    found = read_release(wheel, "Churn", tmp_path / "seven")
    assert found.text("Makefile").endswith("# seven\n")
    assert (found.folder / f"vendor/{wheel.name}").read_bytes() == wheel.content
    assert found.paths == new_files("Churn", wheel).keys()
    assert found.text("pyproject.toml").encode() == new_files("Churn", wheel)["pyproject.toml"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("crivo-2-py3-none-any.whl", b"damaged", "is not a wheel of crivo"),
        ("pandas-3-py3-none-any.whl", None, "is not a wheel of crivo"),
        ("missing.whl", None, "can't be read"),
    ],
)
def test_what_is_no_wheel_of_crivo_is_refused(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    path = tmp_path / name
    if name != "missing.whl":
        path.write_bytes(content or empty().content)
    with pytest.raises(CrivoError, match=message):
        read_wheel(path)


def test_a_wheel_without_the_files_of_a_project_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match="can't say which files a project has"):
        read_release(empty(), "Churn", tmp_path / "empty")


def test_a_wheel_that_unpacks_to_hundreds_of_megabytes_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("crivo/__init__.py", bytes(400 * 2**20))
    wheel = Wheel("crivo-2-py3-none-any.whl", buffer.getvalue())
    assert len(wheel.content) < 2**20
    with pytest.raises(CrivoError, match="unpacks to more than 100 MB"):
        read_release(wheel, "Churn", tmp_path / "large")
    assert not (tmp_path / "large/library").exists()


def empty() -> Wheel:
    return packed({"crivo/__init__.py": b"", "crivo-2.dist-info/METADATA": b""})
