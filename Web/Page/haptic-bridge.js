// The library: plays AHAP patterns on a board at a serial port, or on a virtual board, from any page. The session runs
// in a worker. haptic-bridge.d.ts describes the functions.

import { Watch } from "./watch.js";

/**
 * @typedef {import("./haptic-bridge.js").Report} Report
 * @typedef {import("./haptic-bridge.js").PatternFacts} PatternFacts
 * @typedef {import("./haptic-bridge.js").StreamFacts} StreamFacts
 * @typedef {import("./haptic-bridge.js").KnownActuator} KnownActuator
 * @typedef {import("./haptic-bridge.js").ConnectOptions} ConnectOptions
 * @typedef {import("./haptic-bridge.js").Remark} Remark
 * @typedef {{ resolve: (value: any) => void, reject: (error: Error) => void }} Waiting
 * @typedef {Waiting & { ended: Promise<any> }} Playback
 */

/** The profile of the connected board. */
export const BOARD = -1;
/** The profile that keeps all fields of a pattern: the design. */
export const DESIGN = 0;

/** An error in a pattern, with its place. */
export class PatternError extends Error {
  /** @param {Remark} remark */
  constructor(remark) {
    const { line, column, message, advice } = remark;
    super(line === null ? message : `line ${line}, column ${column}: ${message}`);
    this.name = "PatternError";
    this.line = line;
    this.column = column;
    this.advice = advice;
  }
}

/** An error of a board, with the remedies. */
export class BoardError extends Error {
  /**
   * @param {string} message
   * @param {string[]} [advice]
   */
  constructor(message, advice = []) {
    super(message);
    this.name = "BoardError";
    this.advice = advice;
  }
}

/** Asks the user for a port, and returns how the worker recognizes it. */
async function chosenPort() {
  if (!("serial" in navigator)) {
    if (!isSecureContext) throw new BoardError("browsers permit ports only to pages from https: or this computer");
    throw new BoardError("this browser has no WebSerial", ["use Chrome, Edge or Opera on a computer"]);
  }
  const port = await navigator.serial.requestPort();
  const index = (await navigator.serial.getPorts()).indexOf(port);
  const { usbVendorId: vendor, usbProductId: product } = port.getInfo();
  return { index, vendor, product };
}

/** The worker with its session. Each report is an event of the type "report". */
export class HapticBridge extends EventTarget {
  constructor() {
    super();
    /** @type {Worker|null} */
    this.worker = null;
    /** @type {Map<number, Waiting>} */
    this.waiting = new Map();
    this.lastCall = 0;
    this.watch = new Watch(
      () => this.worker?.postMessage({ name: "answer" }),
      () => this.lose("it did not answer for a second"),
    );
    /** @type {Playback|null} */
    this.playback = null;
    /** @type {Promise<void>|null} */
    this.connecting = null;
    /**
     * Settles when the board has described itself, or cannot any more.
     * @type {Waiting|null}
     */
    this.described = null;
    /**
     * The latest description of the board; null if none is connected.
     * @type {Extract<Report, { type: "board" }>|null}
     */
    this.board = null;
  }

