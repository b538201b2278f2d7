// The worker in which the session runs. The browser slows the timers of a page in the background, but not the timers of
// a worker. If the worker ends, the board no longer receives messages, and comes to rest after 250 ms.

import { SerialLine, VirtualLine } from "./lines.js";
import { Session } from "./session.js";
import { Wasm } from "./wasm.js";

/**
 * @typedef {import("./haptic-bridge.js").Report} Report
 * @typedef {{ index: number, vendor: number|undefined, product: number|undefined }} ChosenPort
 */

/** @type {Map<string, Promise<Wasm>>} */
const modules = new Map();
/** True if the open pattern was converted, so that the locations of its events do not refer to the original file. */
let isConverted = false;
/** @type {Promise<any>} */
let reading = Promise.resolve();
/** @type {Session|null} */
let session = null;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;
let gain = 255;
/** Resolves when no port is open or being opened. */
let closing = Promise.resolve();
/** Abandons the connection in progress. */
let abandon = (/** @type {string} */ _problem) => {};

/** The shortest interval that the timers of browsers support, in microseconds. */
const TIMER_US = 4000;
/** The time after a call by the page during which the session does not wait for timers, in microseconds. */
const PROMPT_US = 50_000;
/** The maximum time until a port is open, in milliseconds. */
const OPENING_MS = 10_000;
let promptUntil = 0;
const soon = new MessageChannel();
soon.port1.onmessage = pump;

/** Returns the time in microseconds. The page and the worker have the same clock, but different time origins. */
function clock() {
  return (performance.timeOrigin + performance.now()) * 1000;
}

/** @param {string} name */
async function fetched(name) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name} cannot be loaded: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

/** Loads a module once: by default the module of the page. */
function wasm(name = "haptic-bridge.wasm") {
  const module = modules.get(name) ?? fetched(name).then(Wasm.load);
  modules.set(name, module);
  // After a failure, the next call tries again.
  module.catch(() => modules.delete(name));
  return module;
}

/** @param {Report} report */
function tell(report) {
  postMessage({ report });
}

/** Runs the session, and schedules the next run. An error in the module ends the worker, and therefore the session. */
function pump() {
  clearTimeout(timer);
  if (!session) return;
  try {
    for (const report of session.pump(clock())) {
      tell(report);
      if (report.type === "ended" && !report.wasReset) {
        end();
        return;
      }
    }
    const levels = session.line.levels();
    if (levels.length > 0) tell({ type: "levels", values: levels });
    const now = clock();
    const wait = session.deadline(now) - now;
    if (wait < TIMER_US && now < promptUntil) soon.port2.postMessage(null);
    else timer = setTimeout(pump, Math.max(0, wait / 1000));
  } catch (error) {
    crash(error);
  }
}

/** @param {unknown} error */
function crash(error) {
  postMessage({ crash: String(error) });
  end();
  close();
}

/** Ends the session, or the connection in progress. */
function end() {
  clearTimeout(timer);
  abandon("the connection was abandoned");
  const closed = session?.close();
  session = null;
  if (closed) closing = closed;
  return closed;
}

/** Ends the session, and returns a promise that rejects when the connection that is about to begin is abandoned. */
function begun() {
  end();
  const abandoned = /** @type {Promise<never>} */ (new Promise((_, reject) => {
    abandon = (problem) => reject(new Error(problem));
  }));
  abandoned.catch(() => {});
  return abandoned;
}

/**
 * Returns the port that the user has chosen. The page cannot pass the port itself, but page and worker have the same
 * list of ports.
 * @param {ChosenPort} chosen
 */
async function portOf({ index, vendor, product }) {
  const ports = await navigator.serial.getPorts();
  const isSame = (/** @type {SerialPort} */ port) => {
    const { usbVendorId, usbProductId } = port.getInfo();
    return usbVendorId === vendor && usbProductId === product;
  };
  const port = ports[index] && isSame(ports[index]) ? ports[index] : ports.find(isSame);
  if (!port) throw new Error("the port has disappeared: plug in the board and choose it again");
  return port;
}

/**
 * Returns the reason why a port cannot be opened.
 * @param {unknown} error
 */
function openingProblem(error) {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "InvalidStateError") return "the port is open in another tab or program: close it there first";
  if (name === "NetworkError") {
    return "the port cannot be opened: another program uses it, or you do not have permission (on Linux, "
      + "join the group dialout or uucp)";
  }
  return `the port cannot be opened: ${error instanceof Error ? error.message : error}`;
}

/**
 * Reads a file. A file that is not AHAP is converted.
 * @param {Uint8Array} bytes
 */
async function read(bytes) {
  const module = await wasm();
  const facts = module.open(bytes);
  if (!("error" in facts)) {
    isConverted = false;
    return { ...facts, format: null };
  }
  const formats = await wasm("formats.wasm");
  const { format, summary, remarks, error } = await formats.convert(bytes);
  if (error) return { error };
  if (format === "ahap") return facts;
  const converted = module.open(formats.converted());
  isConverted = !("error" in converted);
  return { ...converted, format: summary, remarks };
}

