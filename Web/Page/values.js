// The values that a program passes to the library, and a promise that is settled later.

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
 * Checks the number of an actuator, of the board or in the list of known actuators.
 * @param {string} name
 * @param {unknown} value
 */
export function checkNumber(name, value) {
  if (!Number.isInteger(value)) throw new TypeError(`${name} is ${value}, which is not a whole number`);
  if (Number(value) < 0 || Number(value) >= 2 ** 31) throw new RangeError(`${name} is ${value}: there is none`);
}

/** Returns a promise, and the functions that settle it. Nobody needs to wait for it. */
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
