"""Checks of the playback (hold, scrub, loop, rate, gain, mute, pressure) and of the prediction."""

import subprocess

from browser import Keys, chromium, wait
from report import expect, expect_equal
from scenes import NO_BOARD, REST_S, SIMPLE, focused_on_pattern, opened, saved
from boards import BRIDGE, virtual_board
from tool import Tool, ahap, buzz, tap

HELD = ahap(tap(0.5, 0.9), tap(3, 0.5))


def check_hold():
    """Checks that the position under a held pointer is felt repeatedly until the pointer is released."""
    with Tool(a=HELD) as tool:
        page = opened(tool)
        page.press_longer(0.5, 0.9)
        wait(lambda: tool.pulses() >= 3, "a point that is held is not felt three times")
        page.release()
        tool.wait_for_rest("rest after the pointer was released", REST_S)
        page.wait_for("status", "at rest; the board has confirmed it")


def check_hold_by_key():
    """Checks that, after a press of the key, the selection is held until the key is pressed again."""
    with Tool(a=HELD) as tool:
        page = opened(tool)
        page.keys(".", "h")
        wait(lambda: tool.pulses() >= 3, "a point that is held by a key is not felt three times")
        page.keys("h")
        tool.wait_for_rest("rest after the second press", REST_S)


def check_scrub():
    """Checks that the level at the pointer on the scale is felt while the pointer stays there."""
    with Tool(a=ahap(buzz(0.5, 1, 0.6), tap(3, 1))) as tool:
        page = opened(tool)
        way = page.position(0.9, lane="ruler")[0] - page.position(0.2, lane="ruler")[0]
        page.press((0.2, 0, "ruler"), (way, 0))
        wait(lambda: (tool.levels() or [0])[-1] > 0, "the level at the playhead is not felt")
        page.driver.execute_async_script("setTimeout(arguments[0], 400)")
        expect(tool.levels()[-1] > 0, "the level ends although the pointer stays")
        page.release()
        tool.wait_for_rest("rest after the pointer was released", REST_S)


def check_loop_region():
    """Checks that, in a loop, only the range that is selected on the scale is repeated."""
    with Tool(a=ahap(tap(0.2, 0.9), buzz(1, 1, 0.3))) as tool:
        page = opened(tool)
        page.mark(0.1, 0.4)
        page.wait_for("hint", "Loop from 0.")
        expect_equal(page.element("loop").get_attribute("aria-pressed"), "true", "the state of the loop button")
        page.keys(" ")
        wait(lambda: tool.pulses() >= 5, "the selected range is not felt five times")
        page.keys(Keys.ESCAPE)
        tool.wait_for_rest("rest after Escape", REST_S)
        page.wait_for("status", "at rest; the board has confirmed it")
        page.keys("l", " ")
        expect_equal(page.text("play"), "Pause", "the label of the play button")
        wait(lambda: page.text("play") == "Play", "the end of the pattern")
        expect_equal(page.element("loop").get_attribute("aria-pressed"), "false", "the state of the loop button")


def check_rate():
    """Checks that a buzz lasts twice as long at half the rate."""
    with Tool(a=ahap(buzz(0, 0.5, 0.8))) as tool:
        page = opened(tool)
        page.element("rate").send_keys("50")
        page.wait_for("rate", "50 %")
        focused_on_pattern(page)
        page.keys(" ")
        tool.wait_for_level(0, "the played pattern")
        tool.wait_for_rest()
        start = next(time for time, level in tool.writes() if level > 0)
        length = tool.writes()[-1][0] - start
        expect(0.9 < length < 1.2, f"half a second at half the rate takes {length:.3f} s")


def check_gain_and_mute():
    """Checks that levels are weaker at half the gain, even during playback, that Mute stops all output, and that the
    page states that the studio is muted."""
    with Tool(a=ahap(buzz(0, 20, 1))) as tool:
        page = opened(tool)
        page.keys(" ")
        tool.wait_for_level(0, "the played pattern")
        most = max(tool.levels())
        page.element("gain").send_keys(*[Keys.ARROW_LEFT] * 10)
        page.wait_for("hint", "Gain 50 %")
        wait(lambda: 0 < tool.levels()[-1] < 0.7 * most, "half the gain is not weaker")
        focused_on_pattern(page)
        page.keys("m")
        tool.wait_for_rest("rest after mute", REST_S)
        page.wait_for("board", "Not felt: the studio is muted")
        page.keys("m")
        page.wait_for("board", "Felt on")
        wait(lambda: tool.levels()[-1] > 0, "the pattern is not felt again")


