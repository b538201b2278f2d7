// The pattern of the open file: the entries of an AHAP document as items that can be drawn, and edits of them.

/** The values that Haptic Bridge gives an event whose file leaves them out. */
const DEFAULTS = {
  tap: { HapticIntensity: 0.75, HapticSharpness: 0.5 },
  buzz: {
    HapticIntensity: 0.6, HapticSharpness: 0.422601, AttackTime: 0, DecayTime: 0, ReleaseTime: 0, Sustained: 1,
  },
};

const KINDS = {
  HapticTransient: "tap", HapticContinuous: "buzz", AudioContinuous: "audio", AudioCustom: "audio",
};

/** Returns a number without the noise of binary fractions, with as many decimals as given. */
export function rounded(value, decimals) {
  return Number(value.toFixed(decimals));
}

/** Returns a number limited to a range. */
export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/** Returns the range of a parameter's values: controls that add go below 0. */
export function rangeOf(parameter) {
  const adds = parameter.endsWith("Control")
    && parameter !== "HapticIntensityControl" && parameter !== "AudioVolumeControl";
  return adds || parameter === "AudioPitch" || parameter === "AudioPan" ? [-1, 1] : [0, 1];
}

/** Returns the entry of a new tap. */
export function newTap(time, intensity = 0.75, sharpness = 0.5) {
  return { Event: event("HapticTransient", time, intensity, sharpness) };
}

/** Returns the entry of a new buzz. */
export function newBuzz(time, duration, intensity = 0.6, sharpness = 0.4) {
  const { EventParameters, ...head } = event("HapticContinuous", time, intensity, sharpness);
  return { Event: { ...head, EventDuration: rounded(duration, 4), EventParameters } };
}

/** Returns the entry of a new curve; the times of its points count from its own. */
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
 * Makes a drawable item of an entry.
 * @returns {{index: number, kind: string, time: number, end: number}} with the values of its kind: events have
 *     `parameters`, curves have `parameter` and `points` at times of the pattern.
 */
function itemOf(entry, index) {
  if (entry?.Event) return eventItem(entry.Event, index);
  if (entry?.ParameterCurve) return curveItem(entry.ParameterCurve, index);
  const time = Number(entry?.Parameter?.Time) || 0;
  return { index, kind: entry?.Parameter ? "parameter" : "unknown", time, end: time,
    parameter: entry?.Parameter?.ParameterID, value: Number(entry?.Parameter?.ParameterValue) };
}

function eventItem(event, index) {
  const kind = KINDS[event.EventType] ?? "unknown";
  const time = Number(event.Time) || 0;
  const duration = kind === "tap" ? 0 : Number(event.EventDuration) || 0;
  const parameters = { ...DEFAULTS[kind] };
  for (const parameter of event.EventParameters ?? []) {
    if (typeof parameter?.ParameterValue === "number") parameters[parameter.ParameterID] = parameter.ParameterValue;
  }
  return { index, kind, time, duration, end: time + duration, parameters,
    intensity: clamp(parameters.HapticIntensity ?? 0, 0, 1), sharpness: clamp(parameters.HapticSharpness ?? 0, 0, 1) };
}

function curveItem(curve, index) {
  const time = Number(curve.Time) || 0;
  const points = (curve.ParameterCurveControlPoints ?? []).map((point) => ({
    time: time + (Number(point?.Time) || 0), value: Number(point?.ParameterValue) || 0,
  }));
  return { index, kind: "curve", time, end: points.at(-1)?.time ?? time, parameter: curve.ParameterID ?? "", points };
}

/** The document of the open file, and its items by entry and by time. */
export class Model {
  constructor() {
    this.load({ Pattern: [] });
  }

  /** Takes another document. */
  load(document) {
    this.document = document && typeof document === "object" ? document : {};
    this.items = this.entries.map(itemOf);
    this.sort();
  }

  get entries() {
    const pattern = this.document.Pattern;
    return Array.isArray(pattern) ? pattern : [];
  }

  /** Brings the items into the order of their times, and notes how far back an item can reach. */
  sort() {
    this.sorted = this.items.filter((item) => item.kind !== "curve").sort((a, b) => a.time - b.time || a.index - b.index);
    this.curves = this.items.filter((item) => item.kind === "curve");
    this.longest = this.sorted.reduce((most, item) => Math.max(most, item.end - item.time), 0);
    this.end = this.items.reduce((most, item) => Math.max(most, item.end), 0);
  }

