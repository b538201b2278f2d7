#!/usr/bin/env python3
"""Tests the page of `bridge studio` in Chromium with a virtual board.

Prints a line for each check, then the measured figures, and exits with 1 if a check fails. The first argument is the
folder for screenshots. Each further argument selects the checks whose names contain it.
"""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Independent"))

import files
import missing
import playing
import reading
import report
from attack import ForeignPage
from boards import BRIDGE
from browser import Keys, Page, chromium, quit_chromium, wait
from report import expect, expect_equal
from scenes import REST_S, SIMPLE, changed_lines, opened, saved
from tool import Tool, ahap, buzz, tap

SCREENSHOTS = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build" / "studio-pictures")
WIDTHS = {390: 844, 820: 1180, 1440: 900}
# The printed figure is for human readers; a check fails only if a drag is too slow to appear fluent on any computer.
FRAMES_PER_S_LEAST = 20
figures = {}


def check_load():
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        page.wait_for("title", "a.ahap")
        page.wait_for("board", "Felt on virtual board")
        page.click("list")
        wait(lambda: len(page.all("#rows tr")) == 3, "three rows")
        page.wait_for("problems", "None")
        expect_equal(page.errors(), [], "the errors of the browser")
        expect_equal(tool.end(), -signal.SIGINT, "the status after Ctrl-C")


def check_newcomer():
    """Checks that a user without instructions can add, play, feel and save a tap and a buzz in an empty folder."""
    with Tool() as tool:
        page = Page(tool.url)
        page.wait_for("empty", "Double-click to add a tap, drag to add a buzz")
        page.wait_for("board", "Felt")
        page.double_click(0.2, 0.9)
        page.wait_for("status", "Tap at 0.200 s")
        page.drag((0.5, 0.6), (150, 0))
        page.wait_for("status", "Buzz at")
        count = len(tool.levels())
        page.keys(" ")
        tool.wait_for_level(count, "the played pattern")
        page.control("s")
        wait(lambda: tool.file("untitled.ahap").exists(), "untitled.ahap")
        kinds = [entry["Event"]["EventType"] for entry in tool.pattern("untitled.ahap")]
        expect_equal(kinds, ["HapticTransient", "HapticContinuous"], "the events of the file")
        page.wait_for("status", "to play it from a terminal, use bridge play")
        subprocess.run([str(BRIDGE.resolve()), "play", "--virtual", "untitled.ahap"], cwd=tool.folder, check=True,
                       capture_output=True, timeout=30)


def check_drag():
    """Checks that a drag is felt before it ends, changes one line in the file, and can be undone in one step."""
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        count = len(tool.levels())
        page.press((0.2, 0.8), (60, 0))
        tool.wait_for_level(count, "a dragged tap")
        expect_equal(tool.read("a.ahap"), SIMPLE, "the file during the drag")
        page.release()
        page.wait_for("saved", "not saved")
        text = saved(tool, page)
        expect_equal(len(changed_lines(SIMPLE, text)), 2, "the changed lines, old and new")
        page.control("z")
        page.wait_for("status", "Undone: now tap at 0.200 s")
        wait(lambda: page.text("saved") == "not saved", "a change by undo")
        expect_equal(saved(tool, page), SIMPLE, "the file after undo")
        expect_equal(page.errors(), [], "the errors of the browser")


def check_given_up():
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        page.press((0.2, 0.8), (60, 0))
        page.keys(Keys.ESCAPE)
        page.release()
        tool.wait_for_rest()
        page.double_click(1.0, 0.9)
        expect_equal(json.loads(saved(tool, page))["Pattern"][0], tap(0.2, 0.8), "the tap whose drag was cancelled")


def check_keyboard():
    """Checks that all functions can be used with the keyboard: select, move, change, add, play, stop and save."""
    with Tool(a=SIMPLE) as tool:
        page = Page(tool.url)
        wait(lambda: page.all("[data-name='a.ahap']"), "the library")
        page.keys("/", "a.ahap", Keys.TAB)
        page.keys(Keys.ENTER)
        page.wait_for("status", "is open")
        page.keys(".")
        page.wait_for("status", "Tap at 0.200 s")
        page.keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
        page.wait_for("status", "Tap at 0.201 s, intensity 0.79")
        page.keys(".", Keys.DELETE)
        page.wait_for("status", "removed")
        page.keys(Keys.END, "b")
        page.wait_for("status", "Buzz at 1.500 s")
        page.keys(Keys.HOME, " ")
        wait(lambda: page.text("play") == "Pause", "playing")
        page.keys(Keys.ESCAPE)
        page.wait_for("status", "at rest; the board has confirmed it")
        page.keys("?")
        expect(page.element("keys").is_displayed(), "the table of keys is not shown")
        page.keys(Keys.ESCAPE)
        saved(tool, page)
        times = [entry["Event"]["Time"] for entry in tool.pattern("a.ahap")]
        expect_equal(times, [0.201, 1.5, 1.5], "the times of the file")


