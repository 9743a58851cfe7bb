"""Pages of explain in a browser: Debian's chromium, without a window. `scripts/setup --browser`
installs it; screenshots are left in build/explain."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import explain_goldens
import pytest
from selenium import webdriver
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from triton_shared.explain.gathering import Question
from triton_shared.explain.report import Report

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(
        not shutil.which("chromedriver"), reason="scripts/setup --browser installs chromium"
    ),
]

SHOTS = Path(__file__).resolve().parents[2] / "build" / "explain"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1600,1200"):
        options.add_argument(word)
    options.binary_location = shutil.which("chromium") or ""
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


@pytest.fixture(scope="module", params=["cpu", "cuda:90"])
def page(request: pytest.FixtureRequest, browser: Any, tmp_path_factory: Any) -> Any:
    """A report of the vector add, opened."""
    report = Report.of(
        Question(explain_goldens.ttir_of("add_kernel", request.param), request.param)
    )
    path = report.write(tmp_path_factory.mktemp("page") / "add.html")
    browser.get_log("browser")
    browser.get(path.as_uri())
    browser.report, browser.kind = report, request.param.partition(":")[0]
    return browser


def shoot(page: Any, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    assert page.save_screenshot(str(SHOTS / f"add-{page.kind}-{name}.png"))


def rows(page: Any, pane: str, name: str) -> list[str]:
    found = page.find_elements(By.CSS_SELECTOR, f"#pane-{pane} .{name}")
    return [one.get_attribute("textContent") for one in found]


def row(page: Any, pane: str, text: str) -> Any:
    found = page.find_elements(By.CSS_SELECTOR, f"#pane-{pane} p[data-s]")
    return next(one for one in found if text in one.get_attribute("textContent"))


def point_at(page: Any, element: Any) -> None:
    # Not at its middle: lines are longer than panes.
    x, y = page.execute_script(
        "arguments[0].scrollIntoView({block: 'center', inline: 'start'});"
        "const box = arguments[0].getBoundingClientRect();"
        "return [Math.round(box.left + 60), Math.round(box.top + box.height / 2)];",
        element,
    )
    moves = ActionBuilder(page)
    moves.pointer_action.move_to_location(x, y)
    moves.perform()


def test_nothing_is_logged_and_nothing_is_fetched(page: Any):
    assert page.get_log("browser") == []
    requests = [one["message"] for one in page.get_log("performance") if '"http' in one["message"]]
    assert not any("Network.requestWillBeSent" in one for one in requests)
    shoot(page, "opened")


def test_lines_of_one_place_light_up_together_from_both_sides(page: Any):
    point_at(page, row(page, "source", "x = tl.load"))
    assert any("tt.load" in line for line in rows(page, "ttir", "hover"))
    assert any("tts.load" in line for line in rows(page, "structured", "hover"))
    point_at(page, row(page, "ttir", "arith.addf"))
    assert [line.strip() for line in rows(page, "source", "hover")] == ["output = x + y"]
    shoot(page, "hover")


def test_a_click_keeps_a_line_and_escape_lets_it_go(page: Any):
    row(page, "source", "y = tl.load").click()
    point_at(page, page.find_element(By.TAG_NAME, "h1"))
    assert any("tt.load" in line for line in rows(page, "ttir", "pin"))
    page.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
    assert rows(page, "ttir", "pin") == []


def test_panes_are_shown_and_hidden_by_buttons_and_digits(page: Any):
    buttons = page.find_elements(By.CSS_SELECTOR, "[data-pane]")
    names = [one.text for one in buttons]
    last = page.find_element(By.ID, f"pane-{names[-1]}")
    assert not last.is_displayed()
    buttons[-1].click()
    assert last.is_displayed()
    assert buttons[-1].get_attribute("aria-pressed") == "true"
    source = page.find_element(By.ID, "pane-source")
    page.find_element(By.TAG_NAME, "body").send_keys("1")
    assert not source.is_displayed()
    page.find_element(By.TAG_NAME, "body").send_keys("1")
    assert source.is_displayed()
    point_at(page, row(page, "source", "tl.store"))
    assert rows(page, names[-1], "hover")
    shoot(page, "code")
    buttons[-1].click()


def test_arrows_move_between_lines(page: Any):
    first = row(page, "ttir", "tt.get_program_id")
    page.execute_script("arguments[0].focus()", first)
    webdriver.ActionChains(page).send_keys(Keys.ARROW_DOWN).perform()
    assert "arith.muli" in page.switch_to.active_element.get_attribute("textContent")
    webdriver.ActionChains(page).send_keys(Keys.ENTER).perform()
    assert [one.strip() for one in rows(page, "source", "pin")] == [
        "block_start = pid * BLOCK_SIZE"
    ]
    page.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)


def test_a_diff_is_unpacked_when_it_is_opened(page: Any):
    details = page.find_element(By.CSS_SELECTOR, "details.pass")
    assert details.find_elements(By.CSS_SELECTOR, ".diff span") == []
    details.find_element(By.TAG_NAME, "summary").click()
    WebDriverWait(page, 10).until(lambda _: details.find_elements(By.CSS_SELECTOR, ".diff span"))
    shown = [
        one.get_attribute("textContent")
        for one in details.find_elements(By.CSS_SELECTOR, ".diff span")
    ]
    first = next(one for one in page.report.data["passes"] if one["changed"])
    assert shown == [line or " " for line in first["diff"]]
    shoot(page, "diff")


def test_light_and_dark_are_a_button_apart(page: Any):
    def back() -> str:
        return str(page.find_element(By.TAG_NAME, "body").value_of_css_property("background-color"))

    before = back()
    page.find_element(By.ID, "theme").click()
    assert back() != before
    shoot(page, "other-theme")
    page.find_element(By.ID, "theme").click()
    assert back() == before


def test_print_shows_all_panes(page: Any):
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    panes = page.find_elements(By.CSS_SELECTOR, ".pane")
    assert all(one.is_displayed() for one in panes)
    assert not page.find_element(By.ID, "theme").is_displayed()
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_still_nothing_is_logged(page: Any):
    assert page.get_log("browser") == []