def check_pressure():
    """Checks that the pressure of a pen determines the strength of the recorded events."""
    with Tool(a=ahap(tap(3, 0.1))) as tool:
        page = opened(tool)
        page.keys("r")
        page.wait_for("status", "Recording")
        box = page.element("timeline").rect
        for kind, force in (("mousePressed", 0.3), ("mouseMoved", 0.9), ("mouseReleased", 0)):
            chromium().execute_cdp_cmd("Input.dispatchMouseEvent", {
                "type": kind, "x": box["x"] + 300, "y": box["y"] + 100, "button": "left", "clickCount": 1,
                "buttons": int(force > 0), "force": force, "pointerType": "pen"})
        page.keys("r")
        page.wait_for("status", "1 recorded")
        event = next(entry["Event"] for entry in page_pattern(tool, page) if entry["Event"]["Time"] != 3)
        expect_equal(event["EventParameters"][0]["ParameterValue"], 0.9, "the intensity")


def page_pattern(tool, page):
    saved(tool, page)
    return tool.pattern("a.ahap")


def check_reduced_motion():
    """Checks that the page has no animations for users who prefer reduced motion."""
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        page.size(1440, 900, "light", motion="reduce")
        page.keys("?")
        moving = page.driver.execute_script("""
            return [...document.querySelectorAll("*")].filter((element) => {
              const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
              return transitionDuration !== "0s" || animationName !== "none" || scrollBehavior !== "auto";
            }).map(({ tagName, id }) => tagName + "#" + id);""")
        expect_equal(moving, [], "the animated elements")
        expect_equal(page.driver.execute_script("return document.getAnimations().length;"), 0, "the animations")


def check_predictions():
    """Checks that the page draws the predicted acceleration of the board or, without a board, the prediction for a coin
    LRA and a coin ERM."""
    for board, ghosts in ((("--virtual",), False), (NO_BOARD, True)):
        with Tool(board=board, a=SIMPLE) as tool:
            page = opened(tool)
            page.wait_for("board", "Not felt" if ghosts else "Felt on")
            wait(lambda: page.pixels("prediction") > 100, "the prediction is not drawn")
            if ghosts:
                wait(lambda: page.pixels("ghost") > 100, "the prediction for an ERM is not drawn")
            else:
                expect_equal(page.pixels("ghost"), 0, "the pixels of an ERM in addition to those of the board")


def check_measuring():
    """Checks that the page measures the pattern on a board with an accelerometer, draws the measured acceleration, lists
    the events, and removes the result after an edit."""
    with Tool(a=SIMPLE) as tool:
        page = opened(tool)
        wait(lambda: page.element("measure").is_enabled(), "the button is not enabled")
        page.click("measure")
        wait(lambda: "ms later than predicted" in page.text("measured") or "earlier" in page.text("measured"),
             "the measured events are not listed")
        expect_equal(page.text("measure"), "Measure", "the label of the button after the measurement")
        wait(lambda: page.pixels("measured") > 100, "the measured acceleration is not drawn")
        page.press((0.2, 0.8), (60, 0))
        page.release()
        wait(lambda: page.text("measured") == "", "the result remains after an edit")
        wait(lambda: page.pixels("measured") == 0, "the measured acceleration remains after an edit")


def check_energy():
    """Checks that the page draws the remaining energy of an actuator with a budget, and that this energy decreases."""
    with virtual_board() as board:
        subprocess.run(
            [str(BRIDGE.resolve()), "actuator", "set", "--port", board.path, "--kind", "lra", "--resonance", "170", "--rated",
             "2.5", "--overdrive", "3.5", "--sustained", "50", "--full-for", "2"], check=True, capture_output=True, timeout=30)
        with Tool(board=("--port", board.path), a=ahap(buzz(0, 4, 1))) as tool:
            page = opened(tool)
            page.wait_for("board", "Felt on")
            wait(lambda: page.pixels("energy", 0, 0.2, 16) > 100, "the remaining energy is not drawn")
            expect(page.pixels("energy", 0.8, 1, 16) < page.pixels("energy", 0, 0.2, 16) / 2,
                   "the energy does not decrease")
            wait(lambda: page.pixels("loss", 0.4, 1, 16) > 10, "low energy does not have the color of a loss")