  /**
   * Calls a function of the worker, which is started if there is none.
   * @param {string} name
   * @param {unknown[]} values
   * @returns {Promise<any>}
   */
  call(name, ...values) {
    const worker = this.worker ?? this.start();
    this.lastCall += 1;
    const id = this.lastCall;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, name, values });
    });
  }

  start() {
    const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }) => this.receive(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.lose(event.message || "the worker cannot be loaded");
    });
    this.worker = worker;
    return worker;
  }

  /** @param {{ id?: number, result?: unknown, error?: string, report?: Report, crash?: string }} message */
  receive({ id, result, error, report, crash }) {
    this.watch.answer();
    if (crash !== undefined) this.lose(crash);
    if (report) this.tell(report);
    if (id === undefined) return;
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new BoardError(error));
  }

  /** @param {Report} report */
  tell(report) {
    if (report.type === "board") {
      this.board = report;
      this.described?.resolve(report);
    }
    if (report.type === "ended" && !report.wasReset) {
      this.board = null;
      this.described?.reject(new BoardError(report.message));
    }
    this.endPlayback(report);
    this.dispatchEvent(new CustomEvent("report", { detail: report }));
  }

  /** @param {Report} report */
  endPlayback(report) {
    const { playback } = this;
    if (!playback) return;
    if (["played", "stopped", "setUp"].includes(report.type)) playback.resolve(report);
    else if (report.type === "failed") playback.reject(new BoardError(report.message ?? "", report.advice));
    else if (report.type === "ended") playback.reject(new BoardError(report.message));
    else return;
    this.playback = null;
  }

  /**
   * Forgets a worker that has ended. The board comes to rest by itself, and the next call starts a new worker.
   * @param {string} problem
   */
  lose(problem) {
    this.watch.end();
    this.worker?.terminate();
    this.worker = null;
    const message = `the player of this page failed: ${problem}; it was replaced, and a board comes to rest by itself`;
    for (const { reject } of this.waiting.values()) reject(new BoardError(message));
    this.waiting.clear();
    this.tell({ type: "ended", message, wasReset: false, wasReplaced: true });
  }

  /** @returns {Promise<{ names: string[], actuators: KnownActuator[] }>} */
  load() {
    return this.call("load");
  }

  /**
   * Asks the user for a port and connects to the board there, or connects to a virtual board. During a connection in
   * progress, as after a double click, waits for this connection.
   * @param {ConnectOptions} [options]
   * @returns {Promise<void>}
   */
  connect(options) {
    this.connecting ??= this.begin(options).finally(() => {
      this.connecting = null;
    });
    return this.connecting;
  }

  /**
   * Connects, and waits until the board has described itself, or until the connection has failed.
   * @param {ConnectOptions} [options]
   */
  async begin(options) {
    const { virtual = false, isConfigured = true } = options ?? {};
    const chosen = virtual ? isConfigured : await chosenPort();
    if (this.board) await this.disconnect();
    const described = new Promise((resolve, reject) => {
      this.described = { resolve, reject };
    });
    await Promise.all([this.call(virtual ? "connectVirtual" : "connectSerial", chosen), described]);
  }

  /**
   * Opens a pattern: the text or the bytes of an AHAP file, or an object. A pattern that is playing is stopped.
   * @param {string|Uint8Array|object} ahap
   * @returns {Promise<PatternFacts>}
   */
  async open(ahap) {
    const bytes = ahap instanceof Uint8Array ? ahap
      : new TextEncoder().encode(typeof ahap === "string" ? ahap : JSON.stringify(ahap));
    await this.finish();
    this.watch.expectFile(bytes.length);
    const facts = await this.call("open", bytes);
    if (facts.error) throw new PatternError(facts.error);
    return facts;
  }

  /**
   * Returns the file of a pattern that is part of the library.
   * @param {string} name
   * @returns {Promise<Uint8Array>}
   */
  named(name) {
    return this.call("named", name);
  }

  /**
   * Returns the losses of the open pattern on the connected board.
   * @param {number} [profile]
   * @returns {Promise<StreamFacts>}
   */
  losses(profile = BOARD) {
    return this.call("losses", profile);
  }

  /**
   * Returns the open pattern as a compiled file for the connected board.
   * @param {number} [profile]
   * @returns {Promise<Uint8Array>}
   */
  compiledFile(profile = BOARD) {
    return this.call("compiledFile", profile);
  }

  /**
   * Returns the levels of the open pattern in equal intervals, and then its sharpnesses.
   * @param {number} profile
   * @param {number} count
   * @returns {Promise<Uint8Array>}
   */
  samples(profile, count) {
    return this.call("samples", profile, count);
  }

  /**
   * Returns the greatest predicted accelerations of the open pattern on the connected board in equal intervals.
   * @param {number} count
   * @returns {Promise<Uint8Array>}
   */
  prediction(count) {
    return this.call("prediction", count);
  }

  /** @param {boolean} isLoop @param {number} start @returns {Promise<void>} */
  beginSound(isLoop, start) {
    return this.call("beginSound", isLoop, start);
  }

  /** @param {number} count @returns {Promise<Float32Array>} */
  nextSound(count) {
    return this.call("nextSound", count);
  }

  /**
   * Returns the firmware of this page for the connected board, as a UF2 file.
   * @returns {Promise<Uint8Array>}
   */
  firmware() {
    return this.call("firmware");
  }

  /**
   * Plays the open pattern until the actuator is at rest. A pattern that is playing is stopped.
   * @param {{ loop?: boolean }} [options]
   */
  playOpen(options) {
    return this.act("play", options?.loop ?? false);
  }

  /**
   * Calls a function of the worker that moves an actuator, and waits for the report of its end.
   * @param {string} name
   * @param {unknown[]} values
   */
  async act(name, ...values) {
    // A double click begins two actions.
    while (this.playback) await this.finish();
    /** @type {(value: any) => void} */
    let resolve = () => {};
    /** @type {(error: Error) => void} */
    let reject = () => {};
    const ended = new Promise((fulfil, refuse) => {
      resolve = fulfil;
      reject = refuse;
    });
    // Whoever waits for the end receives the error from `ended` itself.
    ended.catch(() => {});
    this.playback = { resolve, reject, ended };
    try {
      await this.call(name, ...values);
    } catch (error) {
      this.playback = null;
      reject(/** @type {Error} */ (error));
    }
    return ended;
  }

  /** Stops the playback, and waits until the actuator is at rest. */
  async finish() {
    const { playback } = this;
    if (!playback) return;
    await this.stop();
    await playback.ended.catch(() => {});
  }

  /**
   * Plays a pattern until the actuator is at rest. A pattern that is playing is stopped.
   * @param {string|Uint8Array|object} ahap
   * @param {{ loop?: boolean }} [options]
   */
  async play(ahap, options) {
    await this.open(ahap);
    return this.playOpen(options);
  }

  /**
   * Brings the actuators to rest.
   * @returns {Promise<void>}
   */
  stop() {
    return this.call("stop");
  }

  /**
   * Sets the gain, 0 to 1.
   * @param {number} value
   * @returns {Promise<void>}
   */
  setGain(value) {
    return this.call("setGain", value);
  }

  /**
   * Configures an actuator as one of the known actuators, and stores this on the board.
   * @param {number} actuator
   * @param {number} known
   */
  configure(actuator, known) {
    return this.act("configure", actuator, known);
  }

  /**
   * Calibrates the driver to its actuator, which vibrates for about a second, and stores the result on the board.
   * @param {number} actuator
   */
  calibrate(actuator) {
    return this.act("calibrate", actuator);
  }

  /** Brings the actuators to rest and closes the port, when a connection in progress has ended. */
  async close() {
    await this.connecting?.catch(() => {});
    await this.disconnect();
  }

  async disconnect() {
    await this.finish();
    await this.call("disconnect");
    this.board = null;
  }
}

/**
 * Connects to a board. The browser shows its ports, so this must be called from the handler of a click.
 * @param {ConnectOptions} [options]
 */
export async function connect(options) {
  const bridge = new HapticBridge();
  await bridge.connect(options);
  if (options?.experimentalPlayHaptics) (await import("./play-haptics.js")).substitute(bridge);
  return bridge;
}
