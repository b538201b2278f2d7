// Finds the time, the levels and the item at the pointer on the timeline.

import { rangeOf, rounded } from "./model.js";
import { keyOf } from "./selection.js";
import { hit, laneOfCurve, levelOfPoint } from "./view.js";
import { nameOf } from "./words.js";

const SNAP_PIXELS = 7;

/** @typedef {import("./view.js").Found} Found */
/** @typedef {import("./view.js").LaneName} LaneName */
/** @typedef {{ x: number, y: number, time: number }} Position */

/** Interprets positions on the timeline. */
export class Aim {
  /**
   * @param {import("./timeline.js").Timeline} timeline
   * @param {import("./model.js").Model} model
   * @param {import("./editing.js").Editor} editor
   * @param {import("./app.js").App} app
   */
  constructor(timeline, model, editor, app) {
    this.timeline = timeline;
    this.model = model;
    this.editor = editor;
    this.app = app;
  }

  get view() {
    return this.timeline.view;
  }

  /**
   * @param {MouseEvent} event
   * @returns {Position}
   */
  positionOf(event) {
    // Some types of events have fractional pixel positions, and other types have integer positions at the same point.
    const [x, y] = [Math.floor(event.offsetX), Math.floor(event.offsetY)];
    return { x, y, time: Math.max(this.view.time(x), 0) };
  }

  /**
   * Returns the item at a position; null if there is no item.
   * @param {{ x: number, y: number }} position
   */
  found({ x, y }) {
    return hit(this.model, this.view, x, y, this.editor.selection);
  }

  /**
   * Returns the level at a position as text or, if a curve is at the position, the value of the curve.
   * @param {LaneName} lane
   * @param {number} x
   * @param {number} y
   */
  levelInWords(lane, x, y) {
    const found = this.found({ x, y });
    const item = found ? this.model.items[found.index] : null;
    const level = this.view.level(y, lane);
    if (item?.kind !== "curve") return `${lane} ${level.toFixed(2)}`;
    const [low, high] = rangeOf(item.parameter);
    return `curve of ${nameOf(item.parameter)} ${(low + (high - low) * level).toFixed(2)}`;
  }

  /**
   * Returns the cursor shape that indicates the possible action at a position.
   * @param {number} x
   * @param {number} y
   */
  shapeAt(x, y) {
    if (this.app.tool === "pen") return "crosshair";
    const found = this.found({ x, y });
    if (!found) return "";
    return found.part === "edge" ? "ew-resize" : "grab";
  }

  /**
   * Returns the time of the dragged item or, if the edge of a buzz is dragged, the end of the buzz.
   * @param {Found} found
   */
  originOf({ index, point, part }) {
    const item = this.model.items[index];
    if (part === "edge") return item.end;
    return point === null ? item.time : item.points[point].time;
  }

  /**
   * Returns the time snapped to the grid, or to a nearby event that is not being dragged.
   * @param {number} time
   * @param {boolean} [isFree]
   */
  snapped(time, isFree = false) {
    const { snap } = this.app;
    if (isFree || snap === 0) return rounded(time, 4);
    const reach = SNAP_PIXELS / this.view.scale;
    for (const item of this.model.between(time - reach, time + reach)) {
      if (this.editor.selection.has(keyOf(item.index))) continue;
      for (const edge of [item.time, item.end]) if (Math.abs(edge - time) <= Math.min(reach, snap)) return edge;
    }
    return rounded(Math.round(time / snap) * snap, 4);
  }

  /**
   * Returns the levels of a new event. The height of the pointer determines the level in the lane of the pointer.
   * @param {Position} position
   */
  levelsAt({ y }) {
    const lane = this.view.laneAt(y);
    return {
      intensity: lane === "intensity" ? Math.max(rounded(this.view.level(y, lane), 2), 0.05) : 0.7,
      sharpness: lane === "sharpness" ? rounded(this.view.level(y, lane), 2) : 0.5,
    };
  }

  /**
   * Returns the keys of the items inside a frame.
   * @param {{ from: Position, to: Position }} frame
   */
  keysIn({ from, to }) {
    const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
    const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
    /** @type {(time: number, level: number, lane: LaneName) => boolean} */
    const isInside = (time, level, lane) => {
      const [x, y] = [this.view.x(time), this.view.y(level, lane)];
      return x >= left && x <= right && y >= top && y <= bottom;
    };
    const events = this.model.sorted.filter((item) => item.parameters
      && (isInside(item.time, item.intensity, "intensity") || isInside(item.time, item.sharpness, "sharpness")));
    const points = this.model.curves.flatMap((curve) => curve.points.map((point, at) => ({ curve, point, at })))
      .filter(({ curve, point }) => isInside(point.time, levelOfPoint(curve, point.value), laneOfCurve(curve)));
    return [...events.map((item) => keyOf(item.index)), ...points.map(({ curve, at }) => keyOf(curve.index, at))];
  }
}
