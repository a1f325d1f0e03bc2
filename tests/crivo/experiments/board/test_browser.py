"""The board in a real Chromium: what it shows, sorts and filters, and that it runs no text.

Needs Debian's packages `chromium` and `chromium-driver`; said, not failed, where they are not.
"""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from crivo.comparison.board.page import board_page
from crivo.comparison.compare import compare
from crivo.comparison.text import as_text
from crivo.project.contents import shipped_file
from crivo.records.history import read_history
from crivo.records.noted import remark
from tests.crivo.evaluation.report.test_browser import OPTIONS
from tests.crivo.experiments.board.test_board import EVIL
from tests.crivo.experiments.many import make_many

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
COUNT = 30

pytestmark = pytest.mark.skipif(
    not (BROWSER and DRIVER), reason="needs Debian's packages chromium and chromium-driver"
)


@pytest.fixture(scope="module")
def text_of_compare() -> list[str]:
    """Hold the lines that `crivo compare` prints for the same experiments."""
    return []


@pytest.fixture(scope="module")
def browser(
    tmp_path_factory: pytest.TempPathFactory, text_of_compare: list[str]
) -> Iterator[webdriver.Chrome]:
    folder = tmp_path_factory.mktemp("browser")
    project = make_many(folder / "project", COUNT)
    project.identify()
    remark("boosting-trial=0", "note", EVIL, project.folder)
    remark("linear-trial=1", "star", folder=project.folder)
    history = read_history(project.folder)
    comparison = compare(folder=project.folder, history=history)
    _answer, *lines = as_text(comparison).splitlines()
    text_of_compare += lines
    page = folder / "board.html"
    text = board_page(comparison, history, shipped_file(".dvc/plots/offline.html"))
    page.write_text(text, encoding="utf-8")
    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for option in (*OPTIONS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    driver.set_window_size(1280, 900)
    driver.get(page.as_uri())
    yield driver
    driver.quit()


@pytest.fixture(autouse=True)
def fresh(browser: webdriver.Chrome) -> None:
    """Load the page again: no test sees what another one chose."""
    browser.refresh()


def column(browser: webdriver.Chrome, label: str) -> list[str]:
    script = "return [...document.querySelectorAll(arguments[0])].map((cell) => cell.innerText)"
    shown: list[str] = browser.execute_script(script, f"#experiments td[data-label='{label}']")
    return shown


def test_every_chart_is_drawn_without_a_complaint(browser: webdriver.Chrome) -> None:
    script = """
      const done = arguments[0];
      Promise.all([...figures].map(([element, one]) => { one.seen = true; return draw(element); }))
        .then(() => done([...figures.keys()].map((one) => one.querySelectorAll("path").length)));
    """
    marks = browser.execute_async_script(script)
    assert len(marks) >= 10
    assert min(marks) > 0
    assert browser.get_log("browser") == []
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_the_rows_are_those_that_compare_prints(
    browser: webdriver.Chrome, text_of_compare: list[str]
) -> None:
    script = "return [...document.querySelectorAll('td.name button')].map((one) => one.title)"
    names = browser.execute_script(script)  # what is shown may leave out the usual model
    values, verdicts = column(browser, "roc_auc ±"), column(browser, "verdict")
    differences = column(browser, "difference from main")
    for name, *cells in zip(names, values, differences, verdicts, strict=True):
        line = next(line for line in text_of_compare if line.startswith(f"{name} "))
        assert line.removeprefix(name).split() == " ".join(cells).split()


def test_a_heading_sorts_by_the_keyboard_and_says_so(browser: webdriver.Chrome) -> None:
    for order, turned in (("descending", True), ("ascending", False)):
        button = browser.find_element(By.CSS_SELECTOR, "th button[data-key='value']")
        button.send_keys(Keys.ENTER)
        head = browser.find_element(By.CSS_SELECTOR, "th[aria-sort]")
        assert (head.text.split()[0], head.get_attribute("aria-sort")) == ("roc_auc", order)
        shown = [round(float(text.split(" ")[0]), 3) for text in column(browser, "roc_auc ±")]
        assert shown == sorted(shown, reverse=turned)


def test_filters_choose_what_is_shown(browser: webdriver.Chrome) -> None:
    browser.find_element(By.ID, "search").send_keys("trial=1 linear")
    WebDriverWait(browser, 10).until(lambda page: len(column(page, "experiment")) < 10)
    assert all(name.startswith("linear-trial=1") for name in column(browser, "experiment"))
    browser.find_element(By.ID, "clear").click()
    browser.find_element(By.ID, "starred").click()
    assert column(browser, "experiment") == ["linear-trial=1"]
    browser.find_element(By.ID, "clear").click()
    browser.find_element(By.CSS_SELECTOR, "button[data-verdict='better']").click()
    assert {*column(browser, "verdict")} == {"better"}


def test_text_from_anybody_is_text(browser: webdriver.Chrome) -> None:
    search = browser.find_element(By.ID, "search")
    search.send_keys("boosting-trial=0")
    WebDriverWait(browser, 10).until(lambda page: len(column(page, "experiment")) == 1)
    browser.find_element(By.CSS_SELECTOR, "td.name button").click()
    assert EVIL in browser.find_element(By.CSS_SELECTOR, "tr.detail").text
    assert browser.title != "taken"
    assert browser.find_elements(By.TAG_NAME, "img") == []


def test_details_have_the_commands_to_copy(browser: webdriver.Chrome) -> None:
    button = browser.find_element(By.CSS_SELECTOR, "td.name button")
    name = button.get_attribute("title")
    button.send_keys(Keys.ENTER)
    detail = browser.find_element(By.CSS_SELECTOR, "tr.detail")
    commands = [code.text for code in detail.find_elements(By.TAG_NAME, "code")]
    assert commands[:3] == [
        f"crivo report {name} --open",
        f"dvc exp apply {name}",
        f"crivo confirm {name}",
    ]


@pytest.mark.parametrize("width", [1280, 360])
def test_the_page_never_scrolls_sideways(browser: webdriver.Chrome, width: int) -> None:
    screen: dict[str, Any] = {
        "width": width,
        "height": 900,
        "deviceScaleFactor": 1,
        "mobile": False,
    }
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.refresh()
    browser.find_element(By.CSS_SELECTOR, "td.name button").click()
    script = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.execute_script(script) <= 0
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


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