function needBoard() {
  if (!session) throw new Error("no board is connected");
}

/** The functions that the page calls. */
const calls = {
  async load() {
    const module = await wasm();
    return { names: module.patternNames(), actuators: module.knownActuators() };
  },

  /** @param {string} name */
  async named(name) {
    return (await wasm()).namedPattern(name);
  },

  /**
   * Opens a file. This function must not be called while a pattern is playing, because opening a large file takes time.
   * @param {Uint8Array} bytes
   */
  async open(bytes) {
    // Only one file at a time is decompressed.
    reading = reading.catch(() => {}).then(() => read(bytes));
    const facts = await reading;
    // The design of a large file is mixed here, so that mixing it for the sound does not delay the session later.
    if (!("error" in facts)) (await wasm()).functions.beginSound(false, 0);
    return facts;
  },

  /** @param {number} profile */
  async losses(profile) {
    const facts = (await wasm()).losses(profile);
    if (facts && isConverted) for (const loss of facts.losses) loss.line = null;
    return facts;
  },

  /**
   * @param {number} profile
   * @param {number} count
   */
  async samples(profile, count) {
    return (await wasm()).samples(profile, count);
  },

  /** @param {number} count */
  async prediction(count) {
    return (await wasm()).prediction(count);
  },

  /**
   * @param {boolean} isLoop
   * @param {number} start the time in the pattern, in seconds.
   */
  async beginSound(isLoop, start) {
    (await wasm()).functions.beginSound(isLoop, start * 1e6);
  },

  /** @param {number} count */
  async nextSound(count) {
    return (await wasm()).nextSound(count);
  },

  async firmware() {
    const bytes = await fetched("rp2040.uf2");
    return (await wasm()).firmwareImage(new Uint8Array(bytes));
  },

  /** @param {number} profile */
  async compiledFile(profile) {
    return (await wasm()).compiledFile(profile);
  },

  /** @param {ChosenPort} chosen */
  async connectSerial(chosen) {
    const abandoned = begun();
    const module = await wasm();
    const line = new SerialLine(await portOf(chosen), clock, (problem) => {
      if (problem === null) {
        pump();
      } else if (session?.line === line) {
        tell({ type: "ended", message: problem, wasReset: false });
        end();
      }
    });
    const opening = closing.then(() => line.open());
    const tooLong = setTimeout(() => {
      abandon(`it has not opened for ${OPENING_MS / 1000} s; unplug the board, plug it in again and choose it again`);
    }, OPENING_MS);
    try {
      await Promise.race([opening, abandoned]);
    } catch (error) {
      // A port that opens late is closed before the next connection.
      closing = opening.catch(() => {}).then(() => line.close());
      throw new Error(openingProblem(error));
    } finally {
      clearTimeout(tooLong);
    }
    session = new Session(module, line, gain, clock());
    pump();
  },

  /** @param {boolean} isConfigured */
  async connectVirtual(isConfigured) {
    const module = await Promise.race([begun(), wasm()]);
    session = new Session(module, new VirtualLine(module, isConfigured, clock()), gain, clock());
    pump();
  },

  /** @param {boolean} isLoop */
  async play(isLoop) {
    const module = await wasm();
    needBoard();
    promptUntil = clock() + PROMPT_US;
    module.functions.play(isLoop, clock());
    pump();
  },

  async stop() {
    (await wasm()).functions.stop(clock());
    pump();
  },

  /** @param {number} value the gain, 0 to 1. */
  async setGain(value) {
    gain = Math.round(Math.min(Math.max(value, 0), 1) * 255);
    session?.setGain(gain);
    pump();
  },

  /**
   * @param {number} actuator
   * @param {number} known
   */
  async configure(actuator, known) {
    needBoard();
    (await wasm()).functions.configure(actuator, known);
    pump();
  },

  /** @param {number} actuator */
  async calibrate(actuator) {
    needBoard();
    (await wasm()).functions.calibrate(actuator);
    pump();
  },

  async disconnect() {
    if (session) {
      session.wasm.functions.stop(clock());
      pump();
    }
    await end();
  },
};

addEventListener("message", async ({ data }) => {
  const { id, name, values } = data;
  if (name === "answer") {
    postMessage({});
    return;
  }
  try {
    const call = /** @type {Record<string, (...values: unknown[]) => Promise<unknown>>} */ (calls)[name];
    postMessage({ id, result: await call(...values) });
  } catch (error) {
    postMessage({ id, error: error instanceof Error ? error.message : String(error) });
    // A trap leaves the module in an unknown state.
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) crash(error);
  }
});
// From now on, the page requires answers.
postMessage({});
