"""Functions that the checks of the page share: they open a page and patterns, and read the reports of the page's
workers."""

import base64
import functools
import json
import sys
from pathlib import Path

from browser import Page, chromium, wait
from report import TRIES, expect_equal
from server import ROOT, Handler, site
from simulated import ACTUATOR

SCREENSHOTS = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build" / "web-pictures")
BUZZ = {"Pattern": [{"Event": {"Time": 0, "EventType": "HapticContinuous", "EventDuration": 30}}]}

# Records the workers of the page and the workers' reports.
RECORD = """
window.workers = [];
window.reports = [];
const Plain = Worker;
window.Worker = class extends Plain {
  constructor(...values) {
    super(...values);
    workers.push(this);
    this.addEventListener("message", ({ data: { report } }) => {
      if (report) reports.push(report.type === "levels" ? { type: "levels", values: [...report.values] } : report);
    });
  }
};
"""


def in_real_time(check):
    """Marks a check of the sound or of the speed of the page on this computer.

    The worker uses the clock of the computer. The check may be repeated, because other programs also use the computer.
    """
    @functools.wraps(check)
    def run():
        Handler.is_real_time = True
        try:
            check()
        finally:
            Handler.is_real_time = False
    run.tries = TRIES
    return run


def opened(link="", **size):
    """Loads the page without the state of an earlier page."""
    page = Page("about:blank", **size)
    page.driver.get(site() + link)
    wait(lambda: page.all("#patterns button"), "the patterns")
    return page


def recorded(link="", **size):
    """Loads the page, and records the reports of its workers."""
    driver = chromium()
    script = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": RECORD})
    try:
        return opened(link, **size)
    finally:
        driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def reports(page, type):
    """Returns the reports of a type that were received since the last call."""
    return page.driver.execute_script("""
        const [type] = arguments;
        const found = reports.filter((report) => report.type === type);
        reports = reports.filter((report) => report.type !== type);
        return found;""", type)


def page_levels(page):
    """Returns the levels on the bus of the page's virtual board as tuples (time in microseconds, value, drive)."""
    values = [value for report in reports(page, "levels") for value in report["values"]]
    return list(zip(values[::3], values[1::3], values[2::3]))


def linked(pattern):
    text = pattern if isinstance(pattern, str) else json.dumps(pattern)
    return "#pattern=" + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def choose(page, name):
    next(button for button in page.all("#patterns button") if button.text == name).click()
    page.wait_for("title", name)


def choose_file(page, path):
    page.element("file").send_keys(str(path.resolve()))
    page.wait_for("title", path.name)


def set_up(page):
    """Chooses an actuator for a board without a configured actuator."""
    page.wait_for("board", "not configured")
    page.driver.execute_script(
        "const known = document.getElementById('known'); known.selectedIndex = "
        "[...known.options].findIndex(({ text }) => text.startsWith(arguments[0]));", ACTUATOR)
    page.click("configure")
    page.wait_for("status", "stored on the board")
    page.wait_for("board", ACTUATOR)


def play(page):
    """Plays the open pattern. Checks that everything was on time."""
    page.driver.execute_script("document.getElementById('status').textContent = '';")
    page.click("play")
    wait(lambda: page.text("status") not in ("", "Playing") or page.text("problem"), "the end of the pattern", 60)
    expect_equal(page.text("problem"), "", "the problem")
    expect_equal(page.text("status"), "Played: everything was on time.", "the status")


def has_no_errors(page):
    expect_equal(page.errors(), [], "the errors of the browser")
