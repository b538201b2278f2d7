// Draws events and curves.

import { FONT } from "./drawing.js";
import { laneOfCurve, levelOfPoint } from "./view.js";

/** @typedef {import("./drawing.js").Context} Context */
/** @typedef {import("./drawing.js").Colors} Colors */
/** @typedef {import("./model.js").Item} Item */
/** @typedef {import("./view.js").View} View */

/**
 * Draws events. If several taps have the same pixel position, only the stem of the strongest tap is drawn. If there are
 * so many taps that their heads would touch, dots are drawn instead of the heads. Therefore, even a pattern with
 * thousands of events is drawn fast.
 * @type {(context: Context, view: View, items: Item[], colors: Colors, isSelected?: boolean) => void}
 */
export function drawEvents(context, view, items, colors, isSelected = false) {
  const taps = items.filter((item) => item.kind === "tap");
  for (const item of items) if (item.kind === "buzz") drawBuzz(context, view, item, colors, isSelected);
  drawSounds(context, view, items.filter((item) => item.kind === "audio" || item.kind === "parameter"), colors);
  const isDense = taps.length > view.width / 4;
  drawStems(context, view, taps, isSelected ? colors.selected : colors.intensity);
  if (!isDense) drawHeads(context, view, taps, colors, isSelected);
  else drawDots(context, view, taps, colors, isSelected);
}

/** @type {(context: Context, view: View, taps: Item[], color: string) => void} */
function drawStems(context, view, taps, color) {
  const bottom = view.y(0, "intensity");
  context.strokeStyle = color;
  context.lineWidth = 2;
  context.beginPath();
  let column = -Infinity;
  let highest = 0;
  const flush = () => {
    if (column === -Infinity) return;
    context.moveTo(column, bottom);
    context.lineTo(column, view.y(highest, "intensity"));
  };
  for (const tap of taps) {
    const x = Math.round(view.x(tap.time));
    if (x !== column) {
      flush();
      column = x;
      highest = 0;
    }
    highest = Math.max(highest, tap.intensity);
  }
  flush();
  context.stroke();
}

/** @type {(context: Context, view: View, taps: Item[], colors: Colors, isSelected: boolean) => void} */
function drawHeads(context, view, taps, colors, isSelected) {
  const radius = isSelected ? 7 : 5;
  context.beginPath();
  for (const tap of taps) {
    const x = view.x(tap.time);
    const y = view.y(tap.intensity, "intensity");
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  }
  mark(context, isSelected ? colors.selected : colors.intensity, colors, isSelected);
  context.beginPath();
  for (const tap of taps) {
    const x = view.x(tap.time);
    const y = view.y(tap.sharpness, "sharpness");
    context.rect(x - radius + 1, y - radius + 1, 2 * radius - 2, 2 * radius - 2);
  }
  mark(context, isSelected ? colors.selected : colors.sharpness, colors, isSelected);
}

/** @type {(context: Context, view: View, taps: Item[], colors: Colors, isSelected: boolean) => void} */
function drawDots(context, view, taps, colors, isSelected) {
  context.fillStyle = isSelected ? colors.selected : colors.sharpness;
  for (const tap of taps) context.fillRect(view.x(tap.time) - 1, view.y(tap.sharpness, "sharpness") - 1, 2, 2);
}

/**
 * Fills the path. Selected items also receive an outline, so that the selection is not indicated by color alone.
 * @type {(context: Context, color: string, colors: Colors, isSelected: boolean) => void}
 */
function mark(context, color, colors, isSelected) {
  context.fillStyle = color;
  context.fill();
  if (!isSelected) return;
  context.strokeStyle = colors.ink;
  context.lineWidth = 1.5;
  context.stroke();
}

/**
 * Returns the attack or release time for a parameter value of 0 to 1, which is 5 ms to 1 s, as in the compiler.
 * @type {(adjuster: number) => number}
 */
function phase(adjuster) {
  return adjuster > 0 ? 0.005 * 200 ** Math.min(adjuster, 1) : 0;
}

