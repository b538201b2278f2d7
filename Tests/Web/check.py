#!/usr/bin/env python3
"""Tests the page that plays patterns without an installation, in Chromium.

Prints a line for each check, and exits with 1 if a check fails. The first argument is the folder for screenshots. Each
further argument selects the checks whose names contain it. WEB_SITE is the folder that `make web` creates.
"""

import json
import sys
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "Independent"), str(ROOT / "Tests" / "Studio")]

import access
import compiled
import ends
import from_file
import levels
import library
import mishaps
import ports
import preview
import report
import speed
import starts
from browser import Keys, quit_chromium, wait
from pages import BUZZ, SCREENSHOTS, choose, choose_file, has_no_errors, linked, opened
from report import expect, expect_equal

HTML = "<img src=x onerror=document.title='attacked'><script>document.title='attacked'</script>"

# Returns the number of levels that the picture shows in the color of the bus.
BUS_PIXELS = """
const canvas = document.getElementById("picture");
const dot = document.createElement("canvas").getContext("2d");
dot.fillStyle = getComputedStyle(canvas).getPropertyValue("--bus");
dot.fillRect(0, 0, 1, 1);
const [r, g, b] = dot.getImageData(0, 0, 1, 1).data;
const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
let count = 0;
for (let at = 0; at < data.length; at += 4) if (data[at] === r && data[at + 1] === g && data[at + 2] === b) count += 1;
return count;
"""

# Plays a pattern with the library, as the page of another program does.
LIBRARY = """
const [pattern, done] = arguments;
import("./haptic-bridge.js").then(async ({ connect }) => {
  const board = await connect({ virtual: true });
  const levels = [];
  board.addEventListener("report", ({ detail }) => { if (detail.type === "levels") levels.push(...detail.values); });
  const first = board.play(pattern, { loop: true });
  const begun = new Promise((resolve) => board.addEventListener("report", ({ detail }) => {
    if (detail.type === "playing") resolve();
  }));
  await begun;
  const second = board.play(pattern);
  const results = [(await first).type, (await second).type];
  const errors = [];
  await board.play("{").catch((error) => errors.push(error.name, error.line, error.column));
  await board.close();
  await board.play(pattern).catch((error) => errors.push(error.name));
  await board.configure(0, 0).catch((error) => errors.push(error.message));
  await board.calibrate(0).catch((error) => errors.push(error.message));
  done([results, errors, levels.length > 0]);
}).catch((error) => done(String(error)));
"""

# Ends the worker while a pattern plays, and plays again.
CRASH = """
const [pattern, done] = arguments;
import("./haptic-bridge.js").then(async ({ connect }) => {
  const board = await connect({ virtual: true });
  const ended = board.play(pattern).catch((error) => error.message);
  await new Promise((resolve) => setTimeout(resolve, 300));
  board.worker.dispatchEvent(new ErrorEvent("error", { message: "trap" }));
  const message = await ended;
  await board.connect({ virtual: true });
  const playing = board.play(pattern);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await board.stop();
  done([message, (await playing).type]);
}).catch((error) => done(String(error)));
"""


def check_newcomer():
    """Checks that, without a board, the page plays a named pattern that the user has chosen, and shows the levels of
    the pattern."""
    page = opened()
    page.wait_for("board", "No board is connected")
    choose(page, "heartbeat")
    page.wait_for("losses", "4 events as designed")
    page.click("play")
    page.wait_for("board", "virtual board")
    page.wait_for("status", "Played: everything was on time")
    wait(lambda: page.driver.execute_script(BUS_PIXELS) > 50, "the levels on the bus")
    has_no_errors(page)


def check_stop_by_key():
    page = opened(linked(BUZZ))
    page.wait_for("title", "Pattern from the link")
    page.keys(" ")
    page.wait_for("status", "Playing")
    page.keys(Keys.ESCAPE)
    page.wait_for("status", "Stopped")
    has_no_errors(page)


