// Manages the selection and all changes of the pattern: moves, typed values, insertions, removals and copies.

import { pointer } from "./edits.js";
import { clamp, rangeOf, rounded } from "./model.js";
import { keyOf, refOf } from "./selection.js";
import { describe } from "./words.js";

/** @typedef {import("./edits.js").Edit} Edit */
/** @typedef {import("./model.js").Item} Item */
/** @typedef {import("./model.js").Entry} Entry */
/** @typedef {import("./selection.js").ItemRef} ItemRef */
/** @typedef {{ time?: number, intensity?: number, sharpness?: number, duration?: number }} Delta */

/**
 * A move in progress: the references to the selected items, the items before the move, and the edits so far.
 * @typedef {{
 *   originals: (ItemRef & { item: Item })[], earliest: number, delta: Delta, edits: Edit[],
 * }} Move
 */

/**
 * The event parameter that each field of the page changes.
 * @type {Record<string, string>}
 */
const PARAMETERS = { intensity: "HapticIntensity", sharpness: "HapticSharpness" };
/** @type {(keyof Delta)[]} */
const FIELDS = ["time", "intensity", "sharpness", "duration"];
const SHORTEST_BUZZ = 0.001;

/** Applies edits to the pattern in the page and sends them to the tool. */
export class Editor {
  /**
   * @param {import("./model.js").Model} model
   * @param {{ sendEdits: (edits: Edit[], isLive: boolean) => void }} connection
   * @param {(retry?: () => void) => boolean} mayEdit returns true if edits are possible. Otherwise, it informs the
   *     user, or asks for a file name and then calls `retry`.
   * @param {() => void} onChange called after each change of the pattern or the selection.
   */
  constructor(model, connection, mayEdit, onChange) {
    this.model = model;
    this.connection = connection;
    this.mayEdit = mayEdit;
    this.onChange = onChange;
    /** @type {Set<string>} */
    this.selection = new Set();
    /** @type {Move|null} */
    this.move = null;
  }

  // ---- Selection

  /**
   * Selects the items with the given keys or, if `isAdded` is true, toggles the keys in the selection.
   * @param {Iterable<string>} keys
   * @param {boolean} [isAdded]
   */
  select(keys, isAdded = false) {
    if (!isAdded) this.selection = new Set(keys);
    else for (const key of keys) if (!this.selection.delete(key)) this.selection.add(key);
    this.onChange();
  }

  /** Selects all entries, but no individual control points. */
  selectAll() {
    this.select(this.model.items.map((item) => keyOf(item.index)));
  }

  /**
   * Selects the item that precedes or follows the selection in time, and returns a description of the item.
   * @param {-1|1} direction
   * @param {boolean} isAdded
   */
  step(direction, isAdded) {
    const refs = this.selectedRefs();
    const walk = [...this.model.items].sort((a, b) => a.time - b.time || a.index - b.index)
      .flatMap((item) => [keyOf(item.index), ...item.points.map((_, at) => keyOf(item.index, at))]);
    if (walk.length === 0) return null;
    const last = refs.at(-1);
    const before = direction > 0 ? -1 : walk.length;
    const at = last ? walk.indexOf(keyOf(last.index, last.point)) : before;
    const key = walk[clamp(at + direction, 0, walk.length - 1)];
    if (isAdded) this.selection.delete(key);
    this.select([key], isAdded);
    return this.inWords();
  }

  selectedRefs() {
    return [...this.selection].map(refOf).filter(({ index, point }) => {
      const item = this.model.items[index];
      return item && (point === null || item.points[point]);
    });
  }

  /** Returns a description of the selection; null if nothing is selected. */
  inWords() {
    const refs = this.selectedRefs();
    if (refs.length === 0) return null;
    if (refs.length > 1) return `${refs.length} selected`;
    return describe(this.model.items[refs[0].index], refs[0].point);
  }

  /** Returns the earliest time in the selection; null if nothing is selected. */
  startOfSelection() {
    const times = this.selectedRefs().map(({ index, point }) => this.timeAt(index, point));
    return times.length > 0 ? Math.min(...times) : null;
  }

  /**
   * @param {number} index
   * @param {number|null} point
   */
  timeAt(index, point) {
    const item = this.model.items[index];
    return point === null ? item.time : item.points[point]?.time ?? item.time;
  }

  // ---- Moving the selection

  /** Starts a move of the selection. Returns false if the selection cannot be moved. */
  begin() {
    if (this.selection.size === 0 || !this.mayEdit()) return false;
    const refs = this.selectedRefs();
    this.move = {
      originals: refs.map(({ index, point }) => ({ index, point, item: structuredClone(this.model.items[index]) })),
      earliest: Math.min(...refs.map(({ index, point }) => this.timeAt(index, point))),
      delta: {}, edits: [],
    };
    return true;
  }

