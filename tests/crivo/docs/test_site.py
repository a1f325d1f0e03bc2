"""Is the site built without a warning, and read without a network?"""

import subprocess
import sys
from pathlib import Path

import pytest
from axe_core_python.selenium import Axe

from tests.crivo.evaluation.report import test_browser as browsers

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


@browsers.pytestmark
def test_axe_finds_nothing(site: Path, tmp_path: Path) -> None:
    with browsers.opened(site / "index.html", tmp_path) as driver:
        driver.set_script_timeout(120)
        for page in ("index", "guide", "evidence", "experiments"):
            driver.get((site / f"{page}.html").as_uri())
            found = Axe().run(driver)["violations"]
            assert [(page, one["id"], one["nodes"][0]["html"]) for one in found] == []