def check_loop_and_gain():
    page = opened()
    choose(page, "impact-light")
    page.click("loop")
    page.driver.execute_script(
        "const gain = document.getElementById('gain'); gain.value = 0.5; gain.dispatchEvent(new Event('input'));")
    # The focus is on the button, so Space would press it.
    page.driver.execute_script("document.activeElement.blur();")
    page.keys(" ")
    page.wait_for("status", "Playing")
    wait(lambda: page.driver.execute_script(BUS_PIXELS) > 0, "the levels on the bus")
    expect_equal(page.text("status"), "Playing", "the status of a loop that is longer than its pattern")
    page.keys(Keys.ESCAPE)
    page.wait_for("status", "Stopped")
    has_no_errors(page)


def check_virtual_board():
    page = opened()
    page.click("virtual")
    page.wait_for("board", "virtual board, firmware")
    page.click("disconnect")
    page.wait_for("board", "No board is connected")
    has_no_errors(page)


def check_links():
    page = opened("#pattern=heartbeat")
    page.wait_for("title", "heartbeat")
    page = opened("#pattern=" + quote(json.dumps(BUZZ)))
    page.wait_for("status", "30.00 s, 1 event")
    has_no_errors(page)


def check_hostile_links():
    event = {"Time": 0, "EventType": HTML}
    links = {
        linked({"Pattern": [{"Event": event}]}): "line 1, column",
        linked({"Pattern": [{HTML: event}]}): "line 1, column",
        linked({"Pattern": [{"Event": {"Time": 0, "EventType": "HapticTransient", HTML: 1}}]}): "",
        linked('{"Pattern":' + "[" * 100_000): "line 1, column",
        linked('{"Pattern":[{"Event":{"Time":1e999,"EventType":"HapticTransient"}}]}'): "line 1, column",
        "#pattern=" + quote(HTML): "contains no pattern",
        "#pattern=%": "damaged",
        "#pattern=": "contains no pattern",
    }
    for link, problem in links.items():
        page = opened(link)
        if problem:
            page.wait_for("problem", problem)
        else:
            page.wait_for("remarks", "<img")
        expect_equal(page.all("img"), [], "the images")
        expect_equal(page.driver.title, "Haptic Bridge", "the title")
        has_no_errors(page)


def check_file():
    page = opened()
    path = SCREENSHOTS / "dropped.ahap"
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(BUZZ))
    choose_file(page, path)
    path.write_text('{"Pattern": [\n{"Event": {"Time": 0, "EventType": "x"}}]}')
    page.element("file").send_keys(str(path.resolve()))
    page.wait_for("problem", "dropped.ahap: line 2, column 36")
    expect_equal(page.text("title"), "dropped.ahap", "the title after a file with an error")
    has_no_errors(page)


def check_library():
    page = opened()
    page.driver.set_script_timeout(20)
    pattern = json.dumps({"Pattern": [{"Event": {"Time": 0, "EventType": "HapticTransient"}}]})
    expect_equal(
        page.driver.execute_async_script(LIBRARY, pattern),
        [["stopped", "played"], ["PatternError", 1, 2, "BoardError", *["no board is connected"] * 2], True],
        "the results of the library")
    has_no_errors(page)


def check_worker_that_ends():
    page = opened()
    page.driver.set_script_timeout(20)
    found = page.driver.execute_async_script(CRASH, json.dumps(BUZZ))
    expect("trap" in found[0], f"the message is {found[0]}")
    expect_equal(found[1], "stopped", "the playback with the next worker")


def main():
    words = sys.argv[2:]
    everything = dict(globals())
    for module in (access, compiled, from_file, levels, library, ports, speed, starts, mishaps, preview, ends):
        everything |= vars(module)
    checks = [(name[6:].replace("_", " "), check) for name, check in everything.items() if name.startswith("check_")]
    try:
        chosen = [item for item in checks if not words or any(word in item[0] for word in words)]
        failures = report.run(chosen, tries=1)
    finally:
        quit_chromium()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
