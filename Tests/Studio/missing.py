"""Checks of a page whose tool is not running, and of a browser that the tool has not authorized."""

from selenium.webdriver.common.by import By

from browser import Keys, Page, chromium, wait
from report import expect, expect_equal
from scenes import SIMPLE, opened, saved
from tool import Tool

NEEDS_TOOL = ("undo", "redo", "save", "save-as", "new", "play", "stop", "add-tap", "record", "snap", "rename", "remove", "search",
              "keep-a", "blind")


def shown_times(page):
    return [field.get_attribute("value") for field in page.all("#rows [data-field='time']")]


def try_to_edit(page):
    """Uses all controls that change a pattern."""
    page.double_click(1.0, 0.9)
    page.drag((0.2, 0.8), (60, 0))
    page.drag((1.3, 0.6), (60, 0))
    page.keys(Keys.ESCAPE, ".", Keys.ARROW_RIGHT, "t", "b", "c", "r", "j", "r", Keys.DELETE, " ")
    for key in "zydx":
        page.control(key)


def check_tool_missing():
    """Checks that the page reports the end of its tool, and accepts no edits until a tool runs at the same address."""
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        page.click("list")
        wait(lambda: len(page.all("#rows tr")) == 3, "three rows")
        page.keys(".")
        times = shown_times(page)
        port = tool.port
        tool.end()
        page.wait_for("lost", "does not answer")
        page.wait_for("board", "Not felt: bridge studio does not answer")
        try_to_edit(page)
        page.wait_for("status", "nothing can be changed or played")
        expect_equal(shown_times(page), times, "the times that the page shows")
        expect_equal(page.text("play"), "Play", "the label of the play button")
        enabled = [name for name in NEEDS_TOOL if page.element(name).is_enabled()]
        expect_equal(enabled, [], "the controls that are enabled without the tool")
        expect(not page.all("#rows input")[0].is_enabled(), "a value can be typed without the tool")
        tool.start("--page-port", str(port))
        page.wait_for("lost", "Open the latest address that it has printed")
        old = chromium().current_window_handle
        chromium().switch_to.new_window("tab")
        Page(tool.url)
        chromium().close()
        chromium().switch_to.window(old)
        wait(lambda: not page.element("lost").is_displayed(), "the recovery of the page")
        page.wait_for("status", "a.ahap is open")
        expect_equal(shown_times(page), times, "the displayed times after the recovery")
        expect_equal(tool.read("a.ahap"), SIMPLE, "the file")
        page.double_click(1.0, 0.9)
        page.wait_for("status", "Tap at 1.000 s")
        saved(tool, page)
        expect_equal(len(tool.pattern("a.ahap")), 4, "the entries of the file")


def check_another_browser():
    """Checks that the page explains, in a browser that the tool has not authorized, that the tool prints the
    address."""
    with Tool(a=SIMPLE) as tool:
        opened(tool)
        chromium().delete_all_cookies()
        chromium().get(tool.url)
        text = chromium().find_element(By.TAG_NAME, "body").text
        expect("Open the latest address that bridge has printed" in text, f"the page contains {text!r}")
        url = tool.next_url()
        expect(url != tool.url, "the address is not new")
        Page(url).wait_for("title", "a.ahap")
