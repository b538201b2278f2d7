// The session with a board over a line: passes bytes between the line and haptic-bridge.wasm when they arrive and when
// the session must send.

/**
 * A line to a board. `take` returns the bytes that have arrived, and `unsent` returns the number of written bytes that
 * may still be waiting in this computer. Times are in microseconds.
 * @typedef {{
 *   take(now: number): Uint8Array, write(bytes: Uint8Array, now: number): void, unsent(now: number): number,
 *   readonly pause: number, levels(): Float64Array, close(): Promise<void>,
 * }} Line
 *
 * @typedef {import("./wasm.js").Wasm} Wasm
 * @typedef {import("./haptic-bridge.js").Report} Report
 */

/** The interval at which the session checks whether a line has room for waiting frames, in microseconds. */
const ROOM_INTERVAL_US = 2000;

/** Returns a random id for a session. */
function randomID() {
  return crypto.getRandomValues(new Uint32Array(1))[0];
}

/** A session over a line. The session works only during calls of `pump`. */
export class Session {
  /**
   * @param {Wasm} wasm
   * @param {Line} line
   * @param {number} gain 0 to 255.
   * @param {number} now
   */
  constructor(wasm, line, gain, now) {
    this.wasm = wasm;
    this.line = line;
    this.gain = gain;
    wasm.functions.openSession(randomID(), gain, now);
  }

  /**
   * Processes the received bytes, writes the bytes that are due, and returns the reports. If the board was reset, a new
   * session begins.
   * @param {number} now
   */
  pump(now) {
    const { line, wasm } = this;
    const arrived = line.take(now);
    if (arrived.length > 0) wasm.receive(arrived, now);
    const bytes = wasm.nextOutput(line.unsent(now), now);
    if (bytes.length > 0) line.write(bytes, now);
    const reports = wasm.reports();
    if (reports.some((report) => report.type === "ended" && report.wasReset)) {
      wasm.functions.openSession(randomID(), this.gain, now);
    }
    return reports;
  }

  /**
   * Returns the time at which `pump` must be called next, even if no bytes arrive before then.
   * @param {number} now
   */
  deadline(now) {
    const { functions } = this.wasm;
    const due = functions.isOutputWaiting() ? now + ROOM_INTERVAL_US : functions.deadline();
    return Math.min(due, now + this.line.pause);
  }

  /** @param {number} gain 0 to 255. */
  setGain(gain) {
    this.gain = gain;
    this.wasm.functions.setGain(gain);
  }

  /** Closes the line. If a pattern is playing, the board comes to rest on its own. */
  async close() {
    this.wasm.functions.closeSession();
    await this.line.close();
  }
}
