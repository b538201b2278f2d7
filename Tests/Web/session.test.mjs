// Tests of sessions with the virtual board in virtual time: the levels on the bus are the same as with the native
// virtual board, and the actuator comes to rest when a playback ends for any reason.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { BRIDGE, Rig, buzz, load } from "./rig.mjs";

const REST_MOST_US = 300_000;
const TRACE_MOST_US = 2000;
/** The maximum time until a board has stored a configuration (SPEC 8.5). */
const STORED_US = 300_000;
/** The first bytes of a write to the register of the level: address and register. */
const LEVEL = /^(\d+) b402(..)$/;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "haptic-bridge-web-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

/** Plays a file on the native virtual board. Returns the writes of levels. */
function nativeLevels(file) {
  const trace = path.join(folder, "trace");
  const played = spawnSync(BRIDGE, ["play", "-q", "--virtual", "--trace", trace, file], { encoding: "utf8" });
  assert.equal(played.status, 0, played.stderr);
  return fs.readFileSync(trace, "utf8").split("\n").map((line) => LEVEL.exec(line)).filter((found) => found !== null)
    .map(([, time, value]) => ({ time: Number(time), value: parseInt(value, 16) }));
}

/** Returns the levels from the first level above 0 on, with times relative to this level. */
function sinceFirst(levels) {
  const first = levels.findIndex(({ value }) => value !== 0);
  return levels.slice(first).map(({ time, value }) => ({ time: time - levels[first].time, value }));
}

for (const name of ["samples/heartbeat", "samples/latch", "samples/ball", "feedback/error"]) {
  test(`${name}: the levels on the bus are those of the native virtual board`, async (context) => {
    if (!fs.existsSync(BRIDGE)) {
      context.skip("the tool is absent");
      return;
    }
    const rig = await Rig.start();
    rig.connect();
    rig.openNamed(`${name}.ahap`);
    const file = path.join(folder, "pattern.hbes");
    fs.writeFileSync(file, rig.host.compiledFile(-1));
    rig.levels = [];
    rig.play();
    const { late, underruns, skipped } = rig.run(20_000_000, "played");
    assert.deepEqual([late, underruns, skipped], [0, 0, 0]);
    const [ours, native] = [sinceFirst(rig.levels), sinceFirst(nativeLevels(file))];
    assert.deepEqual(ours.map(({ value }) => value), native.map(({ value }) => value));
    for (const [index, { time }] of ours.entries()) {
      const difference = Math.abs(time - native[index].time);
      assert.ok(difference <= TRACE_MOST_US, `level ${index}: ${difference} us`);
    }
  });
}

test("the report that a pattern plays contains the time at which the stream began", async () => {
  const rig = await Rig.start();
  rig.connect();
  // The stream of the pattern begins with the tap.
  rig.openNamed("feedback/impact-heavy.ahap");
  rig.play();
  const { time } = rig.run(1_000_000, "playing");
  rig.run(300_000);
  const first = rig.levels.find(({ value }) => value > 0);
  assert.ok(Math.abs(first.time - time) <= 1000, `${first.time - time} us`);
});

test("STOP brings the actuator to rest", async () => {
  const rig = await Rig.start();
  rig.connect();
  rig.open(buzz(5));
  rig.play();
  rig.run(1_000_000, "playing");
  rig.run(500_000);
  assert.notEqual(rig.last.drive, 0);
  rig.stop();
  rig.run(2_000_000, "stopped");
  assert.equal(rig.last.drive, 0);
  assert.ok(rig.last.time - rig.stoppedAt <= REST_MOST_US, `${rig.last.time - rig.stoppedAt} us`);
});

test("a pattern that is played right after a stop plays to its end", async () => {
  const rig = await Rig.start();
  rig.connect();
  rig.open(buzz(0.2));
  rig.stop();
  rig.play();
  rig.run(2_000_000, "played");
});

test("a pattern that is stopped before it begins has stopped", async () => {
  const rig = await Rig.start();
  rig.connect();
  rig.open(buzz(0.2));
  rig.stop();
  rig.play();
  rig.stop();
  rig.run(1_000_000, "stopped");
  rig.play();
  rig.run(2_000_000, "played");
});

test("a playback or a setup that is not possible has failed", async () => {
  const rig = await Rig.start();
  rig.connect();
  rig.play();
  assert.match(rig.run(1_000_000, "failed").message, /no pattern is open/);
  rig.host.functions.configure(0, 1000);
  assert.match(rig.run(1_000_000, "failed").message, /has no number 1000/);
  rig.host.functions.configure(7, 0);
  assert.match(rig.run(1_000_000, "failed").message, /has no actuator 7/);
  rig.host.functions.calibrate(7);
  assert.match(rig.run(1_000_000, "failed").message, /has no actuator 7/);
});

