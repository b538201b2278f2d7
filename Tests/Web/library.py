"""Checks the behavior of the library for the values and the calls from a program."""

import json

from pages import has_no_errors, recorded
from report import expect_equal

TAP = json.dumps({"Pattern": [{"Event": {"Time": 0, "EventType": "HapticTransient"}}]})
# `board` is connected to a virtual board, and `seen` contains the types of its reports.
CONNECTED = """
const [pattern, other, done] = arguments;
const nameOf = (error) => error.name;
import("./haptic-bridge.js").then(async ({ connect }) => {
  const board = await connect({ virtual: true });
  const seen = [];
  board.addEventListener("report", ({ detail: { type } }) => seen.push(type));
  %s
}).then(done, (error) => done(String(error)));
"""

VALUES = """
  const found = [];
  for (const number of [-1, 1e20]) {
    found.push(await board.configure(number, 0).catch(nameOf), await board.configure(0, number).catch(nameOf));
    found.push(await board.calibrate(number).catch(nameOf));
  }
  for (const number of [undefined, "x", 0.5]) {
    found.push(await board.configure(number, 0).catch(nameOf), await board.configure(0, number).catch(nameOf));
    found.push(await board.calibrate(number).catch(nameOf));
  }
  for (const gain of [NaN, "x", undefined]) found.push(await board.setGain(gain).catch(nameOf));
  return [found, seen.filter((type) => type !== "levels" && type !== "board")];
"""
PATTERNS = """
  const bytes = new TextEncoder().encode(pattern);
  const found = [];
  for (const source of [pattern, bytes, bytes.buffer, new DataView(bytes.buffer), new Blob([pattern]), JSON.parse(pattern)]) {
    found.push((await board.play(source)).type);
  }
  for (const source of [undefined, null, 5]) found.push(await board.play(source).catch(nameOf));
  return found;
"""
CALIBRATION = """
  const calibration = board.calibrate(0).then(({ type }) => type, (error) => error.message);
  const found = [await board.play(pattern).catch(({ message }) => message)];
  found.push(await board.configure(0, 0).catch(nameOf), await calibration);
  return [...found, (await board.play(pattern)).type];
"""
CLOSED = """
  await board.close();
  const found = [board.worker, board.watch.timer ?? null];
  await board.connect({ virtual: true });
  found.push((await board.play(pattern)).type);
  await board.disconnect();
  await board.connect({ virtual: true });
  return [...found, (await board.playOpen()).type];
"""


def results(script, other="", link=""):
    """Returns the results of a script that uses the library."""
    page = recorded(link)
    page.driver.set_script_timeout(30)
    found = page.driver.execute_async_script(CONNECTED % script, TAP, other)
    has_no_errors(page)
    return found


def check_values_of_the_library():
    """Checks that a wrong number causes an error and does not set up another actuator."""
    names = ["RangeError"] * 6 + ["TypeError"] * 12
    expect_equal(results(VALUES), [names, []], "the errors and the reports")


def check_patterns_of_the_library():
    expect_equal(results(PATTERNS), ["played"] * 6 + ["TypeError"] * 3, "the results of all kinds of patterns")


def check_play_during_a_calibration():
    """Checks that a pattern is rejected with the reason during a calibration, and that the calibration continues."""
    reason = "an actuator is being configured or calibrated: wait until this has ended, or stop it"
    expect_equal(results(CALIBRATION), [reason, "BoardError", "setUp", "played"], "the results")


def check_closed_connection():
    """Checks that the worker of a closed connection ends, and that the worker of a disconnected board keeps the open
    pattern."""
    expect_equal(results(CLOSED), [None, None, "played", "played"], "the worker, its watch and the playbacks")
