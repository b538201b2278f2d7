// @ts-check
// Edits to a document: JSON Patch operations (RFC 6902), whose paths are JSON Pointers (RFC 6901).

/** @typedef {import("./messages.js").Edit} Edit */

/**
 * Returns the JSON Pointer for a path of keys and indices.
 * @param {...(string|number)} steps
 */
export function pointer(...steps) {
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/**
 * Returns the path of keys and indices for a JSON Pointer.
 * @param {string} path
 */
export function stepsOf(path) {
  return path.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * Applies an edit to a document.
 * @param {any} document
 * @param {Edit} edit
 */
export function change(document, edit) {
  const steps = stepsOf(edit.path);
  const key = steps.pop() ?? "";
  const parent = steps.reduce((node, step) => node[step], document);
  const isInserted = edit.op === "add" && Array.isArray(parent);
  if (isInserted) parent.splice(Number(key), 0, structuredClone(edit.value));
  else if (edit.op !== "remove") parent[key] = structuredClone(edit.value);
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}

/**
 * Appends edits to a list of edits. A repeated replacement of a value overwrites the previous replacement, unless
 * entries were added or removed in between.
 * @param {Edit[]} edits
 * @param {Edit[]} others
 */
export function merge(edits, others) {
  /** @type {Map<string, number>} */
  const positions = new Map();
  const record = (/** @type {Edit} */ { op, path }, /** @type {number} */ at) => {
    if (op === "replace") positions.set(path, at); else positions.clear();
  };
  edits.forEach(record);
  for (const edit of others) {
    const same = edit.op === "replace" ? positions.get(edit.path) : undefined;
    if (same === undefined) record(edit, edits.push(edit) - 1); else edits[same] = edit;
  }
}
