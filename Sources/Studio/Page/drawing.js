// Draws the timeline: the grid, traces, events, curves and marks. This file does not handle input.

import { lowerBound } from "./view.js";

/** @typedef {CanvasRenderingContext2D} Context */
/** @typedef {Record<string, string>} Colors the colors of the style sheet by name. */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./view.js").LaneName} LaneName */
/** @typedef {[level: number, text: string]} ScaleMark */
/** @typedef {{ x: number, y: number, text: string }} Pointer */
/** @typedef {{ color: string, isFilled: boolean, dash?: number, width?: number }} TraceStyle */

/** The height of loss marks. */
const MARKS = 16;
const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60];
/** The remaining fraction of the energy budget below which the device is about to limit the level. */
const LOW_ENERGY = 0.15;
export const FONT = "12px system-ui, sans-serif";
const SMALL = "11px system-ui, sans-serif";
/** The minimum distance between two numbers of a scale, in pixels. */
const SCALE_PIXELS = 22;

/**
 * The vertical offsets of the numbers at the lowest and the highest level from the lines of these levels.
 * @type {Record<number, number>}
 */
const OFFSETS = { 0: -6, 1: 7 };

/**
 * Reads the colors of the canvas from the style sheet, for the current theme.
 * @type {(element: Element) => Colors}
 */
