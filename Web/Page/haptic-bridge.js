// The library: plays AHAP patterns on a board at a serial port, or on a virtual board, from any page. The session runs
// in a worker. haptic-bridge.d.ts describes the functions.

import { BOARD, BoardError, Calls, DESIGN, PatternError, bytesOf, checkNumber, later } from "./calls.js";

/**
 * @typedef {import("./haptic-bridge.js").Report} Report
 * @typedef {import("./haptic-bridge.js").PatternFacts} PatternFacts
 * @typedef {import("./haptic-bridge.js").ConnectOptions} ConnectOptions
 * @typedef {import("./haptic-bridge.js").PatternSource} PatternSource
 * @typedef {{ resolve: (value: any) => void, reject: (error: Error) => void }} Waiting
 * @typedef {Waiting & { ended: Promise<any> }} Later
 */

export { BOARD, BoardError, DESIGN, PatternError };

/** The result of a playback that was stopped before it began. */
const STOPPED = { type: "stopped", late: 0, skipped: 0, underruns: 0, latestAtMost: 0 };

/** Asks the user for a port, and returns the properties that the worker uses to identify the port. */
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

/** The connection to a board. Each report is an event of the type "report". */
export class HapticBridge extends Calls {
  constructor() {
    super();
    /**
     * The playback or setup in progress.
     * @type {(Later & { isSetup: boolean })|null}
     */
    this.playback = null;
    /** The number of actions so far. Only the latest action may begin to play. */
    this.turn = 0;
    /**
     * Resolves when the patterns have been opened.
     * @type {Promise<unknown>|null}
     */
    this.opening = null;
    /** @type {Promise<void>|null} */
    this.connecting = null;
    /**
     * Rejects when the connection in progress is abandoned; null if there is none.
     * @type {(Later & { wanted: string })|null}
     */
    this.attempt = null;
    /**
     * Settles when the board has reported its properties, or can no longer report them.
     * @type {Waiting|null}
     */
    this.described = null;
    /**
     * The latest description of the board; null if none is connected.
     * @type {Extract<Report, { type: "board" }>|null}
     */
    this.board = null;
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
   * Asks the user for a port and connects to the board there, or connects to a virtual board. If the same connection is
   * already in progress, for example after a double click, the call waits for it. A different connection in progress is
   * abandoned.
   * @param {ConnectOptions} [options]
   * @returns {Promise<void>}
   */
  connect(options) {
    const wanted = options?.virtual ? `virtual ${options.isConfigured ?? true}` : "port";
    if (this.connecting && this.attempt?.wanted === wanted) return this.connecting;
    const isReplaced = this.abandon("another connection has replaced this one");
    const attempt = { ...later(), wanted };
    this.attempt = attempt;
    this.connecting = Promise.race([attempt.ended, this.begin(attempt, isReplaced, options)]).finally(() => {
      if (this.attempt === attempt) this.attempt = this.connecting = null;
    });
    return this.connecting;
  }

  /**
   * Connects, and waits until the board has reported its properties, or until the connection has failed.
   * @param {Later} attempt
   * @param {boolean} isReplaced true if a connection in progress was abandoned.
   * @param {ConnectOptions} [options]
   */
  async begin(attempt, isReplaced, options) {
    const { virtual = false, isConfigured = true } = options ?? {};
    const chosen = virtual ? isConfigured : await chosenPort();
    if (this.attempt === attempt && (this.board || isReplaced)) await this.release();
    if (this.attempt !== attempt) return;
    const described = later();
    this.described = described;
    await Promise.all([this.call(virtual ? "connectVirtual" : "connectSerial", chosen), described.ended]);
  }

  /**
   * Abandons the connection in progress. Returns false if no connection is in progress.
   * @param {string} message
   */
  abandon(message) {
    const { attempt } = this;
    attempt?.reject(new DOMException(message, "AbortError"));
    this.attempt = this.connecting = null;
    return attempt !== null;
  }

  /**
   * Opens a pattern: a text, bytes or an object. A pattern that is playing is stopped.
   * @param {PatternSource} ahap
   * @returns {Promise<PatternFacts>}
   */
  async open(ahap) {
    this.refuseDuringSetup();
    this.turn += 1;
    const reading = this.read(ahap);
    const opening = Promise.allSettled([this.opening, reading]).then(() => {
      if (this.opening === opening) this.opening = null;
    });
    this.opening = opening;
    return reading;
  }

  /** @param {PatternSource} ahap @returns {Promise<PatternFacts>} */
  async read(ahap) {
    const bytes = await bytesOf(ahap);
    await this.rest();
    this.watch.expectFile(bytes.length);
    const facts = await this.call("open", bytes);
    if (facts.error) throw new PatternError(facts.error);
    return facts;
  }

  /**
   * Plays the open pattern until the actuator is at rest. A pattern that is playing is stopped.
   * @param {{ loop?: boolean }} [options]
   */
  playOpen(options) {
    return this.act("play", options?.loop ?? false);
  }

  /** An action that would stop a pattern does not stop a setup. */
  refuseDuringSetup() {
    if (this.playback?.isSetup) {
      throw new BoardError("an actuator is being configured or calibrated: wait until this has ended, or stop it");
    }
  }

  /**
   * Calls a function of the worker that moves an actuator, and waits for the report that the movement has ended.
   * @param {string} name
   * @param {unknown[]} values
   */
  async act(name, ...values) {
    this.refuseDuringSetup();
    this.turn += 1;
    const { turn } = this;
    // Waits for the pattern that is being opened, because this pattern is the one to play, and opening a large pattern
    // takes time.
    while (this.opening) await this.opening;
    while (this.playback && turn === this.turn) await this.rest();
    const isSetup = name !== "play";
    if (turn !== this.turn) {
      if (isSetup) throw new BoardError("stopped: nothing was stored on the board");
      return STOPPED;
    }
    const playback = { ...later(), isSetup };
    this.playback = playback;
    try {
      await this.call(name, ...values);
    } catch (error) {
      if (this.playback === playback) this.playback = null;
      playback.reject(/** @type {Error} */ (error));
    }
    return playback.ended;
  }

  /** Stops the playback or setup, and waits until the actuator is at rest. */
  async finish() {
    this.turn += 1;
    await this.rest();
  }

  async rest() {
    const { playback } = this;
    if (!playback) return;
    await this.call("stop");
    await playback.ended.catch(() => {});
  }

  /**
   * Plays a pattern until the actuator is at rest. A pattern that is playing is stopped.
   * @param {PatternSource} ahap
   * @param {{ loop?: boolean }} [options]
   */
  async play(ahap, options) {
    const opening = this.open(ahap);
    const { turn } = this;
    await opening;
    return turn === this.turn ? this.playOpen(options) : STOPPED;
  }

  /** Brings the actuators to rest. A playback that has not begun yet is canceled. */
  async stop() {
    this.turn += 1;
    if (this.worker) await this.call("stop");
  }

  /**
   * Sets the gain, 0 to 1.
   * @param {number} value
   */
  async setGain(value) {
    if (typeof value !== "number" || Number.isNaN(value)) throw new TypeError(`the gain is ${value}: pass a number`);
    this.gain = value;
    await this.call("setGain", value);
  }

  /**
   * Configures an actuator as one of the known actuators, and stores the configuration on the board.
   * @param {number} actuator
   * @param {number} known
   */
  async configure(actuator, known) {
    checkNumber("the actuator", actuator);
    checkNumber("the known actuator", known);
    return this.act("configure", actuator, known);
  }

  /**
   * Calibrates the driver to its actuator, which vibrates for about a second, and stores the result on the board.
   * @param {number} actuator
   */
  async calibrate(actuator) {
    checkNumber("the actuator", actuator);
    return this.act("calibrate", actuator);
  }

  /** Disconnects, and ends the worker with the open pattern. */
  async close() {
    await this.disconnect();
    if (!this.connecting) this.endWorker("the connection to the board was closed");
  }

  /** Abandons a connection in progress, brings the actuators to rest and closes the port. */
  async disconnect() {
    this.turn += 1;
    this.abandon("the connection was closed before the board had answered");
    await this.release();
  }

  async release() {
    await this.rest();
    if (this.worker) await this.call("disconnect");
    this.board = null;
  }
}

/**
 * Connects to a board. The browser shows its ports, so this function must be called from the handler of a click.
 * @param {ConnectOptions} [options]
 */
export async function connect(options) {
  const bridge = new HapticBridge();
  await bridge.connect(options);
  if (options?.experimentalPlayHaptics) (await import("./play-haptics.js")).substitute(bridge);
  return bridge;
}