def check_focus():
    """Checks that Tab reaches every control, that each control has a name, and that the focus is visible."""
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        page.driver.execute_script("document.activeElement.blur()")
        seen = set()
        for _ in range(100):
            page.keys(Keys.TAB)
            name, outline = page.driver.execute_script(
                "const e = document.activeElement;"
                "return [e === document.body ? '' : e.id || e.textContent, getComputedStyle(e).outlineStyle];")
            expect(name == "" or outline != "none", f"the focus on {name} cannot be seen")
            seen.add(name)
        missing = {"play", "stop", "loop", "save-as", "timeline", "search", "scroll", "keep-a"} - seen
        expect_equal(missing, set(), "the controls that Tab does not reach")
        nameless = page.driver.execute_script(
            "return [...document.querySelectorAll('button, input, select, canvas')].filter((e) =>"
            " !(e.getAttribute('aria-label') || e.closest('label') || e.textContent.trim())).map((e) => e.outerHTML);")
        expect_equal(nameless, [], "the controls without a name")


def check_list():
    """Checks that a value can be typed in the list and that it changes one line in the file."""
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        page.click("list")
        field = wait(lambda: page.all("[aria-label='Intensity of Tap 1']"), "the field")[0]
        field.click()
        page.control("a")
        page.keys("0.55", Keys.TAB)
        page.wait_for("status", "intensity 0.55")
        expect_equal([line[2:].strip() for line in changed_lines(SIMPLE, saved(tool, page))],
                     ['"ParameterValue": 0.8', '"ParameterValue": 0.55'], "the difference")


def check_escape():
    with Tool(a=ahap(buzz(0, 20, 1))) as tool:
        page = opened(tool)
        page.keys(" ")
        tool.wait_for_level(0, "the played pattern")
        page.keys(Keys.ESCAPE)
        tool.wait_for_rest("rest after Escape", REST_S)
        page.wait_for("status", "at rest; the board has confirmed it")


def check_page_lost():
    with Tool(a=ahap(buzz(0, 20, 1))) as tool:
        page = opened(tool)
        page.keys(" ")
        tool.wait_for_level(0, "the played pattern")
        chromium().get("about:blank")
        tool.wait_for_rest("rest after the page was closed", REST_S)


def check_blind_test():
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        page.click("keep-a")
        page.keys(".", *[Keys.ARROW_UP] * 5)
        page.click("keep-b")
        page.keys("x")
        page.wait_for("status", "Version A")
        page.click("blind")
        for number in range(1, 4):
            count = len(tool.levels())
            page.all("[data-which='X']")[0].click()
            tool.wait_for_level(count, "X")
            page.all("[data-answer='A']")[0].click()
            page.wait_for("score", f"of {number} right")
        expect_equal(page.text("play"), "Play", "the label of the button during the blind test")
        page.wait_for("score", "Guessing would give at least")
        page.click("blind")
        expect(not page.element("abx").is_displayed(), "the test does not end")


def check_pen():
    """Checks that a line that is drawn with a pen becomes a buzz and a curve that shapes the buzz."""
    with Tool() as tool:
        page = Page(tool.url)
        page.wait_for("board", "Felt")
        page.double_click(0.9, 0.5)
        page.wait_for("status", "Tap at")
        page.keys("p")
        page.pointer(0.1, 0.1).click_and_hold().move_by_offset(80, -60).move_by_offset(80, 60).release().perform()
        page.wait_for("status", "2 selected")
        saved(tool, page, "untitled.ahap")
        kinds = [next(iter(entry)) for entry in tool.pattern("untitled.ahap")]
        expect_equal(sorted(kinds), ["Event", "Event", "ParameterCurve"], "the entries")


def check_curve():
    """Checks that a new curve extends over the selection and has no effect until its points are moved."""
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        page.keys(".", ".", "c")
        page.wait_for("status", "Curve of intensity with 3 points, from 0.600 s")
        saved(tool, page)
        curve = next(entry["ParameterCurve"] for entry in tool.pattern("a.ahap") if "ParameterCurve" in entry)
        expect_equal([(point["Time"], point["ParameterValue"]) for point in curve["ParameterCurveControlPoints"]],
                     [(0, 1), (0.25, 1), (0.5, 1)], "the points of the curve")


def check_record():
    with Tool() as tool:
        page = Page(tool.url)
        page.wait_for("board", "Felt")
        page.double_click(0.9, 0.5)
        page.wait_for("status", "Tap at")
        page.keys("r")
        page.driver.execute_script("document.activeElement.blur()")
        chain = page.pointer(0.5)
        chain.key_down("j").pause(0.04).key_up("j").pause(0.2).key_down("k").pause(0.4).key_up("k").perform()
        page.keys("r")
        page.wait_for("status", "2 recorded")
        saved(tool, page, "untitled.ahap")
        kinds = [entry["Event"]["EventType"] for entry in tool.pattern("untitled.ahap")]
        expect_equal(kinds.count("HapticContinuous"), 1, "the long presses")


def check_copies():
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        page.control("a")
        page.wait_for("status", "3 selected")
        page.control("d")
        page.wait_for("status", "3 selected")
        expect_equal(json.loads(saved(tool, page))["Pattern"][3:],
                     [tap(1.5, 0.8), buzz(1.9, 0.5, 0.6), tap(2.8, 0.4)], "the copies")