test("a pattern that is played during a calibration fails with the reason, and does not end the calibration", async () => {
  const rig = await Rig.start();
  rig.connect();
  rig.open(buzz(0.2));
  rig.host.functions.calibrate(0);
  rig.run(300_000);
  rig.play();
  assert.match(rig.run(1_000_000, "failed").message, /an actuator is being set up/);
  rig.run(3_000_000, "setUp");
});

test("a closed session leaves the actuator at rest", async () => {
  const rig = await Rig.start();
  rig.connect();
  rig.open(buzz(5));
  rig.play();
  rig.run(1_000_000, "playing");
  rig.run(200_000);
  const closed = rig.now;
  rig.host.functions.closeSession();
  rig.isAlive = false;
  rig.run(2_000_000);
  assert.equal(rig.last.drive, 0);
  assert.ok(rig.last.time - closed <= REST_MOST_US, `${rig.last.time - closed} us`);
});

test("a loop repeats until it is stopped", async () => {
  const rig = await Rig.start();
  rig.connect();
  rig.open({ Pattern: [0, 0.2].map((Time) => ({ Event: { Time, EventType: "HapticTransient", EventParameters: [] } })) });
  rig.play(true);
  rig.run(1_000_000, "playing");
  rig.run(5_000_000);
  rig.stop();
  rig.run(2_000_000, "stopped");
  const taps = rig.levels.filter(({ value }, index) => value > 0 && !(rig.levels[index - 1]?.value > 0)).length;
  assert.ok(taps >= 20, `${taps} taps`);
});

test("a board without an actuator is configured and plays", async () => {
  const rig = await Rig.start({ isConfigured: false });
  assert.equal(rig.connect().actuators[0].kind, "none");
  rig.open(buzz(0.2));
  rig.play();
  assert.match(rig.run(1_000_000, "failed").message, /no actuator is configured/);
  rig.host.functions.configure(0, 0);
  assert.equal(rig.run(2_000_000, "board").actuators[0].name, rig.host.knownActuators()[0].name.slice(0, 12));
  rig.run(2_000_000, "setUp");
  rig.play();
  rig.run(2_000_000, "played");
});

/** Configures the actuator, and waits until it is at rest, so that SAVE has been sent. Returns the rig. */
async function saving() {
  const rig = await Rig.start({ isConfigured: false });
  rig.connect();
  rig.host.functions.configure(0, 0);
  rig.run(2_000_000, "board");
  return rig;
}

test("a setup has succeeded when its values survive a loss of power", async () => {
  const rig = await saving();
  const sent = rig.now;
  assert.match(rig.run(2_000_000, "setUp").message, /stored on the board/);
  assert.ok(rig.now - sent >= STORED_US, `${rig.now - sent} us`);
  assert.ok(rig.now - sent <= 2 * STORED_US, `${rig.now - sent} us`);
});

test("a setup has not succeeded if the board is unplugged before its values are stored", async () => {
  const rig = await saving();
  rig.run(STORED_US / 2);
  rig.device.functions.removeBoard();
  rig.run(5_000_000, "ended");
  assert.ok(!rig.reports.some(({ type }) => type === "setUp"));
});

test("a setup has failed if the storage of the board has failed", async () => {
  const rig = await saving();
  rig.device.functions.breakBoard(false);
  const { message, advice } = rig.run(2_000_000, "failed");
  assert.match(message, /is configured as .*, but the result is not stored/);
  assert.match(advice.join("; "), /memory is worn out/);
});

test("a stop does not hide that a setup is stored once the board has received it", async () => {
  const rig = await saving();
  rig.run(STORED_US / 2);
  rig.stop();
  assert.match(rig.run(2_000_000, "setUp").message, /stored on the board/);
});

test("a short circuit ends the playback with advice", async () => {
  const rig = await Rig.start();
  rig.connect();
  rig.open(buzz(3));
  rig.play();
  rig.run(1_000_000, "playing");
  rig.device.functions.breakBoard(true);
  const { message, advice } = rig.run(4_000_000, "failed");
  assert.match(message, /over-current|cannot play/);
  assert.match(advice.join("; "), /at least 8 ohms/);
});

test("the gain scales the levels", async () => {
  const greatest = async (gain) => {
    const rig = await Rig.start();
    rig.connect();
    rig.session.setGain(gain);
    rig.open(buzz(0.5));
    rig.play();
    rig.run(3_000_000, "played");
    return Math.max(...rig.levels.map(({ drive }) => Math.abs(drive)));
  };
  assert.ok(await greatest(64) < await greatest(255) / 2);
});

test("without a board, the session ends with the cause", async () => {
  const wasm = await load();
  wasm.functions.openSession(7, 255, 0);
  for (let now = 0; now < 5_000_000; now += 1000) wasm.nextOutput(0, now);
  const [{ type, message }] = wasm.reports();
  assert.equal(type, "ended");
  assert.match(message, /check that the board has the firmware/);
});
