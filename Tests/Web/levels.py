"""Checks of the levels that the page causes on the bus of the virtual board and of simulated boards."""

import json
import os
import tempfile
from pathlib import Path

from pages import choose_file, has_no_errors, page_levels, play, recorded, set_up
from report import Failure, Skipped, expect
from server import ROOT, plugged, virtual_trace
from simulated import Cable, simulated_board, tool_board, tool_levels, unless_busy

SHARED = Path(os.environ.get("HAPTIC_BRIDGE_SHARED", ROOT.parent / "shared")) / "ahap"
FILES = 20
# The durations of the files that are played, in seconds.
SHORTEST, LONGEST = 0.3, 2.2
DIFFERENCE_MOST_US = 2000
# The largest step of a ramp, in units of 1/255.
STEP_MOST = 8

COMPILED = """
const [done] = arguments;
const worker = workers.at(-1);
const id = "compiled";
worker.addEventListener("message", ({ data }) => { if (data.id === id) done([...data.result]); });
worker.postMessage({ id, name: "compiledFile", values: [-1] });
"""


def duration(file):
    """Returns the end of the last event in a file, in seconds; 0 if a strict reader rejects the file."""
    try:
        entries = json.loads(file.read_text("utf-8-sig"))["Pattern"]
        events = [entry["Event"] for entry in entries if "Event" in entry]
        return max(event["Time"] + event.get("EventDuration", 0) for event in events)
    except (ValueError, KeyError, TypeError):
        return 0


def played_files():
    files = [file for file in sorted(SHARED.glob("*.ahap")) if SHORTEST <= duration(file) <= LONGEST]
    if len(files) < FILES:
        raise Skipped("the shared files are absent")
    return [files[index * len(files) // FILES] for index in range(FILES)]


def changes(levels):
    """Returns the changes in the level."""
    found = []
    for at, value in levels:
        if value != (found[-1][1] if found else 0):
            found.append((at, value))
    return found


def since_change(levels, index):
    """Returns the levels with times relative to the change with the given index."""
    return [(at - levels[index][0], value) for at, value in levels]


def expect_within(ours, theirs, name):
    """Checks that each level in a trace is also a level in the other trace at most 2 ms earlier or later, or is between
    two of these levels.

    The level may differ by 1/255. The steps of a ramp after a tap are counted from the write that ends the tap (SPEC
    6.1), and the time of this write varies by a few microseconds. Even in two runs of `bridge play`, a step may
    therefore be rounded to the next value, and the last step may or may not occur just before the end of the ramp. For
    this reason, a level that lasts for less than 2 ms may differ by another step.
    """
    for (_, previous), (at, value), (end, _) in zip([(0, 0), *ours], ours, [*ours[1:], (float("inf"), 0)]):
        before = [level for time, level in theirs if time < at - DIFFERENCE_MOST_US][-1:] or [0]
        near = before + [level for time, level in theirs if abs(time - at) <= DIFFERENCE_MOST_US]
        slack = 1 + (min(abs(value - previous), STEP_MOST) if end - at < DIFFERENCE_MOST_US else 0)
        expect(
            min(near) - slack <= value <= max(near) + slack,
            f"{name}: level {value} at {at / 1000:.1f} ms is not in the range of {near}")


def expect_same(page, tool, name):
    """Compares the levels that the page and `bridge play` have caused. Returns the number of levels.

    The times are relative to the first change or, if the first step was rounded to 0 in only one trace, to the last
    change.
    """
    page, tool = changes(page), changes(tool)
    expect(tool, f"{name}: bridge has played nothing")
    for index in (0, -1):
        ours, theirs = since_change(page, index), since_change(tool, index)
        try:
            expect_within(ours, theirs, f"{name}, the page")
            expect_within(theirs, ours, f"{name}, bridge")
            break
        except Failure:
            if index == -1:
                raise
    return len(page)


def compiled(page, folder, name):
    """Returns the open pattern as a compiled file. `bridge play` plays this file by the same rules as the page.

    `bridge play` compiles other files in parts, just before the parts are due, so their levels vary from run to run.
    """
    file = Path(folder) / f"{name}.hbes"
    file.write_bytes(bytes(page.driver.execute_async_script(COMPILED)))
    return file


def virtual_levels(page):
    page_levels(page)
    play(page)
    return [(at, value) for at, value, _ in page_levels(page)]


def check_levels_of_the_virtual_board():
    count = 0
    page = recorded()
    page.click("virtual")
    page.wait_for("board", "virtual board")
    with tempfile.TemporaryDirectory() as folder:
        for file in played_files():
            choose_file(page, file)
            levels = virtual_levels(page)
            stream = compiled(page, folder, file.name)
            count += expect_same(levels, unless_busy(lambda: virtual_trace(stream)), file.name)
    print(f"figure web_virtual_same_levels {count} levels")
    has_no_errors(page)


def compare_on_board(name):
    same = 0
    files = played_files()
    with tool_board() as tools, simulated_board(name) as board, plugged(Cable(board)), \
            tempfile.TemporaryDirectory() as folder:
        page = recorded()
        page.click("connect")
        set_up(page)
        for file in files:
            choose_file(page, file)
            count = len(board.levels)
            play(page)
            levels = board.levels[count:]
            same += expect_same(levels, tool_levels(tools, compiled(page, folder, file.name)), file.name)
        page.click("disconnect")
        page.wait_for("board", "No board is connected")
        has_no_errors(page)
    print(f"figure web_{name.lower()}_same_levels {same} levels")


def check_levels_of_the_simulated_uno():
    compare_on_board("Uno")


def check_levels_of_the_simulated_pico():
    compare_on_board("Pico")
