// Converts times and levels to pixels and back, and defines the visible range, the lanes, the zoom and the hit tests.

import { clamp, rangeOf } from "./model.js";
import { keyOf } from "./selection.js";

const RULER = 24;
/** The height of the lane of losses, including its name. */
const LOSSES = 30;
const ENERGY = 16;
/** The space above the highest level of a lane, for its name. */
const HEAD = 18;
/**
 * The space before time 0 in pixels, which contains the numbers of the scales, so that no number covers an item at time
 * 0.
 */
const MARGIN = 30;
const MOST_PIXELS_PER_SECOND = 40000;
/** The maximum distance in pixels between the pointer and an item that is hit. */
const REACH = 9;

/** @typedef {import("./model.js").Item} Item */
/** @typedef {import("./model.js").Model} Model */
/** @typedef {"ruler"|"intensity"|"sharpness"|"acceleration"|"losses"|"energy"} LaneName */
/** @typedef {{ top: number, height: number, bottom: number }} Lane */

/**
 * The item at a position on the canvas. If there are several items, the item with the smallest `distance` is used.
 * @typedef {{ index: number, point: number|null, part: "head"|"edge"|"point"|"line", lane: DesignLane }} Found
 * @typedef {"intensity"|"sharpness"} DesignLane
 * @typedef {Found & { distance: number }} Near
 */

/** Maps times and levels to positions on the canvas. All lengths are in CSS pixels. */
export class View {
  constructor() {
    this.start = 0;
    this.scale = 300;
    this.isFitted = true;
    this.width = 1;
    this.height = 1;
    this.lanes = lanesOf(1);
    this.resize(600, 400);
  }

  /**
   * @param {number} width
   * @param {number} height
   */
  resize(width, height) {
    this.width = Math.max(width, 1);
    this.lanes = lanesOf(height);
    this.height = this.lanes.energy.bottom;
  }

  /** The minimum time at the left edge of the view. */
  get earliest() {
    return -MARGIN / this.scale;
  }

  get end() {
    return this.start + this.width / this.scale;
  }

  /** @param {number} time */
  x(time) {
    return (time - this.start) * this.scale;
  }

  /** @param {number} x */
  time(x) {
    return this.start + x / this.scale;
  }

  /**
   * Returns the name of the lane at a vertical position.
   * @param {number} y
   * @returns {LaneName}
   */
  laneAt(y) {
    const names = /** @type {LaneName[]} */ (Object.keys(this.lanes));
    return names.find((name) => y < this.lanes[name].bottom) ?? "energy";
  }

  /**
   * Returns the vertical position of a level from 0 to 1 in a lane.
   * @param {number} level
   * @param {LaneName} lane
   */
  y(level, lane) {
    const { bottom, height } = this.lanes[lane];
    return bottom - 2 - level * (height - HEAD - 2);
  }

  /**
   * Returns the level at a vertical position in a lane, 0 to 1.
   * @param {number} y
   * @param {LaneName} lane
   */
  level(y, lane) {
    const { bottom, height } = this.lanes[lane];
    return clamp((bottom - 2 - y) / (height - HEAD - 2), 0, 1);
  }

  /**
   * Shows the times from 0 to an end, with a small margin.
   * @param {number} end
   */
  fit(end) {
    this.scale = (this.width - MARGIN) / Math.max(end * 1.08, 0.5);
    this.start = this.earliest;
    this.isFitted = true;
  }

  /**
   * Zooms by a factor around a horizontal position.
   * @param {number} factor
   * @param {number} [x]
   */
  zoom(factor, x = this.width / 2) {
    const time = this.time(x);
    this.scale = clamp(this.scale * factor, 2, MOST_PIXELS_PER_SECOND);
    this.start = Math.max(time - x / this.scale, this.earliest);
    this.isFitted = false;
  }

  /** @param {number} seconds */
  scroll(seconds) {
    this.start = Math.max(this.start + seconds, this.earliest);
    this.isFitted = false;
  }

  /**
   * If a time is not visible, scrolls, without animation, until the time is near the left edge of the view. Returns
   * true if the view has scrolled.
   * @param {number} time
   */
  reveal(time) {
    if (time >= this.start && time <= this.end) return false;
    this.start = Math.max(time - 0.1 * (this.end - this.start), this.earliest);
    return true;
  }
}

/**
 * Returns the lanes for a canvas height.
 * @param {number} height
 * @returns {Record<LaneName, Lane>}
 */
function lanesOf(height) {
  const rest = Math.max(height - RULER - LOSSES - ENERGY, 60);
  /** @type {(top: number, height: number) => Lane} */
  const lane = (top, height) => ({ top, height, bottom: top + height });
  const intensity = lane(RULER, Math.round(rest * 0.46));
  const sharpness = lane(intensity.bottom, Math.round(rest * 0.24));
  const acceleration = lane(sharpness.bottom, rest - intensity.height - sharpness.height);
  const losses = lane(acceleration.bottom, LOSSES);
  return {
    ruler: lane(0, RULER), intensity, sharpness, acceleration, losses, energy: lane(losses.bottom, ENERGY),
  };
}

/**
 * Returns the lane of a curve: the intensity lane for an intensity curve, and the sharpness lane for any other curve.
 * @param {Item} curve
 * @returns {DesignLane}
 */
export function laneOfCurve(curve) {
  return curve.parameter === "HapticIntensityControl" ? "intensity" : "sharpness";
}

/**
 * Returns the level of a control point in its lane, 0 to 1.
 * @param {Item} curve
 * @param {number} value
 */