/** @type {(context: Context, view: View, item: Item, colors: Colors, isSelected: boolean) => void} */
function drawBuzz(context, view, item, colors, isSelected) {
  const { AttackTime, DecayTime, ReleaseTime, Sustained } = item.parameters ?? {};
  const color = isSelected ? colors.selected : colors.intensity;
  const [bottom, top] = [view.y(0, "intensity"), view.y(item.intensity, "intensity")];
  const attack = phase(AttackTime);
  const isSustained = Sustained >= 0.5;
  const shoulder = isSustained ? Math.max(item.end, item.time + attack) : item.time + attack;
  const end = shoulder + phase(isSustained ? ReleaseTime : DecayTime);
  context.beginPath();
  context.moveTo(view.x(item.time), bottom);
  context.lineTo(view.x(item.time + attack), top);
  context.lineTo(view.x(shoulder), top);
  context.lineTo(view.x(end), bottom);
  context.closePath();
  context.globalAlpha = isSelected ? 0.4 : 0.25;
  context.fillStyle = color;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = color;
  context.lineWidth = isSelected ? 3 : 2;
  context.stroke();
  const edge = view.x(item.end);
  if (edge - view.x(item.time) > 12) {
    context.fillStyle = color;
    context.fillRect(edge - 2, (top + bottom) / 2 - 8, 4, 16);
  }
  const y = view.y(item.sharpness, "sharpness");
  context.fillStyle = isSelected ? colors.selected : colors.sharpness;
  context.fillRect(view.x(item.time), y - 2, Math.max(edge - view.x(item.time), 3), isSelected ? 6 : 4);
}

/**
 * Draws sounds and single parameters as labeled lines at the bottom of the sharpness lane.
 * @type {(context: Context, view: View, items: Item[], colors: Colors) => void}
 */
function drawSounds(context, view, items, colors) {
  context.font = FONT;
  context.fillStyle = colors.quiet;
  const y = view.lanes.sharpness.bottom - 16;
  for (const item of items) {
    context.fillRect(view.x(item.time), y - 2, Math.max((item.end - item.time) * view.scale, 2), 2);
    context.fillText(item.kind === "audio" ? "♪ sound" : item.parameter, view.x(item.time) + 3, y);
  }
}

/**
 * Draws curves as dashed lines with a diamond at each control point.
 * @type {(
 *   context: Context, view: View, curves: Item[], colors: Colors,
 *   isPointSelected: (curve: Item, point: number) => boolean, isCurveSelected: (curve: Item) => boolean) => void}
 */
export function drawCurves(context, view, curves, colors, isPointSelected, isCurveSelected) {
  for (const curve of curves) {
    if (curve.end < view.start || curve.time > view.end || curve.points.length === 0) continue;
    const lane = laneOfCurve(curve);
    const positions = curve.points.map((point) => [view.x(point.time), view.y(levelOfPoint(curve, point.value), lane)]);
    const isWhole = isCurveSelected(curve);
    context.beginPath();
    positions.forEach(([x, y], at) => (at === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    context.strokeStyle = isWhole ? colors.selected : colors.curve;
    context.lineWidth = isWhole ? 3 : 2;
    context.setLineDash([6, 4]);
    context.stroke();
    context.setLineDash([]);
    const visible = positions.map(([x, y], at) => [x, y, at]).filter(([x]) => x > -10 && x < view.width + 10);
    if (visible.length > view.width / 3) continue;
    for (const chosen of [false, true]) {
      context.beginPath();
      const points = visible.filter(([, , at]) => (isWhole || isPointSelected(curve, at)) === chosen);
      for (const [x, y] of points) diamond(context, x, y, chosen ? 8 : 6);
      mark(context, chosen ? colors.selected : colors.curve, colors, chosen);
    }
  }
}

/** @type {(context: Context, x: number, y: number, radius: number) => void} */
function diamond(context, x, y, radius) {
  context.moveTo(x, y - radius);
  context.lineTo(x + radius, y);
  context.lineTo(x, y + radius);
  context.lineTo(x - radius, y);
  context.closePath();
}
