"""Is the site built without a warning, and read without a network?"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of the built site; a warning fails."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    command += ["--config-file", "docs/assets/mkdocs.yml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_in_the_site(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    for page in pages:
        if page.parts[0] in ("examples", "README.pt-BR.md"):  # read in the repository
            continue
        built = page.with_name("index.html") if page.stem == "README" else page.with_suffix(".html")
        assert (site / built).is_file(), page
