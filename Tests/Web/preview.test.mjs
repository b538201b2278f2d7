// Tests of the sound and the prediction of a pattern, and of the remedy for old firmware.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { BRIDGE, Rig, SITE, buzz, load } from "./rig.mjs";

const PART = 12_000;
/** The number of bytes before the samples in a WAV file, and the value of a full-scale sample. */
const HEADER = 44;
const FULL = 32_767;
/** BRIDGE_BOARD_UNO_NANO and BRIDGE_BOARD_XIAO_RP2040. */
const [UNO, XIAO] = [2, 5];

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "haptic-bridge-web-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

/** Returns a 16-bit sample. Rounds halves away from 0. */
function rounded(sample) {
  const value = Math.fround(sample * FULL);
  return Math.trunc(value + Math.sign(value) / 2) + 0;
}

/** Returns all samples of the open pattern from a time in microseconds on. */
function soundOf(wasm, start, isLoop = false) {
  wasm.functions.beginSound(isLoop, start);
  const samples = [];
  for (let part = wasm.nextSound(PART); part.length > 0; part = wasm.nextSound(PART)) samples.push(...part);
  return samples;
}

for (const name of ["samples/heartbeat", "samples/ball", "feedback/error"]) {
  test(`${name}: the sound is that of bridge render`, async (context) => {
    if (!fs.existsSync(BRIDGE)) {
      context.skip("the tool is absent");
      return;
    }
    const wasm = await load();
    const bytes = wasm.namedPattern(`${name}.ahap`);
    wasm.open(bytes);
    const [file, wave] = ["pattern.ahap", "pattern.wav"].map((each) => path.join(folder, each));
    fs.writeFileSync(file, bytes);
    const rendered = spawnSync(BRIDGE, ["render", "-q", "--wav", wave, file], { encoding: "utf8" });
    assert.equal(rendered.status, 0, rendered.stderr);
    const data = fs.readFileSync(wave).subarray(HEADER);
    const native = Array.from({ length: data.length / 2 }, (_, index) => data.readInt16LE(2 * index));
    const ours = soundOf(wasm, 0).map(rounded);
    // The sound of `bridge render` begins earlier by the lead time of the drive.
    const [skipped, first] = [native, ours].map((samples) => samples.findIndex((sample) => sample !== 0));
    const count = Math.min(ours.length - first, native.length - skipped);
    assert.ok(count > 4000, `${count} samples`);
    assert.deepEqual(ours.slice(first, first + count), native.slice(skipped, skipped + count));
  });
}

test("a sound that begins later is the rest of the sound", async () => {
  const wasm = await load();
  wasm.open(new TextEncoder().encode(JSON.stringify(buzz(1))));
  const all = soundOf(wasm, 0);
  const rest = soundOf(wasm, 500_000);
  assert.equal(all.length - rest.length, 24_000);
  assert.ok(Math.max(...rest) > 0.99, `${Math.max(...rest)}`);
});

test("the sound of a loop continues, and ends after a minute", async () => {
  const wasm = await load();
  wasm.open(wasm.namedPattern("samples/heartbeat.ahap"));
  assert.ok(soundOf(wasm, 0).length < 3 * 48_000);
  assert.ok(soundOf(wasm, 50_000_000, true).length > 9 * 48_000);
});

test("the predicted acceleration of a level rises to its maximum, and ends after the level", async () => {
  const rig = await Rig.start();
  rig.connect();
  const { shown } = rig.open(buzz(0.5));
  const predicted = rig.host.prediction(100);
  const at = (time) => predicted[Math.floor((time / shown) * 100)];
  assert.ok(at(0) > 64 && at(0) < 192, `${at(0)} at the beginning, which is half felt`);
  assert.ok(at(0.25) >= 250, `${at(0.25)} in the middle`);
  rig.openNamed("samples/heartbeat.ahap");
  assert.ok(rig.host.prediction(800).includes(0), "the pauses");
});

/** Connects to a board with a kind and a version of the firmware. Returns the report about the board. */
async function disguised(kind, firmware) {
  const rig = await Rig.start();
  rig.device.functions.disguiseBoard(kind, firmware);
  return { rig, report: rig.connect() };
}

test("a board with older firmware is reported with the command that updates it", async () => {
  const { report } = await disguised(UNO, 0x0001);
  assert.equal(report.update.command, "bridge flash --board uno (or nano, nano-old)");
  assert.equal(report.update.drive, null);
  assert.equal((await disguised(UNO, 0xffff)).report.update, null);
  const rig = await Rig.start();
  assert.equal(rig.connect().update, null);
});

test("the firmware for a board with a drive has the pins of the board", async () => {
  const { rig, report } = await disguised(XIAO, 0x0001);
  assert.equal(report.update.drive, "xiao-rp2040");
  const bytes = fs.readFileSync(path.join(SITE, "rp2040.uf2"));
  const image = Buffer.from(rig.host.firmwareImage(bytes));
  const pins = image.indexOf("pins");
  // The kind, the bus, SDA and SCL of a XIAO RP2040 (pins.h).
  assert.deepEqual([...image.subarray(pins + 4, pins + 8)], [XIAO, 1, 6, 7]);
  assert.ok(image.subarray(0, pins).equals(bytes.subarray(0, pins)));
  assert.ok(image.subarray(pins + 20).equals(bytes.subarray(pins + 20)));
  assert.equal((await disguised(UNO, 0x0001)).rig.host.firmwareImage(bytes).length, 0);
});