export function levelOfPoint(curve, value) {
  const [low, high] = rangeOf(curve.parameter);
  return clamp((value - low) / (high - low), 0, 1);
}

/**
 * Returns the item at a position on the canvas; null if there is no item.
 * @type {(model: Model, view: View, x: number, y: number, selection: Set<string>) => Found|null}
 */
export function hit(model, view, x, y, selection) {
  const lane = view.laneAt(y);
  if (lane !== "intensity" && lane !== "sharpness") return null;
  return hitPoint(model, view, lane, x, y) ?? hitEvent(model, view, lane, x, y, selection)
    ?? hitLine(model, view, lane, x, y);
}

/** @type {(model: Model, view: View, lane: DesignLane, x: number, y: number) => Found|null} */
function hitPoint(model, view, lane, x, y) {
  /** @type {Near|null} */
  let best = null;
  for (const curve of model.curves) {
    if (laneOfCurve(curve) !== lane || curve.end < view.start || curve.time > view.end) continue;
    for (const [at, point] of curve.points.entries()) {
      const distance = Math.hypot(view.x(point.time) - x, view.y(levelOfPoint(curve, point.value), lane) - y);
      if (distance <= REACH && distance < (best?.distance ?? Infinity)) {
        best = { index: curve.index, point: at, part: "point", lane, distance };
      }
    }
  }
  return best;
}

/** @type {(...given: [Model, View, DesignLane, number, number, Set<string>]) => Found|null} */
function hitEvent(model, view, lane, x, y, selection) {
  /** @type {Near|null} */
  let best = null;
  for (const item of model.between(view.time(x - REACH), view.time(x + REACH))) {
    const found = item.parameters ? partAt(item, view, lane, x, y) : null;
    if (!found) continue;
    // A selected event has priority, so that it can be dragged even if other events cover it.
    if (selection.has(keyOf(item.index))) found.distance -= REACH;
    if (!best || found.distance < best.distance) best = { index: item.index, point: null, lane, ...found };
  }
  return best;
}

/**
 * Returns the part of an event at a position; null if the event has no part at the position.
 * @typedef {{ part: "head"|"edge", distance: number }} Part
 * @type {(item: Item, view: View, lane: DesignLane, x: number, y: number) => Part|null}
 */
function partAt(item, view, lane, x, y) {
  const top = view.y(lane === "intensity" ? item.intensity : item.sharpness, lane);
  const start = view.x(item.time);
  const end = view.x(item.end);
  if (item.kind === "tap") {
    const distance = Math.hypot(start - x, top - y);
    if (distance <= REACH) return { part: "head", distance };
    return lane === "intensity" && Math.abs(start - x) <= 4 && y > top ? { part: "head", distance: REACH } : null;
  }
  const isLow = y >= top - REACH && (lane === "intensity" || y <= top + REACH);
  if (!isLow || x < start - 4 || x > end + REACH) return null;
  if (Math.abs(x - end) <= 6 && end - start > 12) return { part: "edge", distance: Math.abs(x - end) };
  return x <= end ? { part: "head", distance: REACH + Math.min(Math.abs(y - top), 50) } : null;
}

/** @type {(model: Model, view: View, lane: DesignLane, x: number, y: number) => Found|null} */
function hitLine(model, view, lane, x, y) {
  const time = view.time(x);
  for (const curve of model.curves) {
    if (laneOfCurve(curve) !== lane || time < curve.time || time > curve.end) continue;
    const level = levelOfPoint(curve, valueAt(curve.points, time));
    if (Math.abs(view.y(level, lane) - y) <= 6) return { index: curve.index, point: null, part: "line", lane };
  }
  return null;
}

/**
 * Returns the value at a time, computed from samples at ascending times.
 * @type {(times: number[], values: number[], time: number) => number}
 */
export function sampleAt(times, values, time) {
  const next = lowerBound(times, time);
  if (next === 0 || next === times.length) return values[Math.min(next, times.length - 1)] ?? 0;
  const fraction = (time - times[next - 1]) / (times[next] - times[next - 1]);
  return values[next - 1] + (values[next] - values[next - 1]) * fraction;
}

/**
 * Returns the index of the first element of a sorted list that is at least `value`.
 * @type {(values: number[], value: number) => number}
 */
export function lowerBound(values, value) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}

/**
 * Returns the value of a curve at a time.
 * @type {(points: import("./model.js").Point[], time: number) => number}
 */
export function valueAt(points, time) {
  const next = points.findIndex((point) => point.time >= time);
  if (next <= 0) return points.at(next)?.value ?? 0;
  const [a, b] = [points[next - 1], points[next]];
  if (b.time <= a.time) return b.value;
  return a.value + (b.value - a.value) * (time - a.time) / (b.time - a.time);
}

/**
 * Returns a line with fewer points. The omitted points deviate from this line by at most `error` (Ramer, Douglas,
 * Peucker).
 * @type {(points: import("./model.js").Point[], error: number) => import("./model.js").Point[]}
 */
export function simplified(points, error) {
  const [first, last] = [points[0], points[points.length - 1]];
  let worst = 0;
  let at = 0;
  for (let index = 1; index < points.length - 1; index += 1) {
    const { time, value } = points[index];
    const expected = first.value + (last.value - first.value) * (time - first.time) / (last.time - first.time);
    if (Math.abs(value - expected) > worst) [worst, at] = [Math.abs(value - expected), index];
  }
  if (worst <= error) return [first, last];
  return [...simplified(points.slice(0, at + 1), error).slice(0, -1), ...simplified(points.slice(at), error)];
}
