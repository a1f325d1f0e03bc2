"""The board in a real Chromium: what it shows, sorts and filters, and that it runs no text.

Needs Debian's packages `chromium` and `chromium-driver`; said, not failed, where they are not.
"""

from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.crivo.behaviour.shop import Shop
from tests.crivo.evaluation.report import test_browser
from tests.crivo.made_once import plain_folder

EVIL = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"

pytestmark = test_browser.pytestmark


@pytest.fixture(scope="module")
def shown(seen: Shop, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Give a project with a note and a star, whose board is made."""
    shop = seen.copy(plain_folder(tmp_path_factory) / "shop")
    shop.crivo("note", "stiff", EVIL)
    shop.crivo("note", "flat", "--star")
    shop.crivo("board")
    return shop


@pytest.fixture(scope="module")
def browser(shown: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    page = shown.folder / "board/board.html"
    with test_browser.opened(page, tmp_path_factory.mktemp("browser")) as driver:
        driver.set_window_size(1280, 900)
        yield driver


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
    # Without gains there is no value over thresholds, as its figure says in words.
    assert marks.count(0) == 1
    assert browser.get_log("browser") == []
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_the_rows_are_those_that_compare_prints(browser: webdriver.Chrome, shown: Shop) -> None:
    lines = shown.crivo("compare", "--all").out.splitlines()[1:]
    script = "return [...document.querySelectorAll('td.name button')].map((one) => one.innerText)"
    names = browser.execute_script(script)
    values, verdicts = column(browser, "roc_auc ±"), column(browser, "verdict")
    differences = column(browser, "difference from main")
    for name, *cells in zip(names, values, differences, verdicts, strict=True):
        line = next(line for line in lines if line.startswith(f"{name} "))
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
    browser.find_element(By.ID, "search").send_keys("linear 0.7")
    WebDriverWait(browser, 10).until(lambda page: len(column(page, "experiment")) == 1)
    browser.find_element(By.ID, "clear").click()
    browser.find_element(By.ID, "starred").click()
    assert column(browser, "experiment") == ["flat"]
    browser.find_element(By.ID, "clear").click()
    browser.find_element(By.CSS_SELECTOR, "button[data-verdict='better']").click()
    assert {*column(browser, "verdict")} == {"better"}


def test_text_from_anybody_is_text(browser: webdriver.Chrome) -> None:
    search = browser.find_element(By.ID, "search")
    search.send_keys("stiff")
    WebDriverWait(browser, 10).until(lambda page: len(column(page, "experiment")) == 1)
    browser.find_element(By.CSS_SELECTOR, "td.name button").click()
    assert EVIL in browser.find_element(By.CSS_SELECTOR, "tr.detail").text
    assert browser.title != "taken"
    assert browser.find_elements(By.TAG_NAME, "img") == []


@pytest.mark.parametrize("width", [1280, 360])
def test_the_page_never_scrolls_sideways(browser: webdriver.Chrome, width: int) -> None:
    test_browser.resize(browser, width)
    browser.refresh()
    browser.find_element(By.CSS_SELECTOR, "td.name button").click()
    assert browser.execute_script(test_browser.BEYOND) <= 0
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
