// The pattern of the open file: the entries of an AHAP document as drawable items, and the edits to these entries.

import { change, pointer, stepsOf } from "./edits.js";

/** @typedef {import("./edits.js").Edit} Edit */
/** @typedef {"tap"|"buzz"|"audio"|"curve"|"parameter"|"unknown"} Kind */
/** @typedef {{ time: number, value: number }} Point */
/** @typedef {Record<string, any>} Entry an entry of the document, with all members from its file. */

/**
 * A drawable entry. Events have `parameters`. Curves have `parameter` and `points`, and the times of points are
 * relative to the start of the pattern. A single parameter has `parameter` and `value`.
 * @typedef {{
 *   index: number, kind: Kind, time: number, end: number, duration: number, intensity: number, sharpness: number,
 *   parameters: Record<string, number>|null, parameter: string, value: number, points: Point[],
 * }} Item
 */

/** The default values of event parameters that a file omits. */
/** @type {Partial<Record<Kind, Record<string, number>>>} */
const DEFAULTS = {
  tap: { HapticIntensity: 0.75, HapticSharpness: 0.5 },
  buzz: {
    HapticIntensity: 0.6, HapticSharpness: 0.422601, AttackTime: 0, DecayTime: 0, ReleaseTime: 0, Sustained: 1,
  },
};

/** @type {Record<string, Kind>} */
const KINDS = {
  HapticTransient: "tap", HapticContinuous: "buzz", AudioContinuous: "audio", AudioCustom: "audio",
};

/** The members of an item with their default values. */
const NONE = { duration: 0, intensity: 0, sharpness: 0, parameters: null, parameter: "", value: 0, points: [] };

/**
 * Returns a number rounded to a number of decimals.
 * @type {(value: number, decimals: number) => number}
 */
export function rounded(value, decimals) {
  return Number(value.toFixed(decimals));
}

/**
 * Returns a number limited to a range.
 * @type {(value: number, low: number, high: number) => number}
 */
export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/**
 * Returns the range of a parameter's values. Additive controls can also have negative values.
 * @type {(parameter: string) => [number, number]}
 */
export function rangeOf(parameter) {
  const adds = parameter.endsWith("Control")
    && parameter !== "HapticIntensityControl" && parameter !== "AudioVolumeControl";
  return adds || parameter === "AudioPitch" || parameter === "AudioPan" ? [-1, 1] : [0, 1];
}

/**
 * Returns the entry of a new tap.
 * @type {(time: number, intensity?: number, sharpness?: number) => Entry}
 */
export function newTap(time, intensity = 0.75, sharpness = 0.5) {
  return { Event: event("HapticTransient", time, intensity, sharpness) };
}

/**
 * Returns the entry of a new buzz.
 * @type {(time: number, duration: number, intensity?: number, sharpness?: number) => Entry}
 */
export function newBuzz(time, duration, intensity = 0.6, sharpness = 0.4) {
  const { EventParameters, ...head } = event("HapticContinuous", time, intensity, sharpness);
  return { Event: { ...head, EventDuration: rounded(duration, 4), EventParameters } };
}

/**
 * Returns the entry of a new curve. In the entry, the times of points are relative to the time of the curve.
 * @type {(parameter: string, points: Point[]) => Entry}
 */
export function newCurve(parameter, points) {
  const start = points[0].time;
  return {
    ParameterCurve: {
      ParameterID: parameter,
      Time: rounded(start, 4),
      ParameterCurveControlPoints: points.map((point) => ({
        Time: rounded(point.time - start, 4), ParameterValue: rounded(point.value, 3),
      })),
    },
  };
}

/** @type {(type: string, time: number, intensity: number, sharpness: number) => Entry} */
function event(type, time, intensity, sharpness) {
  return {
    Time: rounded(time, 4),
    EventType: type,
    EventParameters: [
      { ParameterID: "HapticIntensity", ParameterValue: rounded(intensity, 3) },
      { ParameterID: "HapticSharpness", ParameterValue: rounded(sharpness, 3) },
    ],
  };
}

/**
 * Creates the drawable item for an entry.
 * @type {(entry: Entry, index: number) => Item}
 */
function itemOf(entry, index) {
  if (entry?.Event) return eventItem(entry.Event, index);
  if (entry?.ParameterCurve) return curveItem(entry.ParameterCurve, index);
  const time = Number(entry?.Parameter?.Time) || 0;
  return { ...NONE, index, kind: entry?.Parameter ? "parameter" : "unknown", time, end: time,
    parameter: entry?.Parameter?.ParameterID ?? "", value: Number(entry?.Parameter?.ParameterValue) };
}

/** @type {(event: Entry, index: number) => Item} */
function eventItem(event, index) {
  const kind = KINDS[event.EventType] ?? "unknown";
  const time = Number(event.Time) || 0;
  const duration = kind === "tap" ? 0 : Number(event.EventDuration) || 0;
  /** @type {Record<string, number>} */
  const parameters = { ...DEFAULTS[kind] };
  for (const parameter of event.EventParameters ?? []) {
    if (typeof parameter?.ParameterValue === "number") parameters[parameter.ParameterID] = parameter.ParameterValue;
  }
  return { ...NONE, index, kind, time, duration, end: time + duration, parameters,
    intensity: clamp(parameters.HapticIntensity ?? 0, 0, 1), sharpness: clamp(parameters.HapticSharpness ?? 0, 0, 1) };
}

