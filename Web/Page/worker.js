// The worker in which the session runs. The timers of a page in the background are slowed; those of a worker are not.
// If the worker ends, nothing more is sent, and the board comes to rest within 250 ms.

import { SerialLine, VirtualLine } from "./lines.js";
import { Session } from "./session.js";
import { BOARD_PROFILE, Wasm } from "./wasm.js";

/**
 * @typedef {import("./haptic-bridge.js").Report} Report
 * @typedef {{ index: number, vendor: number|undefined, product: number|undefined }} ChosenPort
 */

/** @type {Promise<Wasm>|undefined} */
let loading;
/** @type {Session|null} */
let session = null;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;
let gain = 255;

/** Returns the time in microseconds. Page and worker have the same clock, but different origins. */
function clock() {
  return (performance.timeOrigin + performance.now()) * 1000;
}

/** Loads the module once. */
function wasm() {
  loading ??= fetch(new URL("haptic-bridge.wasm", import.meta.url))
    .then((answer) => {
      if (!answer.ok) throw new Error(`haptic-bridge.wasm cannot be loaded: ${answer.status} ${answer.statusText}`);
      return answer.arrayBuffer();
    })
    .then((bytes) => Wasm.load(bytes));
  return loading;
}

/** @param {Report} report */
function tell(report) {
  postMessage({ report });
}

/** Runs the session, and schedules the next run. An error of the module ends the worker, and with it the session. */
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
    timer = setTimeout(pump, Math.max(0, (session.deadline(now) - now) / 1000));
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

/** Ends the session. */
function end() {
  clearTimeout(timer);
  const closing = session?.close();
  session = null;
  return closing;
}

/**
 * Returns the port that the user has chosen: its page may not pass it, but both have the same list of ports.
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
 * Describes why a port cannot be opened.
 * @param {unknown} error
 */
function openingProblem(error) {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "InvalidStateError") return "the port is open in another tab or program: close that first";
  if (name === "NetworkError") {
    return "the port cannot be opened: another program uses it, or you do not have permission (on Linux, "
      + "join the group dialout or uucp)";
  }
  return `the port cannot be opened: ${error}`;
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
   * Opens a file. Nothing may be playing, because a large file takes time.
   * @param {Uint8Array} bytes
   */
  async open(bytes) {
    return (await wasm()).open(bytes);
  },

  /** @param {number} profile */
  async losses(profile) {
    return (await wasm()).losses(profile);
  },

  /**
   * @param {number} profile
   * @param {number} count
   */
  async samples(profile, count) {
    return (await wasm()).samples(profile, count);
  },

  /** @param {ChosenPort} chosen */
  async connectSerial(chosen) {
    await end();
    const module = await wasm();
    const line = new SerialLine(await portOf(chosen), clock, (problem) => {
      if (problem === null) {
        pump();
      } else if (session?.line === line) {
        tell({ type: "ended", message: problem, wasReset: false });
        end();
      }
    });
    try {
      await line.open();
    } catch (error) {
      await line.close();
      throw new Error(openingProblem(error));
    }
    session = new Session(module, line, gain, clock());
    pump();
  },

  /** @param {boolean} isConfigured */
  async connectVirtual(isConfigured) {
    await end();
    const module = await wasm();
    session = new Session(module, new VirtualLine(module, isConfigured, clock()), gain, clock());
    pump();
  },

  /** @param {boolean} isLoop */
  async play(isLoop) {
    const module = await wasm();
    if (!session) throw new Error("no board is connected");
    const facts = module.losses(BOARD_PROFILE);
    module.functions.play(isLoop, clock());
    pump();
    return facts;
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
    (await wasm()).functions.configure(actuator, known);
    pump();
  },

  /**
   * Makes the virtual board faulty, to show what a fault looks like.
   * @param {boolean} isShort true for a short circuit, false for a chip without supply.
   */
  async breakBoard(isShort) {
    (await wasm()).functions.breakBoard(isShort);
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
  try {
    const call = /** @type {Record<string, (...values: unknown[]) => Promise<unknown>>} */ (calls)[name];
    postMessage({ id, result: await call(...values) });
  } catch (error) {
    postMessage({ id, error: error instanceof Error ? error.message : String(error) });
    // A trap leaves the module in an unknown state.
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) crash(error);
  }
});