  /** Returns the position in `sorted` of the first item at or after a time. */
  firstAt(time) {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sorted[middle].time < time) low = middle + 1; else high = middle;
    }
    return low;
  }

  /** Returns the items, without curves, that are in force somewhere between two times. */
  between(start, end) {
    const items = [];
    for (let at = this.firstAt(start - this.longest); at < this.sorted.length; at += 1) {
      const item = this.sorted[at];
      if (item.time > end) break;
      if (item.end >= start) items.push(item);
    }
    return items;
  }

  /** Returns the index at which a new entry stands in the order of the times. */
  indexForTime(time) {
    const later = this.items.findIndex((item) => item.time > time);
    return later < 0 ? this.items.length : later;
  }

  /** Makes edits in the document and brings the items up to date. */
  apply(edits) {
    this.applyUnsorted(edits);
    this.sort();
  }

  /** Makes edits like `apply`; the order of the items is not right before `sort`. */
  applyUnsorted(edits) {
    let isRebuilt = false;
    for (const edit of edits) {
      change(this.document, edit);
      if (edit.path.length <= 2) isRebuilt = true;
      else if (!isRebuilt) this.items[edit.path[1]] = itemOf(this.entries[edit.path[1]], edit.path[1]);
    }
    if (isRebuilt) this.items = this.entries.map(itemOf);
  }

  /** Returns the edits that give an event's parameter a value, whether the file has it or not. */
  parameterEdits(index, id, value) {
    const parameters = this.entries[index].Event.EventParameters;
    const path = ["Pattern", index, "Event", "EventParameters"];
    if (!Array.isArray(parameters)) {
      return this.replaced(index, "EventParameters", [{ ParameterID: id, ParameterValue: value }]);
    }
    const at = parameters.findLastIndex((parameter) => parameter?.ParameterID === id);
    if (at >= 0 && parameters[at].ParameterValue !== undefined) {
      return [{ op: "set", path: [...path, at, "ParameterValue"], value }];
    }
    return [{ op: "insert", path: [...path, parameters.length], value: { ParameterID: id, ParameterValue: value } }];
  }

  /** Returns the edits that give a member of an event or curve a value, whether the file has it or not. */
  memberEdits(index, key, value) {
    const owner = this.ownerOf(index);
    if (this.entries[index][owner][key] === undefined) return this.replaced(index, key, value);
    return [{ op: "set", path: ["Pattern", index, owner, key], value }];
  }

  /** Returns the edits that give a control point a time (of the pattern) and a value. */
  pointEdits(index, point, time, value) {
    const curve = this.entries[index].ParameterCurve;
    const path = ["Pattern", index, "ParameterCurve", "ParameterCurveControlPoints", point];
    const written = curve.ParameterCurveControlPoints[point];
    const values = { Time: Math.max(rounded(time - (Number(curve.Time) || 0), 4), 0), ParameterValue: value };
    if (written.Time === undefined || written.ParameterValue === undefined) {
      return [{ op: "remove", path }, { op: "insert", path, value: { ...written, ...values } }];
    }
    return Object.entries(values).filter(([key, value]) => written[key] !== value)
      .map(([key, value]) => ({ op: "set", path: [...path, key], value }));
  }

  /** The key of what an entry is. */
  ownerOf(index) {
    const entry = this.entries[index];
    return ["Event", "ParameterCurve", "Parameter"].find((key) => entry[key]);
  }

  /** Returns the edits that write an entry anew, with one member more. */
  replaced(index, key, value) {
    const owner = this.ownerOf(index);
    const entry = structuredClone(this.entries[index]);
    entry[owner][key] = value;
    const path = ["Pattern", index];
    return [{ op: "remove", path }, { op: "insert", path, value: entry }];
  }
}

/** Makes one edit in a document. */
function change(document, { op, path, value }) {
  const parent = path.slice(0, -1).reduce((node, key) => node[key], document);
  const key = path.at(-1);
  if (op === "set") parent[key] = value;
  else if (op === "insert") parent.splice(key, 0, structuredClone(value));
  else if (Array.isArray(parent)) parent.splice(key, 1);
  else delete parent[key];
}

/** Returns what an item is, in words. */
export function describe(item, point = null) {
  const seconds = (time) => `${time.toFixed(3)} s`;
  if (item.kind === "tap") {
    return `Tap at ${seconds(item.time)}, intensity ${item.intensity.toFixed(2)}, sharpness ${item.sharpness.toFixed(2)}`;
  }
  if (item.kind === "buzz") {
    return `Buzz at ${seconds(item.time)} for ${seconds(item.duration)}, intensity ${item.intensity.toFixed(2)}, `
      + `sharpness ${item.sharpness.toFixed(2)}`;
  }
  if (item.kind === "curve" && point !== null) {
    const { time, value } = item.points[point];
    return `Point ${point + 1} of ${item.points.length} of a curve of ${nameOf(item.parameter)}, `
      + `at ${seconds(time)}, ${value.toFixed(2)}`;
  }
  if (item.kind === "curve") return `Curve of ${nameOf(item.parameter)} with ${item.points.length} points, from ${seconds(item.time)}`;
  if (item.kind === "parameter") return `${nameOf(item.parameter ?? "")} becomes ${item.value}, at ${seconds(item.time)}`;
  return item.kind === "audio" ? `Sound at ${seconds(item.time)}` : `Entry that is not known, at ${seconds(item.time)}`;
}

/** Returns in words how a pattern differs from what it was; both have entries and the items of them. */
export function difference(before, after) {
  const [old, now] = [before, after].map(({ entries }) => entries.map((entry) => JSON.stringify(entry)));
  if (old.length === now.length) {
    const changed = after.items.filter(({ index }) => old[index] !== now[index]);
    return changed.length === 1 ? `now ${inSentence(describe(changed[0]))}` : `${changed.length} events are changed`;
  }
  const [more, less] = now.length > old.length ? [after, before] : [before, after];
  const count = more.items.length - less.items.length;
  const verb = more === after ? "back" : "removed";
  if (count > 1) return `${count} events are ${verb}`;
  const known = more === after ? [now, old] : [old, now];
  const at = known[0].findIndex((text, index) => text !== known[1][index]);
  return `${inSentence(describe(more.items[at]))} is ${verb}`;
}

function inSentence(words) {
  return words[0].toLowerCase() + words.slice(1);
}

/** Returns a parameter's name in words: HapticIntensityControl is "intensity". */
export function nameOf(parameter) {
  return parameter.replace(/^Haptic|Control$/g, "").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}
