// Tests that damaged files, links and bytes from a board neither cause a trap in the modules nor delay them for a
// second.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ROOT, Rig, load, loadFormats, runningTime, seeds, sharedFiles } from "./rig.mjs";

/** The number of damaged copies of each file. */
const COPIES = process.env.BRIDGE_PROOF ? 50 : 5;
const LONGEST_MS = 1000;

/** Returns a generator of whole numbers below a limit. The numbers are the same in every run. */
function numbers(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const HOSTILE = ["1e308", "-1", "0", "86400", "4294967296", "1e-320", "null", "[]", "{}", "\"\"", "[[[[[[[["];

/** Returns a damaged copy, in which bytes are changed, removed or repeated, or a number is replaced. */
function damaged(bytes, random) {
  const copy = Buffer.from(bytes);
  const at = random(copy.length);
  switch (random(4)) {
    case 0:
      for (let count = 1 + random(8); count > 0; count -= 1) copy[random(copy.length)] = random(256);
      return copy;
    case 1: return copy.subarray(0, at);
    case 2: return Buffer.concat([copy.subarray(0, at), copy.subarray(random(copy.length))]);
    default: {
      const text = copy.toString("latin1");
      const found = [...text.matchAll(/-?\d+(\.\d+)?/g)];
      if (found.length === 0) return copy;
      const { index, 0: old } = found[random(found.length)];
      const changed = text.slice(0, index) + HOSTILE[random(HOSTILE.length)] + text.slice(index + old.length);
      return Buffer.from(changed, "latin1");
    }
  }
}

/** Opens a file as the worker does. Returns the duration in milliseconds. */
async function opened(player, formats, bytes) {
  const begun = runningTime();
  let facts = player.open(bytes);
  if (facts.error) {
    const { format, error } = await formats.convert(bytes);
    if (format !== "ahap" && !error) facts = player.open(formats.converted());
  }
  if (!facts.error) for (const profile of [0, 1]) player.losses(profile) && player.samples(profile, 800);
  return runningTime() - begun;
}

test("damaged files of all formats are rejected or compiled within a second, without a trap", async () => {
  const [player, formats] = [await load(), await loadFormats()];
  const files = [...seeds(), ...sharedFiles().filter((file) => fs.statSync(file).size < 20_000)];
  const random = numbers(1);
  let [count, longest] = [0, 0];
  for (const file of files) {
    const bytes = fs.readFileSync(file);
    if (bytes.length === 0) continue;
    for (let copy = 0; copy < COPIES; copy += 1) {
      const hostile = new Uint8Array(damaged(bytes, random));
      let time;
      try {
        time = await opened(player, formats, hostile);
      } catch (error) {
        fs.writeFileSync(path.join(ROOT, ".build/web-trap"), hostile);
        throw new Error(`copy ${copy} of ${path.basename(file)}, which is now .build/web-trap`, { cause: error });
      }
      count += 1;
      longest = Math.max(longest, time);
    }
  }
  console.log(`figure web_fuzzed_files ${count} files`);
  console.log(`figure web_fuzzed_longest_ms ${longest.toFixed(0)} ms`);
  assert.ok(longest <= LONGEST_MS, `${longest} ms`);
});

test("damaged bytes from a board do not cause a trap in the session", async () => {
  const random = numbers(2);
  for (let run = 0; run < (process.env.BRIDGE_PROOF ? 200 : 20); run += 1) {
    const rig = await Rig.start();
    const { line } = rig;
    const take = line.take.bind(line);
    // Some bytes are changed, and random bytes are inserted.
    line.take = (now) => {
      const bytes = take(now);
      if (random(4) === 0 && bytes.length > 0) bytes[random(bytes.length)] = random(256);
      if (random(50) > 0) return bytes;
      return Uint8Array.from([...bytes, ...Array.from({ length: random(300) }, () => random(256))]);
    };
    rig.openNamed("samples/rain.ahap");
    rig.run(300_000);
    rig.play();
    rig.run(2_000_000);
  }
});
