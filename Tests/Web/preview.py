"""Checks of the preview in the page: the sound, the bar that moves, old firmware, and the substitute for
navigator.playHaptics."""

import tempfile
import time
from pathlib import Path

from browser import wait
from pages import BUZZ, choose, has_no_errors, in_real_time, linked, opened, page_levels, play, recorded, reports
from report import expect, expect_equal

# The maximum delay of the sound relative to the pattern, in seconds. The sound begins as soon as the computer can play
# it.
LATE_MOST_S = 1
# The maximum difference, in seconds, between the clocks of the sound and of the page that results from reading them one
# after the other.
READING_S = 0.005

# Records the parts of the sound. For each part, records the time at which it is audible, in seconds since 1970, the
# length of the omitted beginning, the duration, the greatest sample, and the time on the clock of the sound.
NOTE_SOUND = """
window.parts = [];
const { start } = AudioBufferSourceNode.prototype;
AudioBufferSourceNode.prototype.start = function noted(when, offset) {
  const { contextTime, performanceTime } = this.context.getOutputTimestamp();
  const audible = (performance.timeOrigin + performanceTime) / 1000 + when - contextTime;
  const greatest = Math.max(...this.buffer.getChannelData(0));
  parts.push([audible, offset, this.buffer.duration, greatest, when]);
  start.call(this, when, offset);
};
window.greatest = 0;
const follow = () => {
  greatest = Math.max(greatest, document.getElementById("level").value);
  requestAnimationFrame(follow);
};
follow();
"""

REPORT_OLD = """
workers.at(-1).dispatchEvent(new MessageEvent("message", { data: { report: {
  type: "board", kind: "Raspberry Pi Pico", firmware: "0.1", actuators: [],
  update: { firmware: "1.0", command: "bridge flash --board pico", drive: "pico" } } } }));
"""

EFFECTS = """
const done = arguments[0];
import("./haptic-bridge.js").then(async ({ connect }) => {
  const board = await connect({ virtual: true, experimentalPlayHaptics: true });
  const greatest = async (effect, intensity) => {
    let [most, ended] = [0, false];
    const listen = ({ detail: { type, values } }) => {
      if (type === "levels") for (let at = 1; at < values.length; at += 3) most = Math.max(most, values[at]);
      if (type === "played") ended = true;
    };
    board.addEventListener("report", listen);
    const result = navigator.playHaptics(effect, intensity);
    while (!ended) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 100));
    board.removeEventListener("report", listen);
    return [result === undefined, most];
  };
  const levels = [];
  for (const effect of ["hint", "edge", "tick", "align"]) levels.push(await greatest(effect));
  const weak = await greatest("align", 0.3);
  const errors = [["buzz"], ["tick", NaN], []].map((values) => {
    try { navigator.playHaptics(...values); } catch (error) { return error.name; }
    return "none";
  });
  await board.close();
  navigator.playHaptics("tick");
  done([levels, weak, errors]);
}).catch((error) => done(String(error)));
"""


@in_real_time
def check_sound_and_bar():
    page = recorded(linked(BUZZ))
    page.wait_for("title", "Pattern from the link")
    page.driver.execute_script(NOTE_SOUND)
    page.click("play")
    page.wait_for("status", "Playing")
    begun = reports(page, "playing")[0]["time"] / 1e6
    time.sleep(2)
    page.click("stop")
    page.wait_for("status", "Stopped")
    parts = page.driver.execute_script("return parts;")
    expect(len(parts) >= 8, f"only {len(parts)} parts of the sound")
    late = parts[0][0] - parts[0][1] - begun
    print(f"figure web_sound_late_ms {late * 1000:.0f} ms")
    expect(-READING_S <= late <= LATE_MOST_S, f"the sound begins {late:.3f} s after the pattern")
    for (_, left_out, duration, _, at), (*_, following) in zip(parts, parts[1:]):
        expect(abs(at - left_out + duration - following) < 1e-6, f"the parts are {parts}")
    expect(all(part[1] == 0 and 0.59 < part[3] < 0.61 for part in parts), f"the parts are {parts}")
    time.sleep(0.3)
    expect_equal(page.driver.execute_script("return parts.length;"), len(parts), "the parts after the stop")
    greatest, last = page.driver.execute_script("return [greatest, document.getElementById('level').value];")
    expect(0.59 < greatest < 0.61, f"the greatest level of the bar is {greatest}")
    expect_equal(last, 0, "the level of the bar after the stop")
    has_no_errors(page)


@in_real_time
def check_sound_that_is_switched():
    """Checks that a short pattern is completely audible, that no sound is scheduled if the sound is off, and that the
    rest of a pattern is audible if the sound is switched on during playback."""
    page = recorded()
    choose(page, "impact-light")
    page.driver.execute_script(NOTE_SOUND)
    page.driver.execute_script("greatest = 0;")
    play(page)
    parts = wait(lambda: page.driver.execute_script("return parts.splice(0);"), "the sound of a tap")
    expect(parts[0][1] == 0 and 0.39 < parts[0][3] < 0.41, f"the parts of a tap are {parts}")
    expect(page.driver.execute_script("return greatest;") > 0.35, "the bar does not show the tap")
    page.click("sound")
    expect_equal(page.element("sound").get_attribute("aria-pressed"), "false", "the state of Sound")
    play(page)
    expect_equal(page.driver.execute_script("return parts;"), [], "the parts without sound")
    page.driver.get(page.driver.current_url.split("#")[0] + linked(BUZZ))
    page.wait_for("title", "Pattern from the link")
    page.click("play")
    page.wait_for("status", "Playing")
    page.click("sound")
    wait(lambda: page.driver.execute_script("return parts.length > 2;"), "the rest of the sound")
    page.click("sound")
    page.click("stop")
    page.wait_for("status", "Stopped")
    has_no_errors(page)


def check_old_firmware():
    page = recorded()
    page.click("virtual")
    page.wait_for("board", "virtual board")
    expect(not page.element("update").is_displayed(), "an update is offered for firmware that is not older")
    with tempfile.TemporaryDirectory() as folder:
        page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
        page.driver.execute_script(REPORT_OLD)
        page.wait_for("update-text", "run bridge flash --board pico")
        page.wait_for("update-text", "hold the button BOOTSEL")
        page.click("download")
        wait(lambda: list(Path(folder).glob("haptic-bridge-pico.uf2")), "the file")
    has_no_errors(page)


def check_play_haptics():
    page = opened()
    page.driver.set_script_timeout(30)
    expect_equal(page.driver.execute_script("return typeof navigator.playHaptics;"), "undefined", "without the option")
    # The substitute works only after the user has interacted with the page.
    page.click("title")
    levels, weak, errors = page.driver.execute_async_script(EFFECTS)
    expect(all(done and level > 0 for done, level in levels), f"the levels of the effects are {levels}")
    expect(0 < weak[1] < levels[-1][1], f"a weak effect has the level {weak[1]}")
    expect_equal(errors, ["TypeError"] * 3, "the errors")
    has_no_errors(page)
