// The lines to boards: a serial port, and the virtual board.

/** @typedef {import("./wasm.js").Wasm} Wasm */

/** The time that a byte takes on the line, in microseconds: ten bits at 250,000 baud. */
const BYTE_US = 40;
const BAUD = 250_000;
/**
 * The size of the browser's buffer. The buffer can be large, because the session limits the number of bytes that wait
 * to be sent.
 */
const BUFFER_BYTES = 4096;
/** The longest time for which the session is not polled, in microseconds. */
const PAUSE_US = 50_000;
/** The interval at which the virtual board is advanced, in microseconds, if the browser supports such short timers. */
const STEP_US = 1000;

/** A serial port, opened in the same way as in the native tool. */
export class SerialLine {
  /**
   * @param {SerialPort} port
   * @param {() => number} clock
   * @param {(error: string|null) => void} changed is called when bytes have arrived or there is room again, and with a
   *     text when the port is lost.
   */
  constructor(port, clock, changed) {
    this.port = port;
    this.clock = clock;
    this.changed = changed;
    this.pause = PAUSE_US;
    /** @type {Uint8Array[]} */
    this.arrived = [];
    /** The number of bytes that the browser has not accepted yet. */
    this.unaccepted = 0;
    /** The time at which the last byte leaves the line. */
    this.lineFree = 0;
    this.isOpen = false;
  }

  /** Opens the port. Some boards reset when their port is opened; therefore, the session sends HELLO repeatedly. */
  async open() {
    const { port } = this;
    await port.open({ baudRate: BAUD, bufferSize: BUFFER_BYTES });
    this.isOpen = true;
    // Boards with native USB send only while DTR is set.
    await port.setSignals({ dataTerminalReady: true, requestToSend: true }).catch((error) => {
      throw new Error(`it refuses the signals DTR and RTS (${error}); unplug the board and plug it in again`);
    });
    if (!port.writable) throw new Error("the port cannot be written");
    this.writer = port.writable.getWriter();
    this.reading = this.read();
  }

  /** Reads until the port is closed or lost. After an error on the line, such as noise, the port remains readable. */
  async read() {
    const { port } = this;
    let problem = "the port is closed";
    while (this.isOpen && port.readable) {
      this.reader = port.readable.getReader();
      try {
        for (;;) {
          const { value, done } = await this.reader.read();
          if (done) break;
          this.arrived.push(value);
          this.changed(null);
        }
      } catch (error) {
        problem = String(error);
      } finally {
        this.reader.releaseLock();
      }
    }
    this.lose(problem);
  }

  /** @param {string} problem */
  lose(problem) {
    if (this.isOpen) this.changed(`the board was unplugged (${problem})`);
  }

  take() {
    const count = this.arrived.reduce((sum, bytes) => sum + bytes.length, 0);
    const all = new Uint8Array(count);
    let at = 0;
    for (const bytes of this.arrived) {
      all.set(bytes, at);
      at += bytes.length;
    }
    this.arrived = [];
    return all;
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} now
   */
  write(bytes, now) {
    this.unaccepted += bytes.length;
    this.lineFree = Math.max(this.lineFree, now) + bytes.length * BYTE_US;
    this.writer?.write(bytes).then(
      () => {
        this.unaccepted -= bytes.length;
        this.changed(null);
      },
      (error) => this.lose(String(error)),
    );
  }

  /**
   * Returns an estimate of the number of unsent bytes, which browsers do not report: the bytes that the browser has not
   * accepted, and the bytes that cannot have been transmitted yet.
   * @param {number} now
   */
  unsent(now) {
    return Math.max(this.unaccepted, Math.ceil(Math.max(0, this.lineFree - now) / BYTE_US));
  }

  levels() {
    return new Float64Array();
  }

  async close() {
    if (!this.isOpen) return;
    this.isOpen = false;
    // If the port was unplugged, all these calls are rejected, and the port is closed.
    await this.reader?.cancel().catch(() => {});
    await this.reading?.catch(() => {});
    await this.writer?.abort().catch(() => {});
    this.writer?.releaseLock();
    await this.port.close().catch(() => {});
  }
}

/** The line to the virtual board, which runs in the same instance of the module. */
export class VirtualLine {
  /**
   * @param {Wasm} wasm
   * @param {boolean} isConfigured true if the board has an actuator.
   * @param {number} now
   */
  constructor(wasm, isConfigured, now) {
    this.wasm = wasm;
    this.pause = STEP_US;
    wasm.functions.startBoard(isConfigured, now);
  }

  /** @param {number} now */
  take(now) {
    return this.wasm.runBoard(now);
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} now
   */
  write(bytes, now) {
    this.wasm.sendToBoard(bytes, now);
  }

  /** @param {number} now */
  unsent(now) {
    return this.wasm.functions.unsentToBoard(now);
  }

  levels() {
    return this.wasm.boardLevels();
  }

  async close() {
    this.wasm.functions.removeBoard();
  }
}
