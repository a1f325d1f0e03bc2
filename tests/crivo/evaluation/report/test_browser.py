"""The report in a real Chromium: it opens, fits a phone and runs nothing of the data.

Needs Debian's packages `chromium` and `chromium-driver`; said, not failed, where they are not.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_core_python.selenium import Axe
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from crivo.evaluation.report import to_html
from tests.crivo.evaluation.report.made_up import report

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(
    not (BROWSER and DRIVER), reason="needs Debian's packages chromium and chromium-driver"
)

# A container's shared memory is small. Chromium asks its maker's servers at every start unless told
# not to.
OPTIONS = """--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-quic
--no-first-run --disable-background-networking --disable-component-update --disable-sync"""


@contextmanager
def opened(page: Path, folder: Path) -> Iterator[webdriver.Chrome]:
    """Give a Chromium that shows a page, and whose profile lies in a folder."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for option in (*OPTIONS.split(), f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    driver.get(page.as_uri())
    yield driver
    driver.quit()


def resize(browser: webdriver.Chrome, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def violations(browser: webdriver.Chrome) -> list[tuple[str, str]]:
    """Return what axe finds on a page, and where."""
    browser.set_script_timeout(120)
    return [(one["id"], one["nodes"][0]["html"]) for one in Axe().run(browser)["violations"]]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    folder = tmp_path_factory.mktemp("browser")
    page = folder / "report.html"
    page.write_text(to_html(report(with_value=True)), encoding="utf-8")
    with opened(page, folder) as driver:
        yield driver


def test_it_opens_without_a_complaint_and_loads_nothing_else(browser: webdriver.Chrome) -> None:
    assert "Of 100 rows flagged" in browser.find_element(By.CLASS_NAME, "headline").text
    assert browser.get_log("browser") == []
    loaded = browser.execute_script("return performance.getEntriesByType('resource').length")
    assert loaded == 0


def test_other_gains_give_another_value_and_leave_the_result(browser: webdriver.Chrome) -> None:
    """By hand: flagging all is the positives' gains less the others' costs."""
    panel = browser.find_element(By.ID, "what-if")
    points = [one.split() for one in panel.get_dom_attribute("data-points").split(";") if one]
    flagged, hits = map(float, points[-1])
    before = browser.find_element(By.CLASS_NAME, "headline").text
    for name, value in (("true_positive", 2), ("false_positive", -1), ("share", 100)):
        browser.execute_script(
            "const field = document.querySelector(`#what-if [name=${arguments[0]}]`);"
            "field.value = arguments[1];"
            "field.dispatchEvent(new Event('input', {bubbles: true}))",
            name,
            value,
        )
    worth = 2 * hits - (flagged - hits)
    said = panel.find_element(By.CSS_SELECTOR, "[role=status]").text
    shown = re.search(r"Flagging 100 % of the rows is worth (−?)\D?([\d,]+) per 1,000", said)
    assert shown, said
    assert float(shown[2].replace(",", "")) == pytest.approx(abs(worth), rel=0.005)
    assert bool(shown[1]) == (worth < 0)
    assert browser.find_element(By.CLASS_NAME, "headline").text == before


def test_the_arrow_keys_read_the_values_of_a_curve(browser: webdriver.Chrome) -> None:
    plot = browser.find_elements(By.CSS_SELECTOR, ".plot[data-values]")[0]
    browser.execute_script("arguments[0].focus()", plot)
    browser.switch_to.active_element.send_keys(Keys.END)
    last = "false positive rate 1, true positive rate 1, threshold "
    assert (plot.get_attribute("aria-valuetext") or "").startswith(last)
    browser.switch_to.active_element.send_keys(Keys.HOME)
    readout = plot.find_element(By.XPATH, "following-sibling::p[1]")
    assert readout.text == "false positive rate 0, true positive rate 0, threshold –"


def test_the_pointer_reads_the_values_of_a_curve(browser: webdriver.Chrome) -> None:
    plot = browser.find_elements(By.CSS_SELECTOR, ".plot[data-values]")[1]
    ActionChains(browser).move_to_element(plot).perform()
    readout = plot.find_element(By.XPATH, "following-sibling::p[1]")
    assert re.match(r"recall 0\.\d+, precision 0\.\d+, threshold 0\.\d+", readout.text)


def test_a_slice_opens_onto_its_rows(browser: webdriver.Chrome) -> None:
    row = browser.find_element(By.CSS_SELECTOR, "ol.forest summary")
    row.click()
    assert row.find_element(By.XPATH, "../div//table").is_displayed()


BEYOND = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
CUT = """return [...document.querySelectorAll(".row > span:not(.track), figcaption, dd, p, h2")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"""


@pytest.mark.parametrize("width", [1280, 800, 360])
def test_nothing_is_cut_off_or_scrolls_sideways(browser: webdriver.Chrome, width: int) -> None:
    resize(browser, width)
    assert browser.execute_script(BEYOND) <= 0
    assert browser.execute_script(CUT) == []


def test_nothing_is_cut_off_on_paper(browser: webdriver.Chrome) -> None:
    resize(browser, 688)  # A4 without its margins, at 96 dots per inch
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    script = """return [...document.querySelectorAll("table, .row, figure")]
      .filter((one) => one.getBoundingClientRect().right > 689).map((one) => one.textContent)"""
    try:
        assert browser.execute_script(script) == []
        assert browser.execute_script(CUT) == []
        assert browser.execute_cdp_cmd("Page.printToPDF", {})["data"].startswith("JVBER")  # %PDF
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: webdriver.Chrome, scheme: str) -> None:
    """Names, roles, contrast and the order of headings, with everything opened."""
    features = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", features)
    browser.execute_script("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    assert violations(browser) == []
