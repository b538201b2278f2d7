// @ts-check
// The entries and control points that are selected, as keys.

/** @typedef {{ index: number, point: number|null }} Place an entry, or a control point of one. */

/**
 * Returns the key of an entry, or of a control point of one, in a selection.
 * @param {number} index
 * @param {number|null} [point]
 */
export function keyOf(index, point = null) {
  return point === null ? `${index}` : `${index}.${point}`;
}

/**
 * Returns the place that a key means.
 * @type {(key: string) => Place}
 */
export function placeOf(key) {
  const [index, point] = key.split(".");
  return { index: Number(index), point: point === undefined ? null : Number(point) };
}
