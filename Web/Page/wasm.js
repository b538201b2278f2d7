// The functions of haptic-bridge.wasm, with texts and bytes instead of addresses.

/**
 * @typedef {import("./haptic-bridge.js").PatternFacts} PatternFacts
 * @typedef {import("./haptic-bridge.js").StreamFacts} StreamFacts
 * @typedef {import("./haptic-bridge.js").Report} Report
 * @typedef {import("./haptic-bridge.js").Remark} Remark
 * @typedef {import("./haptic-bridge.js").KnownActuator} KnownActuator
 */

/**
 * @typedef {{
 *   memory: WebAssembly.Memory,
 *   allocate(count: number): number, release(address: number): void, output(): number,
 *   openPattern(address: number, count: number): number, patternNames(): number,
 *   namedPattern(address: number, count: number): number, compiledFile(profile: number): number,
 *   losses(profile: number): number, samples(profile: number, count: number): number,
 *   prediction(count: number): number, beginSound(isLoop: boolean, start: number): void,
 *   nextSound(count: number): number, firmwareImage(address: number, count: number): number,
 *   disguiseBoard(kind: number, firmware: number): void,
 *   openSession(id: number, gain: number, now: number): void, closeSession(): void,
 *   receive(address: number, count: number, now: number): void,
 *   nextOutput(unsent: number, now: number): number, deadline(): number, isOutputWaiting(): number,
 *   reports(): number, play(isLoop: boolean, now: number): void, stop(now: number): void,
 *   setGain(gain: number): void, knownActuators(): number, configure(actuator: number, known: number): void,
 *   calibrate(actuator: number): void,
 *   startBoard(isConfigured: boolean, now: number): void, removeBoard(): void,
 *   sendToBoard(address: number, count: number, now: number): void, unsentToBoard(now: number): number,
 *   convert(address: number, count: number): number, converted(): number,
 *   needed(): number, neededSize(): number, provide(address: number, count: number): void,
 *   runBoard(now: number): number, boardLevels(): number, breakBoard(isShort: boolean): void,
 * }} Functions
 */

/**
 * Decompresses a file of a ZIP archive. Returns no bytes if the file is damaged, or has more bytes than the archive
 * states.
 * @param {Uint8Array} packed
 * @param {number} size
 */
async function unpacked(packed, size) {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const contents = new Uint8Array(size);
  let count = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      contents.set(part.value, count);
      count += part.value.length;
    }
  } catch (error) {
    await reader.cancel(error).catch(() => {});
    return new Uint8Array();
  }
  return contents.slice(0, count);
}

/**
 * The functions of haptic-bridge.wasm, or the functions of formats.wasm, which `convert` and `converted` use. An
 * instance that has thrown an error must no longer be used.
 */
export class Wasm {
  /** @param {Functions} functions */
  constructor(functions) {
    this.functions = functions;
  }

  /**
   * Creates an instance from the bytes of a module.
   * @param {BufferSource} bytes
   */
  static async load(bytes) {
    /** @type {WebAssembly.Memory} */
    let memory;
    /**
     * Converts the C string at an address to a number, and stores it.
     * @param {number} address
     * @param {number} result the address of the number.
     * @returns {number} the address of the end of the number; the address of the beginning of the text if it is not a
     * number.
     */
    const number = (address, result) => {
      const all = new Uint8Array(memory.buffer);
      const end = all.indexOf(0, address);
      const text = new TextDecoder().decode(all.slice(address, end));
      const value = text === "" ? NaN : Number(text);
      if (Number.isNaN(value)) return address;
      new DataView(memory.buffer).setFloat64(result, value, true);
      return end;
    };
    const { exp, log, pow, sin, cos, hypot } = Math;
    const exp2 = (/** @type {number} */ exponent) => 2 ** exponent;
    const env = { exp, exp2, log, pow, sin, cos, hypot, _swift_stdlib_strtod_clocale: number };
    const { instance } = await WebAssembly.instantiate(bytes, { env });
    const functions = /** @type {Functions} */ (/** @type {unknown} */ (instance.exports));
    memory = functions.memory;
    return new Wasm(functions);
  }

  // ---- Patterns ------------------------------------------------------------------------------------------------

  /**
   * Opens an AHAP file, which the other functions then use.
   * @param {Uint8Array} bytes
   * @returns {PatternFacts|{ error: Remark }}
   */
  open(bytes) {
    return this.#json(this.#pass(bytes, (address, count) => this.functions.openPattern(address, count)));
  }

  /**
   * Converts a file in another format to AHAP. The format of a file that is already AHAP is "ahap".
   * @param {Uint8Array} bytes
   * @returns {Promise<{ format: string, summary?: string, remarks?: Remark[], error?: Remark }>}
   */
  async convert(bytes) {
    const convert = () => this.#json(this.#pass(bytes, (address, count) => this.functions.convert(address, count)));
    const result = convert();
    const packed = this.#bytes(this.functions.needed());
    if (packed.length === 0) return result;
    const contents = await unpacked(packed, this.functions.neededSize());
    this.#pass(contents, (address, count) => this.functions.provide(address, count));
    return convert();
  }