export function readColors(element) {
  const style = getComputedStyle(element);
  const names = [
    "paper", "grid", "ink", "quiet", "intensity", "sharpness", "curve", "prediction", "ghost", "measured", "loss",
    "energy", "selected", "playhead", "loop",
  ];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/**
 * Draws the lanes, and vertical lines at round times.
 * @type {(context: Context, view: View, colors: Colors) => void}
 */
export function drawGrid(context, view, colors) {
  context.fillStyle = colors.paper;
  context.fillRect(0, 0, view.width, view.height);
  context.font = FONT;
  context.textBaseline = "top";
  context.lineWidth = 1;
  const step = STEPS.find((step) => step * view.scale >= 70) ?? 60;
  const decimals = step < 0.01 ? 3 : 2;
  context.strokeStyle = colors.grid;
  context.fillStyle = colors.quiet;
  context.beginPath();
  for (let at = Math.max(Math.floor(view.start / step), 0); at * step <= view.end; at += 1) {
    const x = Math.round(view.x(at * step)) + 0.5;
    context.moveTo(x, 0);
    context.lineTo(x, view.height);
    context.fillText(`${(at * step).toFixed(step < 1 ? decimals : 0)} s`, x + 4, 5);
  }
  for (const { bottom } of Object.values(view.lanes)) {
    context.moveTo(0, bottom - 0.5);
    context.lineTo(view.width, bottom - 0.5);
  }
  context.stroke();
}

/**
 * Returns the marks of a scale from 0 to a value. The interval between two marks is at least 0.5.
 * @type {(view: View, lane: LaneName, most?: number) => ScaleMark[]}
 */
export function scaleMarks(view, lane, most = 1) {
  const room = (view.y(0, lane) - view.y(1, lane)) / SCALE_PIXELS;
  const step = [0.5, 1, 2, 5, 10].find((step) => most / step <= room) ?? most;
  /** @type {ScaleMark[]} */
  const marks = [];
  for (let at = 0; at * step <= most; at += 1) marks.push([at * step / most, String(at * step)]);
  return marks;
}

/**
 * Draws a line at each mark of a lane's scale.
 * @type {(context: Context, view: View, colors: Colors, lane: LaneName, marks: ScaleMark[]) => void}
 */
export function drawLevels(context, view, colors, lane, marks) {
  context.strokeStyle = colors.grid;
  context.lineWidth = 1;
  context.beginPath();
  for (const [level] of marks) {
    const y = Math.round(view.y(level, lane)) - 0.5;
    context.moveTo(0, y);
    context.lineTo(view.width, y);
  }
  context.stroke();
}

/**
 * Draws the numbers of a lane's scale at the left edge. The first number is above its line, and the last number is
 * below its line.
 * @type {(context: Context, view: View, colors: Colors, lane: LaneName, marks: ScaleMark[]) => void}
 */
export function drawNumbers(context, view, colors, lane, marks) {
  context.font = SMALL;
  context.textBaseline = "middle";
  for (const [level, text] of marks) {
    const y = view.y(level, lane) + (OFFSETS[level] ?? 0);
    context.fillStyle = colors.paper;
    context.globalAlpha = 0.8;
    context.fillRect(2, y - 6, context.measureText(text).width + 4, 12);
    context.globalAlpha = 1;
    context.fillStyle = colors.quiet;
    context.fillText(text, 4, y + 1);
  }
}

/**
 * Draws lines from the pointer to the scales, and the values at the pointer.
 * @type {(context: Context, view: View, pointer: Pointer, colors: Colors) => void}
 */
export function drawPointer(context, view, { x, y, text }, colors) {
  const { bottom } = view.lanes[view.laneAt(y)];
  context.strokeStyle = colors.quiet;
  context.lineWidth = 1;
  context.globalAlpha = 0.6;
  context.beginPath();
  context.moveTo(Math.round(x) + 0.5, 0);
  context.lineTo(Math.round(x) + 0.5, bottom);
  context.moveTo(0, Math.round(y) + 0.5);
  context.lineTo(x, Math.round(y) + 0.5);
  context.stroke();
  context.globalAlpha = 1;
  context.font = FONT;
  context.textBaseline = "middle";
  const width = context.measureText(text).width + 10;
  const left = x + 14 + width > view.width ? x - 14 - width : x + 14;
  const top = y < 40 ? y + 12 : y - 30;
  context.fillStyle = colors.paper;
  context.fillRect(left, top, width, 18);
  context.strokeRect(Math.round(left) + 0.5, Math.round(top) + 0.5, Math.round(width), 18);
  context.fillStyle = colors.ink;
  context.fillText(text, left + 5, top + 10);
}

/**
 * Draws the names of the lanes.
 * @type {(context: Context, view: View, colors: Colors, names: Partial<Record<LaneName, string>>) => void}
 */
export function drawNames(context, view, colors, names) {
  context.font = FONT;
  context.textBaseline = "top";
  for (const [lane, name] of /** @type {[LaneName, string][]} */ (Object.entries(names))) {
    const { top, height } = view.lanes[lane];
    const y = top + Math.min(3, (height - 12) / 2) - (lane === "losses" ? 1 : 0);
    const { width } = context.measureText(name);
    context.fillStyle = colors.paper;
    context.fillRect(2, y - 1, width + 8, 14);
    context.fillStyle = colors.quiet;
    context.fillText(name, 6, y);
  }
}

/**
 * Draws sampled values as a line, optionally filled down to zero. Levels are 0 to 1.
 *
 * The line is drawn one pixel column at a time, because a software renderer needs more than the time of a frame to draw
 * a path of thousands of alternating points.
 * @type {(
 *   context: Context, view: View, lane: LaneName, times: number[], levels: number[], style: TraceStyle) => void}
 */
export function drawTrace(context, view, lane, times, levels, { color, isFilled, dash = 0, width = 1.5 }) {
  if (times.length === 0) return;
  const step = 1 / context.getTransform().a;
  const { highs, lows } = columnsOf(view, lane, times, levels, step);
  const floor = view.y(0, lane);
  context.save();
  clip(context, view, lane);
  context.fillStyle = color;
  highs.forEach((high, column) => {
    if (high > lows[column]) return;
    const x = column * step;
    if (isFilled) {
      context.globalAlpha = 0.18;
      context.fillRect(x, high, step, floor - high);
      context.globalAlpha = 1;
    }
    if (dash > 0 && x % (2 * dash) >= dash) return;
    context.fillRect(x, high - width / 2, step, lows[column] - high + width);
  });
  context.restore();
}

/**
 * Draws the measured acceleration as a thick line over the predictions.
 * @type {(
 *   context: Context, view: View, measured: { times: number[], acceleration: number[] }, most: number,
 *   colors: Colors) => void}
 * @param most the acceleration at the top of the lane.
 */
export function drawMeasured(context, view, { times, acceleration }, most, colors) {
  const levels = acceleration.map((value) => value / most);
  drawTrace(context, view, "acceleration", times, levels, { color: colors.measured, isFilled: false, width: 2.5 });
}

/**
 * Returns the highest and the lowest position of the line through sampled values in each pixel column.
 * @type {(view: View, lane: LaneName, times: number[], levels: number[], step: number) => Columns}
 * @typedef {{ highs: Float32Array, lows: Float32Array }} Columns
 */
function columnsOf(view, lane, times, levels, step) {
  const count = Math.ceil(view.width / step);
  const highs = new Float32Array(count).fill(Infinity);
  const lows = new Float32Array(count).fill(-Infinity);
  const add = (/** @type {number} */ column, /** @type {number} */ y) => {
    if (y < highs[column]) highs[column] = y;
    if (y > lows[column]) lows[column] = y;
  };
  let at = Math.max(lowerBound(times, view.start), 1);
  for (; at < times.length && times[at - 1] <= view.end; at += 1) {
    const [x, end] = [view.x(times[at - 1]), view.x(times[at])];
    const [y, last] = [view.y(Math.min(levels[at - 1], 1), lane), view.y(Math.min(levels[at], 1), lane)];
    const slope = end > x ? (last - y) / (end - x) : 0;
    const to = Math.min(Math.floor(end / step), count - 1);
    for (let column = Math.max(Math.floor(x / step), 0); column <= to; column += 1) {
      add(column, y + slope * Math.max(column * step - x, 0));
      add(column, (column + 1) * step < end ? y + slope * ((column + 1) * step - x) : last);
    }
  }
  return { highs, lows };
}

/** @type {(context: Context, view: View, lane: LaneName) => void} */
function clip(context, view, lane) {
  const { top, height } = view.lanes[lane];
  context.beginPath();
  context.rect(0, top, view.width, height);
  context.clip();
}

/**
 * Draws the loss marks: a bar with the duration of the loss, and a triangle at its start.
 * @type {(context: Context, view: View, losses: { time: number, duration: number }[], color: string) => void}
 */
export function drawLosses(context, view, losses, color) {
  const { bottom } = view.lanes.losses;
  const top = bottom - MARKS;
  context.fillStyle = color;
  context.beginPath();
  for (const { time, duration } of losses) {
    const x = view.x(time);
    if (time > view.end || time + duration < view.start) continue;
    context.moveTo(x, top + 3);
    context.lineTo(x + 5, bottom - 5);
    context.lineTo(x - 5, bottom - 5);
    context.closePath();
    context.rect(x, bottom - 5, Math.max(duration * view.scale, 1), 3);
  }
  context.fill();
}

/**
 * Draws the remaining energy as a bar, computed from the used fraction. When little energy remains, the bar has the
 * color of losses.
 * @type {(context: Context, view: View, energy: { times: number[], level: number[] }, colors: Colors) => void}
 */
export function drawEnergy(context, view, energy, colors) {
  const { top, height } = view.lanes.energy;
  const most = height - 4;
  const first = Math.max(lowerBound(energy.times, view.start) - 1, 0);
  for (const isLow of [false, true]) {
    context.beginPath();
    for (let at = first; at < energy.times.length && energy.times[at] <= view.end; at += 1) {
      const level = 1 - energy.level[at];
      if (level < LOW_ENERGY !== isLow) continue;
      const x = Math.floor(view.x(energy.times[at]));
      const next = Math.floor(view.x(energy.times[at + 1] ?? view.end));
      context.rect(x, top + 2 + most * (1 - level), Math.max(next - x, 1), most * level);
    }
    context.fillStyle = isLow ? colors.loss : colors.energy;
    context.fill();
  }
}

/**
 * Draws the playhead, and the playback position if something is playing.
 * @type {(
 *   context: Context, view: View, times: { playhead: number, playing: number|null }, colors: Colors) => void}
 */
export function drawPlayhead(context, view, { playhead, playing }, colors) {
  const x = Math.round(view.x(playhead)) + 0.5;
  context.strokeStyle = colors.playhead;
  context.fillStyle = colors.playhead;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, 0);
  context.lineTo(x, view.height);
  context.stroke();
  context.beginPath();
  context.moveTo(x - 6, 0);
  context.lineTo(x + 6, 0);
  context.lineTo(x, 9);
  context.fill();
  if (playing === null) return;
  context.fillStyle = colors.selected;
  context.fillRect(Math.round(view.x(playing)) - 1, 0, 3, view.height);
}