/** @type {(curve: Entry, index: number) => Item} */
function curveItem(curve, index) {
  const time = Number(curve.Time) || 0;
  /** @type {Entry[]} */
  const written = curve.ParameterCurveControlPoints ?? [];
  const points = written.map((point) => ({
    time: time + (Number(point?.Time) || 0), value: Number(point?.ParameterValue) || 0,
  }));
  const end = points.at(-1)?.time ?? time;
  return { ...NONE, index, kind: "curve", time, end, parameter: curve.ParameterID ?? "", points };
}

/** The document of the open file, and its items by entry and by time. */
export class Model {
  constructor() {
    /** @type {Record<string, any>} */
    this.document = { Pattern: [] };
    /** @type {Item[]} */
    this.items = [];
    /**
     * All items except curves, in order of time.
     * @type {Item[]}
     */
    this.sorted = [];
    /** @type {Item[]} */
    this.curves = [];
    /** The longest duration of an item. */
    this.longest = 0;
    this.end = 0;
  }

  /**
   * Loads another document.
   * @param {any} document
   */
  load(document) {
    this.document = document && typeof document === "object" ? document : {};
    this.items = this.entries.map(itemOf);
    this.sort();
  }

  /** @returns {Entry[]} */
  get entries() {
    const pattern = this.document.Pattern;
    return Array.isArray(pattern) ? pattern : [];
  }

  /** Sorts the items by time, and computes the longest duration. */
  sort() {
    this.sorted = this.items.filter((item) => item.kind !== "curve")
      .sort((a, b) => a.time - b.time || a.index - b.index);
    this.curves = this.items.filter((item) => item.kind === "curve");
    this.longest = this.sorted.reduce((most, item) => Math.max(most, item.end - item.time), 0);
    this.end = this.items.reduce((most, item) => Math.max(most, item.end), 0);
  }

  /**
   * Returns the position in `sorted` of the first item at or after a time.
   * @param {number} time
   */
  firstAt(time) {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sorted[middle].time < time) low = middle + 1; else high = middle;
    }
    return low;
  }

  /**
   * Returns all items except curves that overlap a time range.
   * @param {number} start
   * @param {number} end
   */
  between(start, end) {
    const items = [];
    for (let at = this.firstAt(start - this.longest); at < this.sorted.length; at += 1) {
      const item = this.sorted[at];
      if (item.time > end) break;
      if (item.end >= start) items.push(item);
    }
    return items;
  }

  /**
   * Returns the index for inserting a new entry in order of time.
   * @param {number} time
   */
  indexForTime(time) {
    const later = this.items.findIndex((item) => item.time > time);
    return later < 0 ? this.items.length : later;
  }

  /**
   * Applies edits to the document and updates the items.
   * @param {Edit[]} edits
   */
  apply(edits) {
    this.applyUnsorted(edits);
    this.sort();
  }

  /**
   * Applies edits without sorting the items, whose order may be wrong until `sort` is called.
   * @param {Edit[]} edits
   */
  applyUnsorted(edits) {
    let isRebuilt = false;
    for (const edit of edits) {
      change(this.document, edit);
      const steps = stepsOf(edit.path);
      const index = Number(steps[1]);
      if (steps.length <= 2) isRebuilt = true;
      else if (!isRebuilt) this.items[index] = itemOf(this.entries[index], index);
    }
    if (isRebuilt) this.items = this.entries.map(itemOf);
  }

  /**
   * Returns the edits that set a parameter of an event, whether or not the file contains the parameter.
   * @param {number} index
   * @param {string} id
   * @param {number} value
   * @returns {Edit[]}
   */
  parameterEdits(index, id, value) {
    const parameters = this.entries[index].Event.EventParameters;
    const path = pointer("Pattern", index, "Event", "EventParameters");
    if (!Array.isArray(parameters)) {
      return [{ op: "add", path, value: [{ ParameterID: id, ParameterValue: value }] }];
    }
    const at = parameters.map((parameter) => parameter?.ParameterID).lastIndexOf(id);
    if (at >= 0 && parameters[at].ParameterValue !== undefined) {
      return [{ op: "replace", path: `${path}/${at}/ParameterValue`, value }];
    }
    return [{ op: "add", path: `${path}/${parameters.length}`, value: { ParameterID: id, ParameterValue: value } }];
  }

  /**
   * Returns the edits that set a member of an event or curve, whether or not the file contains the member.
   * @param {number} index
   * @param {string} key
   * @param {number} value
   * @returns {Edit[]}
   */
  memberEdits(index, key, value) {
    const owner = this.ownerOf(index);
    const op = this.entries[index][owner][key] === undefined ? "add" : "replace";
    return [{ op, path: pointer("Pattern", index, owner, key), value }];
  }

  /**
   * Returns the edits that set the time (in the pattern) and the value of a control point.
   * @param {number} index
   * @param {number} point
   * @param {number} time
   * @param {number} value
   * @returns {Edit[]}
   */
  pointEdits(index, point, time, value) {
    const curve = this.entries[index].ParameterCurve;
    const path = pointer("Pattern", index, "ParameterCurve", "ParameterCurveControlPoints", point);
    const written = curve.ParameterCurveControlPoints[point];
    const values = { Time: Math.max(rounded(time - (Number(curve.Time) || 0), 4), 0), ParameterValue: value };
    return Object.entries(values).filter(([key, value]) => written[key] !== value)
      .map(([key, value]) => ({ op: written[key] === undefined ? "add" : "replace", path: `${path}/${key}`, value }));
  }

  /**
   * Returns the key of the content of an entry.
   * @param {number} index
   */
  ownerOf(index) {
    const entry = this.entries[index];
    return ["Event", "ParameterCurve", "Parameter"].find((key) => entry[key]) ?? "Event";
  }
}
