// The time line: a canvas that shows the pattern, what is predicted of it, and the playhead.

import {
  drawCurves, drawEnergy, drawEvents, drawGrid, drawLevels, drawLosses, drawNames, drawNumbers, drawPointer, drawTrace,
  readColors, scaleMarks,
} from "./drawing.js";
import { keyOf } from "./editing.js";
import { sampleAt, View } from "./view.js";

/** The predictions that are drawn: the board's own, or without a board one of each kind. */
const STYLES = {
  board: { dash: 0, isFilled: true },
  lra: { dash: 0, isFilled: false },
  erm: { dash: 6, isFilled: false },
};

const NO_LOSSES = { on: null, count: 0, of: 0, kinds: [], marks: [] };

/** The lanes of what is designed and of what is predicted, from top to bottom. */
const LANES = { design: ["ruler", "intensity", "sharpness"], prediction: ["acceleration", "losses", "energy"] };

/**
 * Draws in three layers. The traces and the events that rest are drawn once, on canvases of their own; a frame copies
 * both, and draws what is selected, and so what moves, on top.
 */
export class Timeline {
  /** @param {(view: View) => void} onView is called when another part is shown. */
  constructor(canvas, model, editor, onView) {
    this.canvas = canvas;
    this.model = model;
    this.editor = editor;
    this.onView = onView;
    this.view = new View();
    this.traces = document.createElement("canvas");
    this.events = document.createElement("canvas");
    this.predictions = new Map();
    this.design = null;
    this.playhead = 0;
    this.isReadable = true;
    /** The place that plays; null if nothing does. */
    this.playing = null;
    this.loop = null;
    this.overlay = null;
    /** The place of the pointer and what the scales say there; null while it is elsewhere. */
    this.pointer = null;
    this.isScheduled = false;
    /** The parts of the traces that are drawn with the next frame. */
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
    return Math.max(this.model.end, this.duration ?? 0);
  }

  /** The time that can be shown, in seconds. */
  get length() {
    return Math.max(this.end, 1);
  }

  /** Another pattern is open: its traces are not known yet. */
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

  /** Takes what is predicted for an actuator. */
  predict(prediction) {
    if (prediction.kind === "board") this.predictions.clear(); else this.predictions.delete("board");
    const { losses: kinds, lossCount: count, eventCount: of } = prediction;
    const marks = kinds.flatMap(({ message, places }) => places.map((place) => ({ ...place, message })));
    this.predictions.set(prediction.kind, { ...prediction, losses: { on: prediction.actuator, count, of, kinds, marks } });
    this.tracesChanged("prediction");
  }

  /** The losses of what is predicted first, the board or the LRA: on which actuator, how many, their kinds, and their marks. */
  get losses() {
    return [...this.predictions.values()].find(({ losses }) => losses.kinds.length > 0)?.losses ?? NO_LOSSES;
  }

  /** Returns a time, and what is designed there, in words. */
  inWords(time) {
    const seconds = `${time.toFixed(3)} s`;
    if (!this.design?.times.length) return seconds;
    const level = (name) => `${name} ${sampleAt(this.design.times, this.design[name], time).toFixed(2)}`;
    return `${seconds}: ${level("intensity")}, ${level("sharpness")}`;
  }

  /** Shows what the scales say at the pointer. */
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

  /** Takes what is designed: levels at times. */
  show(design) {
    this.design = design;
    this.tracesChanged("design");
  }

  tracesChanged(part) {
    this.stale.add(part);
    this.invalidate();
  }

  /** The events changed or others are selected. While a drag moves them, only the top layer has. */
  eventsChanged() {
    if (!this.editor.move) this.areEventsStale = true;
    this.invalidate();
  }

