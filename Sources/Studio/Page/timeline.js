// The timeline: a canvas that shows the pattern, the predictions and the playhead.

import {
  drawEnergy, drawGrid, drawLevels, drawLosses, drawMeasured, drawNames, drawNumbers, drawPlayhead, drawPointer,
  drawTrace, readColors, scaleMarks,
} from "./drawing.js";
import { keyOf } from "./selection.js";
import { drawCurves, drawEvents } from "./shapes.js";
import { sampleAt, View } from "./view.js";
import { laneNames } from "./words.js";

/** @typedef {import("./view.js").LaneName} LaneName */
/** @typedef {import("./messages.js").Design} Design */
/** @typedef {import("./messages.js").Prediction} PredictionMessage */
/** @typedef {import("./messages.js").Measured} Measured */
/** @typedef {import("./drawing.js").Context} Context */
/** @typedef {import("./messages.js").Occurrence & { message: string }} Mark */

/**
 * The losses of a prediction: the actuator, the number of affected events, the total number of events, the kinds of
 * losses, and the marks of the losses.
 * @typedef {{
 *   on: string|null, count: number, of: number, kinds: import("./messages.js").Loss[], marks: Mark[],
 * }} Losses
 */

/**
 * The outline of the result of a gesture in progress.
 * @typedef {{ points: [number, number][], isFrame?: boolean, isClosed?: boolean }} Overlay
 */

/**
 * The styles of predictions: `board` for the actuator of the board, and `lra` and `erm` for the coin actuators that are
 * predicted without a board.
 */
const STYLES = {
  board: { dash: 0, isFilled: true },
  lra: { dash: 0, isFilled: false },
  erm: { dash: 6, isFilled: false },
};

/** @type {Losses} */
const NO_LOSSES = { on: null, count: 0, of: 0, kinds: [], marks: [] };

/** @typedef {"design"|"prediction"} Part */

/**
 * The lanes with a scale.
 * @type {LaneName[]}
 */
const SCALED = ["intensity", "sharpness", "acceleration"];

/** The lanes of the design and of the predictions, from top to bottom. */
/** @type {Record<Part, LaneName[]>} */
const LANES = { design: ["ruler", "intensity", "sharpness"], prediction: ["acceleration", "losses", "energy"] };

/**
 * Draws the timeline in three layers. Two canvases contain the traces and the unselected events, and are redrawn only
 * when their content changes. Each frame copies both canvases, and then draws the selection, which may be moving.
 */