def check_foreign_page():
    """Checks that a page from another port in the same browser cannot read or change anything, even though it
    has the cookie."""
    with Tool(a=SIMPLE) as tool:
        opened(tool)
        with ForeignPage(tool.url) as foreign:
            expect_equal(foreign.attempts(chromium()), {
                "fetch": "refused", "read": "refused", "frame": "refused", "script": "refused", "socket": "refused"},
                "the results of the foreign page")
        expect_equal(tool.read("a.ahap"), SIMPLE, "the file")
        expect(not any(tool.levels()), "the foreign page has started playback")


def large():
    """Returns a pattern with as many events and bytes as the largest known file."""
    generator = random.Random(27)
    entries, now = [], 0
    for _ in range(4488):
        now += generator.uniform(0.015, 0.083)
        time = round(now, 6)
        entries.append(tap(time, round(generator.random(), 6)) if generator.random() < 0.7
                       else buzz(time, 0.04, round(generator.random(), 6)))
    return json.dumps({"Version": 1.0, "Pattern": entries}, indent=4)


DRAG = (Path(__file__).with_name("drag.js")).read_text()


def check_speed():
    """Measures the frame rate of a drag in a pattern of 4,488 events, with all events and with some events shown."""
    with Tool(a=large()) as tool:
        page = opened(tool)
        chromium().set_script_timeout(60)
        for name, steps in (("all", 0), ("some", 4)):
            stamps = chromium().execute_async_script(DRAG, steps)
            expect(stamps, "no event can be dragged")
            rate = 1000 * (len(stamps) - 1) / (stamps[-1] - stamps[0])
            figures[f"studio_frames_per_s_{name}"] = rate
            figures[f"studio_frame_ms_max_{name}"] = max(b - a for a, b in zip(stamps, stamps[1:]))
            expect(rate >= FRAMES_PER_S_LEAST, f"{rate:.1f} frames/s with {name} events shown")
        page.wait_for("saved", "not saved")


# Measures the delay from a movement of the pointer until the page sends the resulting edit to the tool.
DELAYS = """
window.delays = [];
let moved = null;
document.addEventListener("pointermove", ({ timeStamp }) => { moved ??= timeStamp; }, { capture: true });
const { send } = WebSocket.prototype;
WebSocket.prototype.send = function sendTimed(text) {
  if (moved !== null && text.includes('"edit"')) {
    window.delays.push(performance.now() - moved);
    moved = null;
  }
  return send.call(this, text);
};
"""


def check_delay():
    """Measures the delay until the page sends an edit that the pointer causes: the page sends the edit in the next
    frame. This delay must be added to the delay that `bench studio` measures."""
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        page.driver.execute_script(DELAYS)
        chain = page.pointer(0.2, 0.8).click_and_hold()
        for way in [8, 8, 8, -8, -8, -8] * 25:
            chain.move_by_offset(0, way)
        chain.release().perform()
        delays = sorted(page.driver.execute_script("return window.delays;"))
        expect(len(delays) > 50, f"of 150 moves, {len(delays)} were sent")
        for name, share in (("p50", 0.5), ("p99", 0.99)):
            figures[f"studio_pointer_to_socket_ms_{name}"] = delays[int(share * len(delays))]


def picture(page, name):
    """Saves a screenshot. Checks that no element is wider than the page."""
    width = page.driver.execute_script("return innerWidth;")
    page.driver.save_screenshot(str(SCREENSHOTS / f"{name}.png"))
    wide = page.driver.execute_script("return document.documentElement.scrollWidth - innerWidth;")
    expect(wide <= 0, f"{name}: the page is {wide} pixels too wide at {width} pixels")


def check_pictures():
    """Shows an empty folder, a new pattern and a rich pattern at three widths, in light and in dark mode."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    tour = (ROOT / "Sources" / "AHAP" / "Patterns" / "tour.ahap").read_text()
    for width, height in WIDTHS.items():
        for scheme in ("light", "dark"):
            with Tool() as tool:
                page = Page(tool.url, width, height, scheme)
                page.wait_for("board", "Felt")
                picture(page, f"studio-empty-{width}-{scheme}")
                page.double_click(0.2, 0.9)
                page.wait_for("status", "Tap at")
                wait(lambda: page.pixels("prediction") > 10, "the prediction")
                picture(page, f"studio-new-{width}-{scheme}")
            with Tool(tour=tour) as tool:
                page = opened(tool, "tour.ahap", width=width, height=height, scheme=scheme)
                page.keys(".", ".")
                wait(lambda: page.all("#losses button"), "the losses")
                picture(page, f"studio-{width}-{scheme}")


def main():
    checks = [(name[6:].replace("_", " "), check) for module in (sys.modules[__name__], playing, reading, files, missing)
              for name, check in vars(module).items() if name.startswith("check_")]
    words = sys.argv[2:]
    checks = [(name, check) for name, check in checks if not words or any(word in name for word in words)]
    try:
        failures = report.run(checks)
    finally:
        quit_chromium()
    for name, value in sorted(figures.items()):
        print(f"{name} {value:.1f}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
