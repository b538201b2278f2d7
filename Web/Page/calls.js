// Calls the functions of the worker, and checks the values that a program passes. The first call starts the worker, and
// a worker that fails is replaced. The file also defines the errors of the calls.

import { Watch } from "./watch.js";

/**
 * @typedef {import("./haptic-bridge.js").Report} Report
 * @typedef {import("./haptic-bridge.js").StreamFacts} StreamFacts
 * @typedef {import("./haptic-bridge.js").KnownActuator} KnownActuator
 * @typedef {{ resolve: (value: any) => void, reject: (error: Error) => void }} Waiting
 */

/** The profile of the connected board. */
export const BOARD = -1;
/** The profile that keeps all fields of a pattern: the design. */
export const DESIGN = 0;

/** An error in a pattern, with its location. */
export class PatternError extends Error {
  /** @param {import("./haptic-bridge.js").Remark} remark */
  constructor(remark) {
    const { line, column, message, advice } = remark;
    super(line === null ? message : `line ${line}, column ${column}: ${message}`);
    this.name = "PatternError";
    this.line = line;
    this.column = column;
    this.advice = advice;
  }
}

/** An error from a board, with the remedies. */
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

/**
 * Returns the bytes of a pattern.
 * @param {unknown} ahap
 */
export async function bytesOf(ahap) {
  if (ahap instanceof Blob) return new Uint8Array(await ahap.arrayBuffer());
  if (ahap instanceof ArrayBuffer) return new Uint8Array(ahap);
  if (ArrayBuffer.isView(ahap)) return new Uint8Array(ahap.buffer, ahap.byteOffset, ahap.byteLength);
  if (typeof ahap === "string") return new TextEncoder().encode(ahap);
  if (typeof ahap === "object" && ahap) return new TextEncoder().encode(JSON.stringify(ahap));
  throw new TypeError(`the pattern is ${ahap}: pass the text or the bytes of a file, or an object`);
}

/**
 * Checks the number of an actuator of the board, or of an actuator in the list of known actuators.
 * @param {string} name
 * @param {unknown} value
 */
export function checkNumber(name, value) {
  if (!Number.isInteger(value)) throw new TypeError(`${name} is ${value}: pass a whole number`);
  if (Number(value) < 0 || Number(value) > 254) throw new RangeError(`${name} is ${value}: there is none`);
}

/** Returns a promise, and the functions that resolve and reject it. */
export function later() {
  /** @type {(value: any) => void} */
  let resolve = () => {};
  /** @type {(error: Error) => void} */
  let reject = () => {};
  const ended = /** @type {Promise<any>} */ (new Promise((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  }));
  ended.catch(() => {});
  return { resolve, reject, ended };
}

/** The worker with its session. */
export class Calls extends EventTarget {
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
    /** The gain that is passed to a worker when it is started. */
    this.gain = 1;
  }

  /**
   * Calls a function of the worker, and starts the worker if there is none.
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
    if (this.gain !== 1) this.call("setGain", this.gain).catch(() => {});
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

  /**
   * Receives a report.
   * @param {Report} _report
   */
  tell(_report) {}

  /**
   * Forgets a worker that has ended. The board comes to rest on its own, and the next call starts a new worker.
   * @param {string} problem
   */
  lose(problem) {
    const message = `the player of this page failed: ${problem}; it was replaced, and a board comes to rest on its own`;
    this.endWorker(message);
    this.tell({ type: "ended", message, wasReset: false, wasReplaced: true });
  }

  /** @param {string} message the error for the calls that the worker has not answered. */
  endWorker(message) {
    this.watch.end();
    this.worker?.terminate();
    this.worker = null;
    for (const { reject } of this.waiting.values()) reject(new BoardError(message));
    this.waiting.clear();
  }

  /** @returns {Promise<{ names: string[], actuators: KnownActuator[] }>} */
  load() {
    return this.call("load");
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
}
