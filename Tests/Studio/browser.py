"""The page of `bridge studio` in Chromium: a user's actions, and the visible results."""

import functools
import shutil
import time

from selenium import webdriver
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from report import Skipped, expect

WAIT_S = 60
# The lanes of the timeline, in pixels, with the values in view.js.
RULER, LOSSES, ENERGY, HEAD, MARGIN = 24, 30, 16, 18, 30
LANES = {"intensity": 0.46, "sharpness": 0.24}

PIXELS = """
const [name, left, right, last] = arguments;
const canvas = document.getElementById("timeline");
const dot = document.createElement("canvas").getContext("2d");
dot.fillStyle = getComputedStyle(canvas).getPropertyValue(`--${name}`);
dot.fillRect(0, 0, 1, 1);
const [r, g, b] = dot.getImageData(0, 0, 1, 1).data;
const { width, height } = canvas;
const rows = last ?? height;
const { data } = canvas.getContext("2d").getImageData(
  Math.round(left * width), height - rows, Math.round((right - left) * width), rows);
let count = 0;
for (let at = 0; at < data.length; at += 4) if (data[at] === r && data[at + 1] === g && data[at + 2] === b) count += 1;
return count;
"""

# Records the texts that are drawn on canvases from now on.
TEXTS = """
window.texts = [];
const { fillText } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.fillText = function noted(text, ...rest) {
  window.texts.push(text);
  return fillText.call(this, text, ...rest);
};
"""


def wait(condition, what, seconds=WAIT_S):
    """Waits until a condition is true. Returns the value of the condition."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        expect(time.monotonic() < end, f"{what}: not within {seconds} s")
        time.sleep(0.01)


@functools.cache
def chromium():
    """Returns the browser, which all checks share."""
    programs = [shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")]
    driver = shutil.which("chromedriver")
    if not any(programs) or not driver:
        raise Skipped("chromium and chromedriver are not installed")
    options = Options()
    options.binary_location = next(filter(None, programs))
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))


def quit_chromium():
    if chromium.cache_info().currsize > 0:
        chromium().quit()


class Page:
    """A tab that shows the page."""

    def __init__(self, url, width=1600, height=900, scheme="light"):
        self.driver = driver = chromium()
        self.size(width, height, scheme)
        driver.get_log("browser")
        driver.get(url)

    def size(self, width, height, scheme, motion="no-preference"):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme},
                         {"name": "prefers-reduced-motion", "value": motion}]})

    def element(self, name):
        return self.driver.find_element(By.ID, name)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, name):
        return self.element(name).get_attribute("textContent")

    def wait_for(self, name, text):
        wait(lambda: text in self.text(name), f"{text!r} in {name}, which contains {self.text(name)!r}")

    def click(self, name):
        self.element(name).click()

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def control(self, key, shift=False):
        chain = ActionChains(self.driver).key_down(Keys.CONTROL)
        if shift:
            chain.key_down(Keys.SHIFT)
        chain.send_keys(key)
        if shift:
            chain.key_up(Keys.SHIFT)
        chain.key_up(Keys.CONTROL).perform()

    def errors(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    # The timeline

    def position(self, time, level=0.5, lane="intensity"):
        """Returns the offset of a position on the timeline from its middle, in pixels."""
        width, height = self.driver.execute_script(
            "const c = document.getElementById('timeline'); return [c.clientWidth, c.clientHeight];")
        start, end = self.driver.execute_script(
            "const s = document.getElementById('shown').textContent.split(' '); return [Number(s[0]), Number(s[2])];")
        # If the beginning is visible, the margin before time 0 shifts the middle.
        margin = MARGIN if start == 0 else 0
        x = margin + (time - start) * (width - margin) / (end - start)
        if lane == "ruler":
            return round(x - width / 2), round(RULER / 2 - height / 2)
        rest = height - RULER - LOSSES - ENERGY
        top = RULER + (0 if lane == "intensity" else round(rest * LANES["intensity"]))
        share = round(rest * LANES[lane])
        y = top + share - 2 - level * (share - HEAD - 2)
        return round(x - width / 2), round(y - height / 2)

    def pointer(self, time, level=0.5, lane="intensity"):
        """Returns actions that begin at a position on the timeline."""
        return ActionChains(self.driver, duration=20).move_to_element_with_offset(
            self.element("timeline"), *self.position(time, level, lane))

    def double_click(self, time, level=0.5, lane="intensity"):
        self.pointer(time, level, lane).double_click().perform()

    def press(self, start, pixels):
        """Presses at a position and drags by a number of pixels, without releasing."""
        self.pointer(*start).click_and_hold().move_by_offset(pixels[0] // 2, pixels[1] // 2).move_by_offset(
            pixels[0] - pixels[0] // 2, pixels[1] - pixels[1] // 2).perform()

    def press_longer(self, time, level):
        """Presses at a position without releasing."""
        self.pointer(time, level).click_and_hold().perform()

    def mark(self, start, end):
        """Selects a range of the timeline by dragging on its scale while Shift is pressed."""
        way = self.position(end, lane="ruler")[0] - self.position(start, lane="ruler")[0]
        self.pointer(start, lane="ruler").key_down(Keys.SHIFT).click_and_hold().move_by_offset(way, 0).release().key_up(
            Keys.SHIFT).perform()

    def pixels(self, color, left=0, right=1, last=None):
        """Returns the number of pixels on the timeline that have a color from the style sheet.

        `left` and `right` are fractions of the timeline's width. `last` is the number of rows to count, beginning at
        the bottom, or None to count all rows.
        """
        return self.driver.execute_script(PIXELS, color, left, right, last)

    def note_texts(self):
        self.driver.execute_script(TEXTS)

    def texts(self):
        """Returns the texts that have been drawn since the recording of texts began."""
        return self.driver.execute_script("return window.texts;")

    def release(self):
        ActionChains(self.driver).release().perform()

    def drag(self, start, pixels):
        self.press(start, pixels)
        self.release()
