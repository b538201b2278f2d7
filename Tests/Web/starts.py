"""Checks of stops and opened files before the playback of a pattern has begun, and of the gain after a worker was
replaced."""

import json

from library import results
from mishaps import BeforeWorker
from pages import BUZZ, choose, has_no_errors, linked, play, recorded, reports
from report import expect, expect_equal

# Stops playbacks that have not begun, by every method and at several times.
STOPS = """
  const found = [];
  const loop = { loop: true };
  for (const wait of [0, 1, 2, 3, 5, 8, 13]) {
    for (const end of [() => board.stop(), () => board.finish(), () => board.open(pattern)]) {
      const playing = board.play(other, loop);
      for (let turn = 0; turn < wait; turn += 1) await null;
      await end();
      found.push((await playing).type);
    }
  }
  await board.open(other);
  const playing = [board.playOpen(loop), board.playOpen(loop)];
  board.stop();
  return [...found, ...(await Promise.all(playing)).map(({ type }) => type)];
"""
# The module of other formats arrives from a slow network.
SLOW = b"""
const fast = fetch;
self.fetch = async (address) => {
  if (String(address).endsWith("formats.wasm")) await new Promise((resolve) => setTimeout(resolve, 500));
  return fast(address);
};
"""
# A file with Android's amplitudes, which the page converts.
CONVERTED = '{"timings": [50, 50], "amplitudes": [255, 0]}'
MEANWHILE = """
  await board.open({ Pattern: [{ Event: { Time: 0, EventType: "HapticContinuous", EventDuration: 30 } }] });
  const opening = board.open(other).then(({ format }) => seen.push(format));
  const playing = board.playOpen();
  await opening;
  const { type } = await playing;
  return [...seen.filter((report) => report !== "levels" && report !== "board"), type];
"""
GAIN = """
  let levels = [];
  board.addEventListener("report", ({ detail }) => { if (detail.type === "levels") levels.push(...detail.values); });
  const greatest = async () => {
    levels = [];
    await board.play(pattern);
    return Math.max(...levels.filter((_, index) => index % 3 === 2));
  };
  const full = await greatest();
  await board.setGain(0.25);
  const before = await greatest();
  board.worker.dispatchEvent(new ErrorEvent("error", { message: "trap" }));
  await board.connect({ virtual: true });
  return [full, before, await greatest()];
"""


def check_stop_before_the_start():
    found = results(STOPS, json.dumps(BUZZ))
    expect_equal(found, ["stopped"] * 23, "the ends of the playbacks")


def check_stop_while_the_board_connects():
    """Checks that Stop takes effect immediately after Play, while the page still opens the sound and connects."""
    page = recorded(linked(BUZZ))
    page.wait_for("title", "Pattern from the link")
    page.driver.execute_script("""
        document.getElementById("play").click();
        document.getElementById("stop").click();""")
    page.wait_for("board", "virtual board")
    choose(page, "impact-light")
    play(page)
    expect_equal((len(reports(page, "playing")), reports(page, "stopped")), (1, []), "the playbacks")
    has_no_errors(page)


def check_play_while_a_file_opens():
    """Checks that the page plays the pattern that it is opening, not the preceding pattern."""
    with BeforeWorker(SLOW):
        found = results(MEANWHILE, CONVERTED)
    expect("Android" in found[0], f"the format is {found[0]}")
    expect_equal(found[1:], ["playing", "played", "played"], "the reports after the file was opened")


def check_gain_of_the_next_worker():
    full, before, after = results(GAIN)
    expect(before < full / 2, f"the gain has no effect: {before} of {full}")
    expect_equal(after, before, "the level after the worker was replaced")


def check_space_on_the_open_pattern():
    """Checks that, after Enter on a pattern in the library, Space plays the pattern."""
    page = recorded()
    choose(page, "heartbeat")
    page.keys(" ")
    page.wait_for("status", "Playing")
    page.click("stop")
    page.wait_for("status", "Stopped")
    has_no_errors(page)
