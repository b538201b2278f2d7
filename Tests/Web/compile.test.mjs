// Tests that the module compiles each file to the same bytes as the native tool, rejects the same files, and is small
// and fast.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import zlib from "node:zlib";
import { BRIDGE, SITE, load, loadFormats, runningTime, seeds, sharedFiles } from "./rig.mjs";

const PROFILES = ["reference", "lra", "erm"];
/** The files that are loaded only on request, or never. */
const LATER = /^(haptic-bridge\.html|formats\.wasm|play-haptics\.js|rp2040\.uf2|.*\.d\.ts)$/;
const LOADED_MOST = 350_000;
const OPENED_MOST_MS = 1000;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "haptic-bridge-web-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

/** Returns the bytes from the native tool; null if the tool rejects the file. */
function native(file, profile) {
  const output = path.join(folder, "native.hbes");
  const { status } = spawnSync(BRIDGE, ["compile", "-q", "--profile", profile, file, "-o", output]);
  return status === 0 ? fs.readFileSync(output) : null;
}

test("files by other authors are compiled to the bytes of the native tool", async (context) => {
  const files = sharedFiles();
  if (files.length === 0 || !fs.existsSync(BRIDGE)) {
    context.skip("the shared files or the tool are absent");
    return;
  }
  const wasm = await load();
  let [same, rejected] = [0, 0];
  for (const file of files) {
    const facts = wasm.open(new Uint8Array(fs.readFileSync(file)));
    for (const [index, profile] of PROFILES.entries()) {
      const expected = native(file, profile);
      const name = `${path.basename(file)} for ${profile}`;
      if (expected === null) {
        assert.ok(facts.error, `${name}: only the tool rejects it`);
        rejected += 1;
      } else {
        assert.equal(facts.error, undefined, `${name}: only the module rejects it`);
        assert.ok(expected.equals(wasm.compiledFile(index)), `${name}: the bytes differ`);
        same += 1;
      }
    }
  }
  console.log(`figure web_compiled_same ${same} files`);
  console.log(`figure web_rejected_by_both ${rejected} files`);
});

test("files in other formats are compiled to the bytes of the native tool", async (context) => {
  const files = [...sharedFiles("formats", /\.(haptic|hla)$/), ...seeds()];
  if (!fs.existsSync(BRIDGE)) {
    context.skip("the tool is absent");
    return;
  }
  const [wasm, formats] = [await load(), await loadFormats()];
  const found = { same: 0, rejected: 0 };
  const differences = [];
  for (const file of files) {
    const bytes = new Uint8Array(fs.readFileSync(file));
    const expected = native(file, "lra");
    const isAHAP = wasm.open(bytes).error === undefined;
    const { format, error } = isAHAP ? { format: "ahap" } : await formats.convert(bytes);
    const facts = format === "ahap" ? wasm.open(bytes) : error ? { error } : wasm.open(formats.converted());
    const name = `${path.basename(path.dirname(file))}/${path.basename(file)}`;
    if ((expected === null) !== (facts.error !== undefined)) {
      differences.push(`${name}: only one rejects it: ${facts.error?.message}`);
    } else if (expected === null) {
      found.rejected += 1;
    } else if (expected.equals(wasm.compiledFile(1))) {
      found.same += 1;
    } else {
      differences.push(`${name}: the bytes differ`);
    }
  }
  console.log(`figure web_formats_same ${found.same} files`);
  console.log(`figure web_formats_rejected_by_both ${found.rejected} files`);
  assert.deepEqual(differences, []);
});

test("everything that the page loads is small", () => {
  const names = fs.readdirSync(SITE).filter((name) => !LATER.test(name));
  const sizes = names.map((name) => zlib.gzipSync(fs.readFileSync(path.join(SITE, name)), { level: 9 }).length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  console.log(`figure web_compressed_bytes ${total} bytes`);
  assert.ok(total <= LOADED_MOST, `${total} bytes`);
});

test("a large file opens within a second", async (context) => {
  const sizes = sharedFiles().map((file) => ({ file, size: fs.statSync(file).size }));
  const largest = sizes.sort((one, other) => other.size - one.size)[0];
  if (!largest) {
    context.skip("the shared files are absent");
    return;
  }
  const begun = runningTime();
  const wasm = await load();
  const loaded = runningTime();
  wasm.open(new Uint8Array(fs.readFileSync(largest.file)));
  const facts = wasm.losses(1);
  const time = runningTime() - loaded;
  console.log(`figure web_load_ms ${(loaded - begun).toFixed(1)} ms`);
  console.log(`figure web_largest_file_bytes ${largest.size} bytes`);
  console.log(`figure web_largest_file_ms ${time.toFixed(0)} ms`);
  assert.ok(facts.bytes > 0);
  assert.ok(time <= OPENED_MOST_MS, `${time} ms`);
});

test("a pattern of hours is shown within a second", async () => {
  const curves = Array.from({ length: 2000 }, (_, curve) => ({ ParameterCurve: {
    ParameterID: "HapticIntensityControl", Time: curve * 20,
    ParameterCurveControlPoints: Array.from({ length: 16 }, (__, Time) => ({ Time, ParameterValue: Time % 2 })),
  } }));
  const event = { Time: 0, EventType: "HapticContinuous", EventDuration: 40_000 };
  const wasm = await load();
  wasm.open(new TextEncoder().encode(JSON.stringify({ Pattern: [{ Event: event }, ...curves] })));
  const begun = runningTime();
  const predicted = wasm.prediction(800);
  const time = runningTime() - begun;
  console.log(`figure web_hours_shown_ms ${time.toFixed(0)} ms`);
  assert.ok(predicted.some((value) => value > 0));
  assert.ok(time <= OPENED_MOST_MS, `${time} ms`);
});

test("an error names the location and the remedy", async () => {
  const wasm = await load();
  const open = (text) => wasm.open(new TextEncoder().encode(text));
  assert.deepEqual(open('{"Pattern": [\n  {"Event": {"Time": 0, "EventType": "HapticTransien"}}]}').error, {
    severity: "error", rule: "unknown-event-type", line: 2, column: 38,
    message: '"HapticTransien" is not an event type', advice: 'write "HapticTransient", if that is what you mean',
  });
  assert.equal(open("").error.rule, "malformed-json");
  assert.equal(open('{"Pattern":').error.line, 1);
  assert.match(open(`{"Pattern":${"[".repeat(100_000)}`).error.message, /512 levels/);
  // A rejected file does not replace the open file, and the module continues to work.
  assert.equal(open('{"Pattern":[{"Event":{"Time":0,"EventType":"HapticTransient","EventParameters":[]}}]}').events, 1);
});

test("hostile numbers and names are rejected or played, without a trap", async () => {
  const wasm = await load();
  for (const time of ["1e308", "-1", "1e-400", "9007199254740993", "0x10", "1e999", "\"0\"", "86400", "null"]) {
    const text = `{"Pattern":[{"Event":{"Time":${time},"EventType":"HapticTransient","EventParameters":[]}}]}`;
    const facts = wasm.open(new TextEncoder().encode(text));
    if (!facts.error) assert.ok(wasm.losses(1).bytes > 0, time);
  }
  const bytes = Uint8Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256);
  assert.ok(wasm.open(bytes).error);
});
