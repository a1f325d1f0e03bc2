"""Is the site built without a warning, and read without a network?"""

from pathlib import Path

from tests.crivo.evaluation.report import test_browser as browsers
from tests.crivo.processes import SRC, python


@browsers.pytestmark
def test_it_is_built_without_a_warning_and_axe_finds_nothing(tmp_path: Path) -> None:
    site = tmp_path / "site"
    given = ("--strict", "--site-dir", str(site), "--config-file", "docs/assets/mkdocs.yml")
    done = python("-m", "mkdocs", "build", *given, folder=SRC.parent)
    assert done.returncode == 0, done.stderr
    with browsers.opened(site / "index.html", tmp_path) as driver:
        for page in ("index", "guide", "evidence", "experiments"):
            driver.get((site / f"{page}.html").as_uri())
            assert browsers.violations(driver) == [], page
