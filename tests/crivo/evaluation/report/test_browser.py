"""The report in a real Chromium: it opens, sorts, fits a phone and runs nothing of the data.

Needs Debian's packages `chromium` and `chromium-driver`; said, not failed, where they are not.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from crivo.evaluation.report import to_html
from tests.crivo.evaluation.report.test_page import EVIL, report

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(
    not (BROWSER and DRIVER), reason="needs Debian's packages chromium and chromium-driver"
)

# Chromium asks its maker's servers at every start unless told not to.
OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    folder = tmp_path_factory.mktemp("browser")
    page = folder / "report.html"
    page.write_text(to_html(report()), encoding="utf-8")
    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for option in (*OPTIONS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    driver.get(page.as_uri())
    yield driver
    driver.quit()


def first_cells(browser: webdriver.Chrome) -> list[str]:
    rows = browser.find_elements(By.CSS_SELECTOR, "table.sortable tbody")[0]
    return [row.text for row in rows.find_elements(By.CSS_SELECTOR, "td:first-child")]


def test_it_opens_without_a_complaint_and_loads_nothing_else(browser: webdriver.Chrome) -> None:
    assert "0." in browser.find_element(By.CLASS_NAME, "headline").text
    assert browser.get_log("browser") == []
    loaded = browser.execute_script("return performance.getEntriesByType('resource').length")
    assert loaded == 0


def test_a_target_that_looks_like_a_script_is_text(browser: webdriver.Chrome) -> None:
    assert EVIL in browser.find_element(By.TAG_NAME, "main").text
    assert browser.execute_script("return document.scripts.length") == 1


def test_a_click_sorts_a_table_and_another_turns_it_round(browser: webdriver.Chrome) -> None:
    button = browser.find_elements(By.CSS_SELECTOR, "table.sortable th button")[0]
    button.click()
    assert first_cells(browser) == sorted(first_cells(browser))
    button.click()
    assert first_cells(browser) == sorted(first_cells(browser), reverse=True)


def test_numbers_sort_as_numbers_and_by_the_keyboard(browser: webdriver.Chrome) -> None:
    button = browser.find_elements(By.CSS_SELECTOR, "table.sortable th button")[1]
    browser.execute_script("arguments[0].focus()", button)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    column = browser.find_elements(By.CSS_SELECTOR, "table.sortable tbody")[0]
    shown = [float(c.text) for c in column.find_elements(By.CSS_SELECTOR, "td:nth-child(2)")]
    assert shown == sorted(shown)


def test_only_numbers_are_set_as_numbers(browser: webdriver.Chrome) -> None:
    numbers = browser.find_elements(By.CSS_SELECTOR, "th.n button")
    names = {button.get_attribute("textContent") for button in numbers}
    assert {"value", "95 % interval", "baseline", "difference", "its interval", "loss"} == names


@pytest.mark.parametrize("width", [1400, 800, 500])
def test_the_page_never_scrolls_sideways(browser: webdriver.Chrome, width: int) -> None:
    browser.set_window_size(width, 900)
    script = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.execute_script(script) <= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_light_and_dark(browser: webdriver.Chrome, scheme: str) -> None:
    features = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", features)
    script = "const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]"
    ink, paper = (brightness(colour) for colour in browser.execute_script(script))
    assert (ink < 60 and paper > 240) if scheme == "light" else (ink > 200 and paper < 40)


def brightness(colour: str) -> float:
    """Return the mean of a CSS colour's red, green and blue, of 255."""
    parts = colour[colour.index("(") + 1 : colour.index(")")].split(",")[:3]
    return sum(float(part) for part in parts) / 3


def test_the_page_can_be_printed(browser: webdriver.Chrome, tmp_path: Path) -> None:
    assert browser.execute_cdp_cmd("Page.printToPDF", {})["data"].startswith("JVBER")  # %PDF
