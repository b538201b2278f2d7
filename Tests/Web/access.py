"""Checks the page without a mouse, for screen readers, at three widths, and in light and dark mode."""

import tempfile
from pathlib import Path

from selenium.common.exceptions import NoAlertPresentException

from browser import ActionChains, Keys, wait
from pages import BUZZ, SCREENSHOTS, has_no_errors, linked, opened, play
from report import expect, expect_equal

WIDTHS = {390: 844, 820: 1180, 1440: 900}
# The contrast of text that WCAG 2.2 requires (1.4.3).
CONTRAST_LEAST = 4.5

FOCUS = """
const at = document.activeElement;
return at === document.body ? ["", "body", ""] : [at.id, at.textContent.trim(), getComputedStyle(at).outlineStyle];
"""

# Returns the visible texts that have too little contrast with their background. Ignores disabled controls.
CONTRASTS = """
const [least] = arguments;
const luminance = (color) => {
  const [r, g, b] = color.match(/[\\d.]+/g).map(Number).map((value) => {
    const part = value / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const background = (element) => {
  const color = getComputedStyle(element).backgroundColor;
  return /, 0\\)$/.test(color) && element.parentElement ? background(element.parentElement) : color;
};
const low = [];
for (const element of document.querySelectorAll("body *:not(option)")) {
  const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
  if (!hasText || element.disabled || !element.checkVisibility()) continue;
  const pair = [getComputedStyle(element).color, background(element)].map(luminance).sort((a, b) => b - a);
  if ((pair[0] + 0.05) / (pair[1] + 0.05) < least) low.push(element.id || element.textContent.trim().slice(0, 40));
}
return low;
"""


def tab_to(page, wanted, most=200):
    """Presses Tab until an element has the focus. Checks that the focus is visible. Returns the ids and texts of the
    elements before this element."""
    seen = []
    for _ in range(most):
        page.keys(Keys.TAB)
        name, text, outline = page.driver.execute_script(FOCUS)
        expect(text == "body" or outline != "none", f"the focus on {name or text} cannot be seen")
        if wanted in (name, text):
            return seen
        seen.append(name or text)
    expect(False, f"Tab does not reach {wanted}, but {seen}")


def check_keyboard():
    """Checks that, without a mouse, a user can choose a pattern, connect and set up a board, and play and stop the
    pattern."""
    page = opened()
    tab_to(page, "virtual")
    page.keys(Keys.ENTER)
    page.wait_for("board", "virtual board")
    tab_to(page, "ball")
    page.keys(Keys.ENTER)
    page.wait_for("title", "ball")
    tab_to(page, "play")
    page.keys(Keys.ENTER)
    page.wait_for("status", "Playing")
    page.keys(Keys.ESCAPE)
    page.wait_for("status", "Stopped")
    tab_to(page, "loop")
    page.keys(" ")
    expect_equal(page.element("loop").get_attribute("aria-pressed"), "true", "the state of Loop")
    tab_to(page, "gain")
    page.keys(Keys.ARROW_LEFT)
    expect_equal(page.element("gain").get_attribute("value"), "0.95", "the gain")
    page.driver.execute_script("document.activeElement.blur();")
    page.keys("l")
    expect_equal(page.element("loop").get_attribute("aria-pressed"), "false", "the state of Loop after L")
    has_no_errors(page)


def asked(page):
    """Returns the question that the page asks; None if the page has not yet asked a question."""
    try:
        return page.driver.switch_to.alert
    except NoAlertPresentException:
        return None


def check_setup():
    """Checks that a user can choose and calibrate an actuator with the keyboard, and that the page asks before it
    replaces values."""
    page = opened()
    page.click("virtual")
    page.wait_for("board", "virtual board")
    tab_to(page, "Set up the actuator")
    page.keys(Keys.ENTER)
    tab_to(page, "known")
    page.keys("C")
    tab_to(page, "configure")
    page.keys(Keys.ENTER)
    question = wait(lambda: asked(page), "the question")
    expect("Replace its values?" in question.text, f"the question is {question.text}")
    question.accept()
    page.wait_for("status", "configured as C10-100")
    page.wait_for("board", "C10-100")
    tab_to(page, "calibrate")
    page.keys(Keys.ENTER)
    page.wait_for("status", "is calibrated")
    has_no_errors(page)


def check_names():
    """Checks that each control that a screen reader finds has a name."""
    page = opened("#pattern=heartbeat")
    page.click("virtual")
    page.wait_for("board", "virtual board")
    page.driver.execute_script("document.getElementById('setup').open = true;")
    nodes = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = ("button", "combobox", "slider", "image", "toolbar", "alert", "region", "textbox")
    controls = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes if not node["ignored"] and node["role"]["value"] in roles]
    expect(len(controls) > 20, f"only {len(controls)} controls")
    expect_equal([role for role, name in controls if not name], [], "the controls without a name")


def check_pictures():
    """Checks that the page has enough contrast at three widths, in light and dark mode."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for width, height in WIDTHS.items():
        for scheme in ("light", "dark"):
            page = opened("#pattern=heartbeat", width=width, height=height, scheme=scheme)
            page.wait_for("title", "heartbeat")
            play(page)
            page.driver.execute_script("document.getElementById('setup').open = true;")
            page.driver.save_screenshot(str(SCREENSHOTS / f"web-{width}-{scheme}.png"))
            wide = page.driver.execute_script("return document.documentElement.scrollWidth - innerWidth;")
            expect(wide <= 0, f"the page is {wide} pixels too wide at {width} pixels")
            low = page.driver.execute_script(CONTRASTS, CONTRAST_LEAST)
            expect_equal(low, [], f"the texts with little contrast at {width} pixels, {scheme}")


def check_hurried_user():
    """Checks a double click, capital letters, a space on a heading, and a board that is disconnected while it plays."""
    page = opened(linked(BUZZ))
    page.wait_for("title", "Pattern from the link")
    ActionChains(page.driver).double_click(page.element("play")).perform()
    page.wait_for("status", "Playing")
    expect_equal(page.text("problem"), "", "the problem of a double click")
    page.keys("L")
    page.driver.execute_script("document.querySelector('summary').focus();")
    page.keys("L", " ")
    expect_equal(page.element("loop").get_attribute("aria-pressed"), "false", "the state of Loop after L twice")
    expect(page.element("configure").is_displayed(), "a space does not open the part for the setup")
    page.click("disconnect")
    page.wait_for("board", "No board is connected")
    page.wait_for("status", "Stopped")
    expect_equal(page.element("level").get_attribute("value"), "0", "the bar after the end")
    has_no_errors(page)


def check_wrong_files():
    """Checks that the page names the kind of a file that is not a pattern, with the remedy."""
    files = {
        "page.ahap": (b"\n<!DOCTYPE HTML><html>", "a web page, not a pattern; download the pattern file itself"),
        "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(99), "a PNG image, not a pattern"),
        "sound.mp3": (b"ID3" + bytes(99), "a sound, not a pattern; make a pattern from the sound"),
        "empty.ahap": (b"", "the file is empty"),
        "large.ahap": (bytes(17 << 20), "larger than 16 MB"),
    }
    page = opened()
    with tempfile.TemporaryDirectory() as folder:
        for name, (content, problem) in files.items():
            path = Path(folder) / name
            path.write_bytes(content)
            page.element("file").send_keys(str(path))
            page.wait_for("problem", f"{name}: ")
            page.wait_for("problem", problem)
    page = opened("#pattern=hartbeat")
    page.wait_for("problem", "no pattern of the name in the link, hartbeat")
    has_no_errors(page)