  /** Returns the AHAP file that the latest conversion has written. */
  converted() {
    return this.#bytes(this.functions.converted());
  }

  /** Returns the names of the patterns that are part of the library: the folder, a slash, and the name of a file. */
  patternNames() {
    return /** @type {string[]} */ (this.#json(this.functions.patternNames()));
  }

  /**
   * Returns the bytes of a file that is part of the library; no bytes if there is no such file.
   * @param {string} name
   */
  namedPattern(name) {
    const bytes = new TextEncoder().encode(name);
    return this.#bytes(this.#pass(bytes, (address, count) => this.functions.namedPattern(address, count)));
  }

  /**
   * Returns the open pattern as a compiled file.
   * @param {number} profile
   */
  compiledFile(profile) {
    return this.#bytes(this.functions.compiledFile(profile));
  }

  /**
   * Returns the properties of the compiled stream and the losses; null if no pattern is open.
   * @param {number} profile
   * @returns {StreamFacts|null}
   */
  losses(profile) {
    return this.#json(this.functions.losses(profile));
  }

  /**
   * Returns the levels of the open pattern in equal intervals, and then its sharpnesses, 0 to 255.
   * @param {number} profile
   * @param {number} count the number of intervals.
   */
  samples(profile, count) {
    return this.#bytes(this.functions.samples(profile, count));
  }

  /**
   * Returns the greatest predicted accelerations of the open pattern in equal intervals, 0 to 255: 255 is the
   * acceleration at full level.
   * @param {number} count the number of intervals.
   */
  prediction(count) {
    return this.#bytes(this.functions.prediction(count));
  }

  /**
   * Returns the next samples of the sound, -1 to 1, 48,000 per second; no samples after its end.
   * @param {number} count
   */
  nextSound(count) {
    return new Float32Array(this.#bytes(this.functions.nextSound(count)).buffer);
  }

  /**
   * Returns a UF2 file with the pins of the connected board; no bytes if its boot loader is not a drive.
   * @param {Uint8Array} bytes the file with the pins of a Pico.
   */
  firmwareImage(bytes) {
    return this.#bytes(this.#pass(bytes, (address, count) => this.functions.firmwareImage(address, count)));
  }

  /** @returns {KnownActuator[]} */
  knownActuators() {
    return this.#json(this.functions.knownActuators());
  }

  // ---- The session: times are in microseconds ------------------------------------------------------------------

  /**
   * @param {Uint8Array} bytes
   * @param {number} now
   */
  receive(bytes, now) {
    this.#pass(bytes, (address, count) => this.functions.receive(address, count, now));
  }

  /**
   * Returns the bytes to write now.
   * @param {number} unsent the number of bytes that wait on the line.
   * @param {number} now
   */
  nextOutput(unsent, now) {
    return this.#bytes(this.functions.nextOutput(unsent, now));
  }

  /** @returns {Report[]} */
  reports() {
    return this.#json(this.functions.reports()) ?? [];
  }

  // ---- The virtual board ---------------------------------------------------------------------------------------

  /**
   * @param {Uint8Array} bytes
   * @param {number} now
   */
  sendToBoard(bytes, now) {
    this.#pass(bytes, (address, count) => this.functions.sendToBoard(address, count, now));
  }

  /**
   * Runs the virtual board up to a time, and returns the bytes that have arrived from it.
   * @param {number} now
   */
  runBoard(now) {
    return this.#bytes(this.functions.runBoard(now));
  }

  /**
   * Returns the levels that were written on the bus since the last call: for each, the time, the value of the
   * register, and the drive of the chip, -255 to 255.
   */
  boardLevels() {
    return new Float64Array(this.#bytes(this.functions.boardLevels()).buffer);
  }

  // ---- Memory --------------------------------------------------------------------------------------------------

  /**
   * Calls a function with the address of bytes.
   * @template Result
   * @param {Uint8Array} bytes
   * @param {(address: number, count: number) => Result} call
   */
  #pass(bytes, call) {
    const address = this.functions.allocate(bytes.length);
    new Uint8Array(this.functions.memory.buffer, address, bytes.length).set(bytes);
    const result = call(address, bytes.length);
    this.functions.release(address);
    return result;
  }

  /**
   * Returns a copy of the bytes that a function has provided.
   * @param {number} count
   */
  #bytes(count) {
    return new Uint8Array(this.functions.memory.buffer, this.functions.output(), count).slice();
  }

  /** @param {number} count */
  #json(count) {
    return count === 0 ? null : JSON.parse(new TextDecoder().decode(this.#bytes(count)));
  }
}
