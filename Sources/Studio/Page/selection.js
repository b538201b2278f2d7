// Converts entries and control points to keys, which identify them in the selection, and converts keys back to entries
// and control points.

/** @typedef {{ index: number, point: number|null }} ItemRef an entry, or a control point of an entry. */

/**
 * Returns the key of an entry or of one of its control points.
 * @param {number} index
 * @param {number|null} [point]
 */
export function keyOf(index, point = null) {
  return point === null ? `${index}` : `${index}.${point}`;
}

/**
 * Returns the entry or control point that a key identifies.
 * @type {(key: string) => ItemRef}
 */
export function refOf(key) {
  const [index, point] = key.split(".");
  return { index: Number(index), point: point === undefined ? null : Number(point) };
}
