"""The first and last steps that checks of the page have in common: opening a pattern, and reading the file of the
pattern."""

import difflib

from browser import Page, wait
from tool import ahap, buzz, tap

SIMPLE = ahap(tap(0.2, 0.8), buzz(0.6, 0.5, 0.6), tap(1.5, 0.4))
REST_S = 2
NO_BOARD = ("--port", "/dev/haptic-bridge-none")


def opened(tool, name="a.ahap", **options):
    """Opens a file in the library. Returns the page."""
    page = Page(tool.url, **options)
    wait(lambda: page.all(f"[data-name='{name}']"), f"{name} in the library")[0].click()
    page.wait_for("status", "is open")
    return page


def focused_on_pattern(page):
    page.driver.execute_script("document.getElementById('timeline').focus()")


def changed_lines(before, after):
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "+-"]


def saved(tool, page, name="a.ahap"):
    page.control("s")
    page.wait_for("saved", "saved")
    page.wait_for("status", "is saved")
    return tool.read(name)