export class Timeline {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {import("./model.js").Model} model
   * @param {import("./editing.js").Editor} editor
   * @param {(view: View) => void} onView called when the visible range changes.
   */
  constructor(canvas, model, editor, onView) {
    this.canvas = canvas;
    this.model = model;
    this.editor = editor;
    this.onView = onView;
    this.view = new View();
    this.traces = document.createElement("canvas");
    this.events = document.createElement("canvas");
    this.ratio = 1;
    /** @type {Map<string, PredictionMessage & { found: Losses }>} */
    this.predictions = new Map();
    /** @type {Design|null} */
    this.design = null;
    /**
     * The measurement of the current version; null if this version has not been measured.
     * @type {Measured|null}
     */
    this.measured = null;
    /** The duration of the pattern as reported by the tool. */
    this.duration = 0;
    this.playhead = 0;
    this.isReadable = true;
    /**
     * The playback position; null if nothing is playing.
     * @type {number|null}
     */
    this.playing = null;
    /** @type {import("./player.js").Span|null} */
    this.loop = null;
    /** @type {Overlay|null} */
    this.overlay = null;
    /**
     * The position of the pointer and the values at this position; null if the pointer is not on the timeline.
     * @type {import("./drawing.js").Pointer|null}
     */
    this.pointer = null;
    this.isScheduled = false;
    this.areEventsStale = true;
    /**
     * The parts of the traces to redraw in the next frame.
     * @type {Set<Part>}
     */
    this.stale = new Set();
    this.colors = readColors(canvas);
    new ResizeObserver(() => this.resize()).observe(canvas);
    for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"]) {
      matchMedia(query).addEventListener("change", () => {
        this.colors = readColors(canvas);
        this.changed();
      });
    }
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    this.ratio = devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.traces, this.events]) {
      canvas.width = Math.max(Math.round(clientWidth * this.ratio), 1);
      canvas.height = Math.max(Math.round(clientHeight * this.ratio), 1);
    }
    this.view.resize(clientWidth, clientHeight);
    if (this.view.isFitted) this.view.fit(this.length);
    this.changed();
    this.onView(this.view);
  }

  /** The end of the pattern, in seconds. */
  get end() {
    return Math.max(this.model.end, this.duration);
  }

  /** The length of the time range that can be scrolled, in seconds. */
  get length() {
    return Math.max(this.end, 1);
  }

  /** Discards the traces when another pattern is opened. */
  forget() {
    this.design = null;
    this.predictions.clear();
    this.overlay = null;
  }

  fit() {
    this.view.fit(this.length);
    this.viewChanged();
  }

  viewChanged() {
    this.changed();
    this.onView(this.view);
  }

  /**
   * Shows the prediction for an actuator.
   * @param {PredictionMessage} prediction
   */
  predict(prediction) {
    if (prediction.kind === "board") this.predictions.clear(); else this.predictions.delete("board");
    const { losses: kinds, lossCount: count, eventCount: of } = prediction;
    const marks = kinds.flatMap(({ message, places }) => places.map((occurrence) => ({ ...occurrence, message })));
    const found = { on: prediction.actuator, count, of, kinds, marks };
    this.predictions.set(prediction.kind, { ...prediction, found });
    this.tracesChanged("prediction");
  }

  /**
   * Draws a measurement over the predictions, or removes it.
   * @param {Measured|null} measured
   */
  measure(measured) {
    this.measured = measured;
    this.tracesChanged("prediction");
  }

  /**
   * The losses of the first prediction that contains losses: the prediction for the board or, without a board, for a
   * coin actuator.
   */
  get losses() {
    return [...this.predictions.values()].find(({ found }) => found.kinds.length > 0)?.found ?? NO_LOSSES;
  }

  /**
   * Returns a time and the designed levels at that time as text.
   * @param {number} time
   */
  inWords(time) {
    const seconds = `${time.toFixed(3)} s`;
    if (!this.design?.times.length) return seconds;
    const { times, intensity, sharpness } = this.design;
    const level = (/** @type {number[]} */ values) => sampleAt(times, values, time).toFixed(2);
    return `${seconds}: intensity ${level(intensity)}, sharpness ${level(sharpness)}`;
  }

  /**
   * Shows the values at the pointer.
   * @param {import("./drawing.js").Pointer|null} pointer
   */
  pointAt(pointer) {
    if (pointer === null && this.pointer === null) return;
    this.pointer = pointer;
    this.invalidate();
  }

  changed() {
    this.areEventsStale = true;
    this.tracesChanged("design");
    this.tracesChanged("prediction");
  }

  /**
   * Shows the design, which consists of levels at points in time.
   * @param {Design} design
   */
  show(design) {
    this.design = design;
    this.tracesChanged("design");
  }

  /** @param {Part} part */
  tracesChanged(part) {
    this.stale.add(part);
    this.invalidate();
  }

  /** Redraws the events after a change to the pattern or the selection. During a drag, only the top layer changes. */
  eventsChanged() {
    if (!this.editor.move) this.areEventsStale = true;
    this.invalidate();
  }

  /** Schedules a redraw in the next frame. */
  invalidate() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => {
      this.isScheduled = false;
      this.draw();
    });
  }

  draw() {
    if (this.stale.size > 0) this.drawTraces();
    if (this.areEventsStale) this.drawResting();
    this.areEventsStale = false;
    const context = this.contextOf(this.canvas, { alpha: false });
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.traces, 0, 0);
    context.drawImage(this.events, 0, 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.drawSelected(context);
    this.drawOverlay(context);
    drawPlayhead(context, this.view, this, this.colors);
    if (this.pointer) drawPointer(context, this.view, this.pointer, this.colors);
  }

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {CanvasRenderingContext2DSettings} [options]
   */
  contextOf(canvas, options) {
    const context = canvas.getContext("2d", options);
    if (!context) throw new TypeError("this browser cannot draw");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    return context;
  }

  /** Redraws the changed parts: the design, the predictions, or both. */
  drawTraces() {
    const context = this.contextOf(this.traces, { alpha: false });
    const most = this.mostAcceleration();
    const names = laneNames([...this.predictions.values()], this.losses, this.measured !== null);
    const mostOf = (/** @type {LaneName} */ lane) => (lane === "acceleration" ? most : 1);
    const scales = SCALED.map((lane) => ({ lane, marks: scaleMarks(this.view, lane, mostOf(lane)) }));
    for (const part of this.stale) {
      const lanes = LANES[part].map((name) => this.view.lanes[name]);
      context.save();
      context.beginPath();
      const { top } = lanes[0];
      context.rect(0, top, this.view.width, lanes[lanes.length - 1].bottom - top);
      context.clip();
      drawGrid(context, this.view, this.colors);
      for (const { lane, marks } of scales) drawLevels(context, this.view, this.colors, lane, marks);
      if (part === "design") this.drawDesign(context); else this.drawPredictions(context, most);
      drawNames(context, this.view, this.colors, names);
      for (const { lane, marks } of scales) drawNumbers(context, this.view, this.colors, lane, marks);
      context.restore();
    }
    this.stale.clear();
  }

  /** @param {Context} context */
  drawDesign(context) {
    if (!this.design) return;
    const { view, colors } = this;
    const { times, intensity, sharpness } = this.design;
    drawTrace(context, view, "intensity", times, intensity, { color: colors.intensity, isFilled: true, width: 1 });
    drawTrace(context, view, "sharpness", times, sharpness, { color: colors.sharpness, isFilled: false, width: 1 });
  }

  /**
   * @param {Context} context
   * @param {number} most the acceleration at the top of the lane.
   */
  drawPredictions(context, most) {
    const { view, colors } = this;
    for (const { kind, times, acceleration, energy } of this.predictions.values()) {
      const color = kind === "erm" ? colors.ghost : colors.prediction;
      const levels = acceleration.map((value) => Math.abs(value) / most);
      drawTrace(context, view, "acceleration", times, levels, { color, ...STYLES[kind] });
      if (energy) drawEnergy(context, view, energy, colors);
    }
    if (this.measured) drawMeasured(context, view, this.measured, most, colors);
    drawLosses(context, view, this.losses.marks, colors.loss);
  }

  mostAcceleration() {
    let most = 0.5;
    for (const { acceleration } of [...this.predictions.values(), ...(this.measured ? [this.measured] : [])]) {
      for (const value of acceleration) most = Math.max(most, Math.abs(value));
    }
    return most * 1.05;
  }

  drawResting() {
    const { view, model, editor, colors } = this;
    const context = this.contextOf(this.events);
    context.clearRect(0, 0, view.width, view.height);
    const rests = (/** @type {import("./model.js").Item} */ item) => !editor.selection.has(keyOf(item.index));
    drawEvents(context, view, model.between(view.start - 2, view.end).filter(rests), colors);
    const isTouched = this.touchedCurves();
    drawCurves(context, view, model.curves.filter((curve) => !isTouched.has(curve.index)), colors, never, never);
  }

  /** Returns the indices of the entries that are selected or contain a selected point. */
  touchedCurves() {
    return new Set([...this.editor.selection].map((key) => Number.parseInt(key, 10)));
  }

  /** @param {Context} context */
  drawSelected(context) {
    const { view, model, editor, colors } = this;
    if (editor.selection.size === 0) return;
    const isSelected = (/** @type {import("./model.js").Item} */ item) => editor.selection.has(keyOf(item.index));
    const areFew = editor.selection.size < 200;
    const shown = () => model.between(view.start - 2, view.end);
    const items = areFew ? editor.selectedRefs().map(({ index }) => model.items[index]) : shown();
    drawEvents(context, view, items.filter((item) => item.kind !== "curve" && isSelected(item)), colors, true);
    const touched = this.touchedCurves();
    drawCurves(context, view, model.curves.filter((curve) => touched.has(curve.index)), colors,
      (curve, point) => editor.selection.has(keyOf(curve.index, point)), isSelected);
  }

  /**
   * Draws the loop in the ruler, and the outline of a gesture: a buzz, a pen line, or a selection frame.
   * @param {Context} context
   */
  drawOverlay(context) {
    const { view, colors } = this;
    if (this.loop) {
      context.fillStyle = colors.loop;
      const x = view.x(this.loop.start);
      context.globalAlpha = 0.35;
      context.fillRect(x, 0, view.x(this.loop.end) - x, view.lanes.ruler.bottom);
      context.globalAlpha = 1;
    }
    if (!this.overlay) return;
    context.strokeStyle = colors.selected;
    context.lineWidth = 2;
    context.setLineDash(this.overlay.isFrame ? [4, 3] : []);
    context.beginPath();
    this.overlay.points.forEach(([x, y], at) => (at === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    if (this.overlay.isClosed) context.closePath();
    context.stroke();
    context.setLineDash([]);
  }

}

function never() {
  return false;
}
