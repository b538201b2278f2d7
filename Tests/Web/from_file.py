"""Checks the page that a browser opens from a disk: the single file works, and the folder reports that it cannot be
used."""

from browser import Page, wait
from pages import BUZZ, choose, choose_file, in_real_time, linked, play
from report import expect, expect_equal
from server import ROOT, SITE

ARCHIVE = ROOT / "Tests" / "Fuzzers" / "Corpora" / "host_hac" / "deflated"

# Presses "Connect a board". Returns whether the page may use ports, and whether it asks for a port.
ASKS_FOR_PORT = """
const [done] = arguments;
navigator.serial.getPorts().then(() => {
  navigator.serial.requestPort = async () => done(isSecureContext);
  document.getElementById("connect").click();
});
"""


def single(link=""):
    page = Page("about:blank")
    page.driver.get((SITE / "haptic-bridge.html").resolve().as_uri() + link)
    wait(lambda: page.all("#patterns button"), "the patterns")
    return page


@in_real_time
def check_single_file():
    """Checks that, without a server, the page plays patterns, converts archives, and offers a choice of ports."""
    page = single()
    choose(page, "heartbeat")
    play(page)
    choose_file(page, ARCHIVE)
    page.wait_for("status", "converted from .hac of Hapticlabs")
    expect(not page.element("link").is_displayed(), "a link to a file of this computer is offered")
    page.click("disconnect")
    page.wait_for("board", "No board is connected")
    expect(page.driver.execute_async_script(ASKS_FOR_PORT), "the page does not ask for a port")
    page = single(linked(BUZZ))
    page.wait_for("title", "Pattern from the link")
    expect_equal(page.errors(), [], "the errors of the browser")


def check_folder_without_server():
    page = Page((SITE / "index.html").resolve().as_uri())
    problem = page.element("problem")
    expect(problem.is_displayed() and "open haptic-bridge.html" in problem.text, f"the page says {problem.text}")