  /**
   * Moves the selection relative to its position at the start of the move. The tool plays the change, but does not add
   * it to the history yet.
   * @param {Delta} delta in seconds and levels.
   */
  preview(delta) {
    const { move } = this;
    if (!move || FIELDS.every((field) => delta[field] === move.delta[field])) return;
    this.moveTo(move, delta);
    if (move.edits.length > 0) this.connection.sendEdits(move.edits, true);
  }

  /** Ends the move, which becomes one step of the history. */
  commit() {
    const move = this.move;
    this.move = null;
    if (move && move.edits.length > 0) this.connection.sendEdits(move.edits, false);
    this.onChange();
  }

  /** Cancels the move. */
  cancel() {
    if (!this.move) return;
    this.moveTo(this.move, Object.fromEntries(Object.keys(this.move.delta).map((key) => [key, 0])));
    this.commit();
  }

  /**
   * Moves the selection as one step of the history.
   * @param {Delta} delta
   */
  nudge(delta) {
    if (!this.begin() || !this.move) return;
    this.moveTo(this.move, delta);
    this.commit();
  }

  /**
   * @param {Move} move
   * @param {Delta} delta
   */
  moveTo(move, delta) {
    const time = delta.time === undefined ? undefined : Math.max(delta.time, -move.earliest);
    move.delta = delta;
    move.edits = [];
    for (const original of move.originals) {
      const isAlone = move.originals.filter(({ index }) => index === original.index).length === 1;
      for (const edits of this.editsFor(original, { ...delta, time }, isAlone)) {
        this.model.applyUnsorted(edits);
        move.edits.push(...edits);
      }
    }
    this.model.sort();
    this.onChange();
  }

  /**
   * Yields the edits that move an item from its original position, one value at a time. Each edit assumes that the
   * previous edits have been applied.
   * @param {ItemRef & { item: Item }} original
   * @param {Delta} delta
   * @param {boolean} isAlone whether no other point of the curve is moved.
   * @returns {Generator<Edit[], void>}
   */
  * editsFor({ index, point, item }, delta, isAlone) {
    if (point !== null) {
      yield this.pointEditsFor(index, point, item, delta, isAlone);
      return;
    }
    const { time, intensity, sharpness, duration } = delta;
    if (time !== undefined) yield this.model.memberEdits(index, "Time", rounded(item.time + time, 4));
    if (!item.parameters || item.kind === "audio") return;
    if (intensity !== undefined) {
      const value = rounded(clamp(item.intensity + intensity, 0, 1), 3);
      yield this.model.parameterEdits(index, PARAMETERS.intensity, value);
    }
    if (sharpness !== undefined) {
      const value = rounded(clamp(item.sharpness + sharpness, 0, 1), 3);
      yield this.model.parameterEdits(index, PARAMETERS.sharpness, value);
    }
    if (duration !== undefined && item.kind === "buzz") {
      const value = rounded(Math.max(item.duration + duration, SHORTEST_BUZZ), 4);
      yield this.model.memberEdits(index, "EventDuration", value);
    }
  }

  /**
   * @param {number} index
   * @param {number} point
   * @param {Item} item
   * @param {Delta} delta
   * @param {boolean} isAlone
   */
  pointEditsFor(index, point, item, { time = 0, intensity = 0, sharpness = 0 }, isAlone) {
    const [low, high] = rangeOf(item.parameter);
    const change = (low < 0 ? 2 * sharpness : intensity) || intensity || sharpness;
    const before = item.points[point - 1]?.time ?? item.time;
    const after = item.points[point + 1]?.time ?? Infinity;
    const moved = item.points[point].time + time;
    return this.model.pointEdits(
      index, point, isAlone ? clamp(moved, before, after) : moved,
      rounded(clamp(item.points[point].value + change, low, high), 3));
  }

  // ---- Typed values

  /**
   * Sets a field of all selected items to a value. The fields are those of the inspector.
   * @param {string} field
   * @param {number} value
   */
  type(field, value) {
    if (!Number.isFinite(value) || !this.mayEdit()) return;
    /** @type {Edit[]} */
    const edits = [];
    for (const { index, point } of this.selectedRefs()) {
      const more = this.editsOfField(index, point, field, value);
      this.model.apply(more);
      edits.push(...more);
    }
    this.send(edits);
  }

  /**
   * @param {number} index
   * @param {number|null} point
   * @param {string} field
   * @param {number} value
   * @returns {Edit[]}
   */
  editsOfField(index, point, field, value) {
    const item = this.model.items[index];
    if (point !== null) {
      const [low, high] = rangeOf(item.parameter);
      const { time, value: level } = item.points[point];
      if (field === "time") return this.model.pointEdits(index, point, Math.max(value, 0), level);
      return field === "value" ? this.model.pointEdits(index, point, time, clamp(value, low, high)) : [];
    }
    if (field === "time") return this.model.memberEdits(index, "Time", Math.max(value, 0));
    if (item.kind === "parameter" && field === "value") return this.model.memberEdits(index, "ParameterValue", value);
    if (!item.parameters) return [];
    if (field === "duration" && item.kind === "tap") return [];
    if (field === "duration") {
      return this.model.memberEdits(index, "EventDuration", Math.max(value, SHORTEST_BUZZ));
    }
    const id = PARAMETERS[field] ?? field;
    return item.parameters[id] === undefined ? [] : this.model.parameterEdits(index, id, clamp(value, 0, 1));
  }

