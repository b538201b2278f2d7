// A session and a virtual board in virtual time. The session and the board are in separate instances of the module, so
// that either can end without the other.

import fs from "node:fs";
import path from "node:path";

export const ROOT = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), "../..");
export const SITE = process.env.WEB_SITE ?? path.join(ROOT, ".build/web");
export const BRIDGE = process.env.BRIDGE ?? path.join(ROOT, ".build-tests/release/bridge");
export const SHARED = process.env.HAPTIC_BRIDGE_SHARED ?? path.join(ROOT, "../shared");

const { Wasm } = await import(path.join(SITE, "wasm.js"));
const { Session } = await import(path.join(SITE, "session.js"));
const { VirtualLine } = await import(path.join(SITE, "lines.js"));

export const module = fs.readFileSync(path.join(SITE, "haptic-bridge.wasm"));

/** Returns a new instance of the module. */
export function load() {
  return Wasm.load(module);
}

/** Returns a new instance of the module for other formats. */
export function loadFormats() {
  return Wasm.load(fs.readFileSync(path.join(SITE, "formats.wasm")));
}

/** Returns the files by other authors in a folder that match an ending; an empty list if the folder is absent. */
export function sharedFiles(folder = "ahap", ending = /\.ahap$/) {
  const all = path.join(SHARED, folder);
  if (!fs.existsSync(all)) return [];
  return fs.readdirSync(all).filter((name) => ending.test(name)).map((name) => path.join(all, name));
}

/** Returns a time in milliseconds. On Linux, this time does not advance while this thread waits for a processor. */
export function runningTime() {
  const waits = "/proc/self/schedstat";
  const waited = fs.existsSync(waits) ? Number(fs.readFileSync(waits, "utf8").split(" ")[1]) / 1e6 : 0;
  return performance.now() - waited;
}

const CORPORA = path.join(ROOT, "Tests/Fuzzers/Corpora");
const FORMATS = ["haptic", "hasp", "android", "arrays", "haps", "hjif", "hla", "hac", "he", "harmonyos", "midi"];

/** Returns the seeds of the fuzzers of all formats other than AHAP. */
export function seeds() {
  return FORMATS.map((format) => path.join(CORPORA, `host_${format}`)).flatMap((folder) => (
    fs.readdirSync(folder).map((name) => path.join(folder, name))));
}

const encoder = new TextEncoder();
const STEP_US = 1000;

/** A page and its virtual board. Times are in microseconds. */
export class Rig {
  /** @param {{ isConfigured?: boolean }} [options] */
  static async start({ isConfigured = true } = {}) {
    const rig = new Rig();
    rig.host = await load();
    rig.device = await load();
    rig.now = 1_000_000;
    rig.reports = [];
    rig.levels = [];
    rig.line = new VirtualLine(rig.device, isConfigured, rig.now);
    rig.session = new Session(rig.host, rig.line, 255, rig.now);
    rig.isAlive = true;
    return rig;
  }

  /** Opens a pattern, given as an object or as bytes. */
  open(pattern) {
    const bytes = pattern instanceof Uint8Array ? pattern : encoder.encode(JSON.stringify(pattern));
    return this.host.open(bytes);
  }

  openNamed(name) {
    return this.open(this.host.namedPattern(name));
  }

  play(isLoop = false) {
    this.host.functions.play(isLoop, this.now);
  }

  stop() {
    this.stoppedAt = this.now;
    this.host.functions.stop(this.now);
  }

  /** Runs for a time, or until there is a report of a type. Returns this report. */
  run(duration, type) {
    const end = this.now + duration;
    while (this.now < end) {
      this.now += STEP_US;
      const reports = this.isAlive ? this.session.pump(this.now) : [];
      if (!this.isAlive) this.device.runBoard(this.now);
      const values = this.device.boardLevels();
      for (let at = 0; at < values.length; at += 3) {
        this.levels.push({ time: values[at], value: values[at + 1], drive: values[at + 2] });
      }
      this.reports.push(...reports);
      const found = reports.find((report) => report.type === type);
      if (found) return found;
    }
    if (type) throw new Error(`no report ${type}: ${JSON.stringify(this.reports)}`);
    return null;
  }

  /** Runs until the board has described itself. */
  connect() {
    return this.run(3_000_000, "board");
  }

  /** The last level, and the time at which it began. */
  get last() {
    return this.levels.at(-1);
  }
}

/** Returns a pattern with a buzz. */
export function buzz(seconds) {
  return { Version: 1, Pattern: [{ Event: {
    Time: 0, EventType: "HapticContinuous", EventDuration: seconds,
    EventParameters: [{ ParameterID: "HapticIntensity", ParameterValue: 1 }] } }] };
}