  /** Draws with the next frame. */
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
    const context = this.canvas.getContext("2d", { alpha: false });
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.traces, 0, 0);
    context.drawImage(this.events, 0, 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.drawSelected(context);
    this.drawOverlay(context);
    this.drawPlayhead(context);
    if (this.pointer) drawPointer(context, this.view, this.pointer, this.colors);
  }

  contextOf(canvas, options) {
    const context = canvas.getContext("2d", options);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    return context;
  }

  /** Draws anew what is not as it was: what is designed, what is predicted, or both. */
  drawTraces() {
    const context = this.contextOf(this.traces, { alpha: false });
    const most = this.mostAcceleration();
    const names = this.laneNames();
    const scales = ["intensity", "sharpness", "acceleration"]
      .map((lane) => [lane, scaleMarks(this.view, lane, lane === "acceleration" ? most : 1)]);
    for (const part of this.stale) {
      const lanes = LANES[part].map((name) => this.view.lanes[name]);
      context.save();
      context.beginPath();
      context.rect(0, lanes[0].top, this.view.width, lanes.at(-1).bottom - lanes[0].top);
      context.clip();
      drawGrid(context, this.view, this.colors);
      for (const [lane, marks] of scales) drawLevels(context, this.view, this.colors, lane, marks);
      if (part === "design") this.drawDesign(context); else this.drawPredictions(context, most);
      drawNames(context, this.view, this.colors, names);
      for (const [lane, marks] of scales) drawNumbers(context, this.view, this.colors, lane, marks);
      context.restore();
    }
    this.stale.clear();
  }

  drawDesign(context) {
    if (!this.design) return;
    const { view, colors } = this;
    const { times, intensity, sharpness } = this.design;
    drawTrace(context, view, "intensity", times, intensity, { color: colors.intensity, isFilled: true, width: 1 });
    drawTrace(context, view, "sharpness", times, sharpness, { color: colors.sharpness, isFilled: false, width: 1 });
  }

  drawPredictions(context, most) {
    const { view, colors } = this;
    for (const [kind, { times, acceleration, energy }] of this.predictions) {
      const color = kind === "erm" ? colors.ghost : colors.prediction;
      const levels = acceleration.map((value) => Math.abs(value) / most);
      drawTrace(context, view, "acceleration", times, levels, { color, ...STYLES[kind] });
      if (energy) drawEnergy(context, view, energy, colors);
    }
    drawLosses(context, view, this.losses.marks, colors.loss);
  }

  mostAcceleration() {
    let most = 0.5;
    for (const { acceleration } of this.predictions.values()) {
      for (const value of acceleration) most = Math.max(most, Math.abs(value));
    }
    return most * 1.05;
  }

  laneNames() {
    const predictions = [...this.predictions.values()].map(({ actuator }) => actuator);
    const lasts = predictions.length > 0 ? `, predicted for ${predictions.join(" (line) and ")}` : "";
    const dashed = predictions.length > 1 ? " (dashed)" : "";
    const { on, count, of, kinds } = this.losses;
    const rest = kinds.length > 0 ? `the sharpness of ${kinds[0].count} events` : "none are known";
    const losses = `Losses${on ? ` on ${on}` : ""}: ${count > 0 ? `${count} of ${of} events not felt as designed` : rest}`;
    return {
      intensity: "Intensity", sharpness: "Sharpness",
      acceleration: `Acceleration (g)${lasts}${dashed}`, losses,
      energy: [...this.predictions.values()].some(({ energy }) => energy) ? "Energy left" : "Energy: nothing limits it",
    };
  }

  drawResting() {
    const { view, model, editor, colors } = this;
    const context = this.contextOf(this.events);
    context.clearRect(0, 0, view.width, view.height);
    const rests = (item) => !editor.selection.has(keyOf(item.index));
    drawEvents(context, view, model.between(view.start - 2, view.end).filter(rests), colors);
    const isTouched = this.touchedCurves();
    drawCurves(context, view, model.curves.filter((curve) => !isTouched.has(curve.index)), colors, never, never);
  }

  /** The curves that are selected, or have a point that is. */
  touchedCurves() {
    return new Set([...this.editor.selection].map((key) => Number.parseInt(key, 10)));
  }

  drawSelected(context) {
    const { view, model, editor, colors } = this;
    if (editor.selection.size === 0) return;
    const isSelected = (item) => editor.selection.has(keyOf(item.index));
    const few = editor.selection.size < 200;
    const items = few ? editor.places().map(({ index }) => model.items[index]) : model.between(view.start - 2, view.end);
    drawEvents(context, view, items.filter((item) => item.kind !== "curve" && isSelected(item)), colors, true);
    const touched = this.touchedCurves();
    drawCurves(context, view, model.curves.filter((curve) => touched.has(curve.index)), colors,
      (curve, point) => editor.selection.has(keyOf(curve.index, point)), isSelected);
  }

  /** Draws what a gesture is about to make: a buzz, a line of the pen, or the frame of a selection. */
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

  drawPlayhead(context) {
    const x = Math.round(this.view.x(this.playhead)) + 0.5;
    context.strokeStyle = this.colors.playhead;
    context.fillStyle = this.colors.playhead;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, this.view.height);
    context.stroke();
    context.beginPath();
    context.moveTo(x - 6, 0);
    context.lineTo(x + 6, 0);
    context.lineTo(x, 9);
    context.fill();
    if (this.playing === null) return;
    context.fillStyle = this.colors.selected;
    context.fillRect(Math.round(this.view.x(this.playing)) - 1, 0, 3, this.view.height);
  }
}

function never() {
  return false;
}