  // ---- Inserting and removing

  /**
   * Inserts entries in the order of their times, and selects the new entries.
   * @param {Entry[]} entries
   */
  insert(entries) {
    if (entries.length === 0 || !this.mayEdit(() => this.insert(entries))) return;
    const time = (/** @type {Entry} */ entry) => Number(contentOf(entry)?.Time) || 0;
    /** @type {Edit[]} */
    const edits = [];
    /** @type {number[]} */
    let indices = [];
    for (const entry of [...entries].sort((a, b) => time(a) - time(b))) {
      const index = this.model.indexForTime(time(entry));
      /** @type {Edit} */
      const edit = { op: "add", path: pointer("Pattern", index), value: entry };
      this.model.apply([edit]);
      edits.push(edit);
      indices = [...indices.map((other) => (other >= index ? other + 1 : other)), index];
    }
    this.selection = new Set(indices.map((index) => keyOf(index)));
    this.send(edits);
  }

  /** Removes the selection. A curve whose points are all removed is also removed. */
  remove() {
    if (this.selection.size === 0 || !this.mayEdit()) return 0;
    const refs = this.selectedRefs();
    const whole = new Set(refs.filter(({ point }) => point === null).map(({ index }) => index));
    for (const item of this.model.curves) {
      const chosen = refs.filter(({ index, point }) => index === item.index && point !== null);
      if (chosen.length > 0 && chosen.length === item.points.length) whole.add(item.index);
    }
    const points = refs.flatMap(({ index, point }) => (point === null || whole.has(index) ? [] : [{ index, point }]))
      .sort((a, b) => b.index - a.index || b.point - a.point)
      .map(({ index, point }) => pointer("Pattern", index, "ParameterCurve", "ParameterCurveControlPoints", point));
    const entries = [...whole].sort((a, b) => b - a).map((index) => pointer("Pattern", index));
    /** @type {Edit[]} */
    const edits = [...points, ...entries].map((path) => ({ op: "remove", path }));
    this.selection.clear();
    this.model.apply(edits);
    this.send(edits);
    return edits.length;
  }

  /**
   * Inserts a control point into a curve, and selects the new point.
   * @param {number} index
   * @param {number} time
   * @param {number} value
   */
  insertPoint(index, time, value) {
    if (!this.mayEdit()) return;
    const item = this.model.items[index];
    const later = item.points.findIndex((point) => point.time > time);
    const at = later < 0 ? item.points.length : later;
    /** @type {Edit[]} */
    const edits = [{
      op: "add", path: pointer("Pattern", index, "ParameterCurve", "ParameterCurveControlPoints", at),
      value: { Time: Math.max(rounded(time - item.time, 4), 0), ParameterValue: rounded(value, 3) },
    }];
    this.model.apply(edits);
    this.selection = new Set([keyOf(index, at)]);
    this.send(edits);
  }

  /** @param {Edit[]} edits */
  send(edits) {
    if (edits.length > 0) this.connection.sendEdits(edits, false);
    this.onChange();
  }

  // ---- Copies

  /** Returns copies of the selected entries. */
  copies() {
    const indices = new Set(this.selectedRefs().map(({ index }) => index));
    return [...indices].sort((a, b) => a - b).map((index) => structuredClone(this.model.entries[index]));
  }

  /**
   * Inserts entries and shifts them so that the first entry starts at the given time.
   * @param {Entry[]} entries
   * @param {number} time
   */
  paste(entries, time) {
    const known = entries.filter(contentOf);
    const contents = known.map(contentOf);
    const first = Math.min(...contents.map((content) => Number(content.Time) || 0));
    for (const content of contents) content.Time = rounded((Number(content.Time) || 0) - first + time, 4);
    this.insert(known);
  }

  /**
   * Inserts copies of the selection at the end of the selection or, if the selection has no duration, 0.1 s after the
   * selection.
   */
  duplicate() {
    const refs = this.selectedRefs();
    if (refs.length === 0) return;
    const items = refs.map(({ index }) => this.model.items[index]);
    const start = Math.min(...items.map((item) => item.time));
    const end = Math.max(...items.map((item) => item.end));
    this.paste(this.copies(), end > start ? end : start + 0.1);
  }
}

/**
 * Returns the content of an entry, which is the value under the key of its kind; undefined for an unknown kind.
 * @type {(entry: Entry) => any}
 */
function contentOf(entry) {
  return entry?.Event ?? entry?.ParameterCurve ?? entry?.Parameter;
}
