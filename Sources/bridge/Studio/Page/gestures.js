// What the pointer does on the time line: drag, hold, scrub, mark, draw, add.

import { keyOf } from "./editing.js";
import { nameOf, newBuzz, newCurve, newTap, rangeOf, rounded } from "./model.js";
import { hit, laneOfCurve, levelOfPoint } from "./view.js";

const DRAG_PIXELS = 3;
const HOLD_MS = 250;
const SNAP_PIXELS = 7;
/** The way in seconds after which what is held is held anew. */
const REHOLD_S = 0.1;
/** The level by which a line of the pen may differ from what was drawn. */
const PEN_ERROR = 0.02;

/**
 * Follows the pointer on the time line.
 *
 * `host` is the page: `tool` ("edit", "select" or "pen"), `snap` in seconds (0 for none), `scrub`, `hold`, `release`,
 * `setLoop`, `setPlayhead`, `say`,
 * and `isLost`, whether nothing can be done because the tool is missing.
 */
export class Gestures {
  constructor(timeline, model, editor, host) {
    Object.assign(this, { timeline, model, editor, host });
    this.gesture = null;
    const canvas = timeline.canvas;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", () => this.cancel());
    canvas.addEventListener("pointerleave", () => timeline.pointAt(null));
    canvas.addEventListener("dblclick", (event) => this.doubled(event));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  get view() {
    return this.timeline.view;
  }

  placeOf(event) {
    // Some events have parts of a pixel, and others at the same place have not.
    const [x, y] = [Math.floor(event.offsetX), Math.floor(event.offsetY)];
    return { x, y, time: Math.max(this.view.time(x), 0) };
  }

  down(event) {
    if (event.button !== 0 || this.gesture) return;
    this.timeline.canvas.focus();
    if (this.host.isLost()) return;
    this.timeline.canvas.setPointerCapture(event.pointerId);
    const place = this.placeOf(event);
    const lane = this.view.laneAt(place.y);
    const found = hit(this.model, this.view, place.x, place.y, this.editor.selection);
    this.gesture = { from: place, lane, found, hasMoved: false, ...this.kindOf(event, lane, found) };
    if (this.gesture.kind === "move") this.pick(found, event.ctrlKey || event.metaKey || event.shiftKey);
    if (this.gesture.kind === "scrub") this.host.scrub(place.time);
  }

  kindOf(event, lane, found) {
    if (lane === "ruler") return { kind: event.shiftKey ? "loop" : "scrub" };
    if (lane !== "intensity" && lane !== "sharpness") return { kind: "scrub" };
    if (this.host.tool === "pen") return { kind: "pen", points: [] };
    if (found) return { kind: "move" };
    return { kind: this.host.tool === "select" || event.shiftKey ? "frame" : "buzz", isAdded: event.ctrlKey || event.shiftKey };
  }

  /** Selects what was hit, and holds it if the pointer stays. */
  pick(found, isAdded) {
    const key = keyOf(found.index, found.point);
    if (isAdded || !this.editor.selection.has(key)) this.editor.select([key], isAdded);
    this.host.say(this.editor.inWords() ?? "Nothing is selected.");
    const gesture = this.gesture;
    gesture.timer = setTimeout(() => this.hold(gesture), HOLD_MS);
  }

  hold(gesture) {
    if (this.gesture !== gesture || gesture.hasMoved) return;
    gesture.isHeld = true;
    gesture.heldAt = this.editor.startOfSelection() ?? gesture.from.time;
    this.host.hold(gesture.heldAt);
  }

  /** What is held and then dragged is held where it has gone. What is only dragged is felt as it is edited. */
  holdElsewhere(gesture) {
    const start = this.editor.startOfSelection();
    if (!gesture.isHeld || Math.abs(start - gesture.heldAt) < REHOLD_S) return;
    gesture.heldAt = start;
    this.host.hold(start);
  }

  moved(event) {
    const place = this.placeOf(event);
    const gesture = this.gesture;
    this.read(event, place);
    if (!gesture) return this.point(place);
    const isSmall = Math.hypot(place.x - gesture.from.x, place.y - gesture.from.y) < DRAG_PIXELS;
    if (!gesture.hasMoved && isSmall) return undefined;
    gesture.hasMoved = true;
    gesture.to = place;
    gesture.isFree = event.altKey;
    gesture.points?.push(place);
    gesture.isBehind = true;
    if (!gesture.frame) this.followSoon(gesture);
    return undefined;
  }

  /** Follows the pointer at once; what arrives before the next frame counts once, then. */
  followSoon(gesture) {
    gesture.isBehind = false;
    this.follow(gesture);
    gesture.frame = requestAnimationFrame(() => {
      gesture.frame = null;
      if (this.gesture === gesture && gesture.isBehind) this.followSoon(gesture);
    });
  }

  /** Shows what the scales say at the pointer: what a double click would make. A finger hides it. */
  read(event, { x, y, time }) {
    if (event.pointerType === "touch" || this.gesture?.kind === "move") return this.timeline.pointAt(null);
    const lane = this.view.laneAt(y);
    const isDesign = lane === "intensity" || lane === "sharpness";
    const shown = isDesign && this.host.tool !== "pen" ? this.snapped(time, event.altKey) : time;
    const level = isDesign ? `, ${this.levelInWords(lane, x, y)}` : "";
    return this.timeline.pointAt({ x, y, text: `${shown.toFixed(3)} s${level}` });
  }

  /** Returns the level at a place in words; on a curve, in the values of the curve. */
  levelInWords(lane, x, y) {
    const found = hit(this.model, this.view, x, y, this.editor.selection);
    const { kind, parameter } = found ? this.model.items[found.index] : {};
    const [low, high] = kind === "curve" ? rangeOf(parameter) : [0, 1];
    const value = low + (high - low) * this.view.level(y, lane);
    return `${kind === "curve" ? `curve of ${nameOf(parameter)}` : lane} ${value.toFixed(2)}`;
  }

  /** Shows by the pointer what can be done here. */
  point({ x, y }) {
    const found = hit(this.model, this.view, x, y, this.editor.selection);
    const shape = this.host.tool === "pen" ? "crosshair" : found ? (found.part === "edge" ? "ew-resize" : "grab") : "";
    if (this.timeline.canvas.style.cursor !== shape) this.timeline.canvas.style.cursor = shape;
  }

  follow(gesture) {
    const { from, to } = gesture;
    switch (gesture.kind) {
      case "move": return this.drag(gesture);
      case "scrub": return this.host.scrub(to.time);
      case "loop": return this.host.setLoop(Math.min(from.time, to.time), Math.max(from.time, to.time));
      case "pen": return this.show([from, ...gesture.points].map(({ x, y }) => [x, y]), {});
      case "buzz": return this.showBuzz(gesture);
      default: return this.show(corners(from.x, from.y, to.x, to.y), { isFrame: true, isClosed: true });
    }
  }

  drag(gesture) {
    const { found, from, to } = gesture;
    if (!this.editor.move) {
      if (!this.editor.selection.has(keyOf(found.index, found.point)) || !this.editor.begin()) return this.cancel();
      gesture.origin = this.originOf(found);
      this.timeline.changed();
    }
    const time = this.snapped(gesture.origin.time + to.time - from.time, gesture.isFree) - gesture.origin.time;
    const level = this.view.level(to.y, found.lane) - this.view.level(from.y, found.lane);
    // A drag that is nearly level or nearly upright changes one value only, so that it does not spoil the other.
    const across = Math.abs(to.x - from.x);
    const up = Math.abs(to.y - from.y);
    const delta = {};
    if (found.part === "edge") delta.duration = time;
    else {
      delta.time = across < 4 || (up > 4 * across && across < 12) ? 0 : time;
      delta[found.lane] = up < 4 || (across > 4 * up && up < 12) ? 0 : rounded(level, 2);
    }
    this.editor.preview(delta);
    this.holdElsewhere(gesture);
    this.host.say(this.editor.inWords(), true);
    return undefined;
  }

  /** The place in the pattern of what is dragged; for the edge of a buzz, its end. */
  originOf({ index, point, part }) {
    const item = this.model.items[index];
    if (part === "edge") return { time: item.end };
    return { time: point === null ? item.time : item.points[point].time };
  }

  /** Returns a time on the grid, or at an event that is near and does not move itself. */
  snapped(time, isFree = false) {
    const { snap } = this.host;
    if (isFree || snap === 0) return rounded(time, 4);
    const reach = SNAP_PIXELS / this.view.scale;
    for (const item of this.model.between(time - reach, time + reach)) {
      if (this.editor.selection.has(keyOf(item.index))) continue;
      for (const edge of [item.time, item.end]) if (Math.abs(edge - time) <= Math.min(reach, snap)) return edge;
    }
    return rounded(Math.round(time / snap) * snap, 4);
  }

  show(points, options) {
    this.timeline.overlay = { points, ...options };
    this.timeline.invalidate();
  }

  showBuzz(gesture) {
    const { start, end } = this.spanOf(gesture);
    const { intensity } = this.levelsAt(gesture.from);
    this.show(corners(this.view.x(start), this.view.y(intensity, "intensity"), this.view.x(end), this.view.y(0, "intensity")),
      { isClosed: true });
    this.host.say(`Buzz at ${start.toFixed(3)} s for ${(end - start).toFixed(3)} s`, true);
  }

  spanOf({ from, to, isFree }) {
    const [a, b] = [this.snapped(from.time, isFree), this.snapped(to.time, isFree)];
    return { start: Math.max(Math.min(a, b), 0), end: Math.max(a, b) };
  }

  /** The levels of something new: the height of the pointer decides on the one whose lane it is in. */
  levelsAt({ y }) {
    const lane = this.view.laneAt(y);
    return {
      intensity: lane === "intensity" ? Math.max(rounded(this.view.level(y, lane), 2), 0.05) : 0.7,
      sharpness: lane === "sharpness" ? rounded(this.view.level(y, lane), 2) : 0.5,
    };
  }

  up() {
    const gesture = this.gesture;
    if (!gesture) return;
    clearTimeout(gesture.timer);
    if (gesture.frame) cancelAnimationFrame(gesture.frame);
    if (gesture.hasMoved) this.follow(gesture);
    this.gesture = null;
    this.timeline.overlay = null;
    if (gesture.hasMoved) this.finish(gesture); else this.click(gesture);
    this.host.release();
    this.timeline.eventsChanged();
  }

  finish(gesture) {
    switch (gesture.kind) {
      case "move":
        this.editor.commit();
        break;
      case "buzz": {
        const { start, end } = this.spanOf(gesture);
        const { intensity, sharpness } = this.levelsAt(gesture.from);
        if (end > start) this.editor.insert([newBuzz(start, end - start, intensity, sharpness)]);
        break;
      }
      case "pen":
        this.draw(gesture);
        break;
      case "frame":
        this.editor.select(this.keysIn(gesture), gesture.isAdded);
        break;
      default:
        return;
    }
    this.host.say(this.editor.inWords() ?? "Nothing is selected.");
  }

  click(gesture) {
    if (gesture.kind === "move" || gesture.kind === "loop") return;
    if (gesture.lane === "losses") return this.sayLoss(gesture.from);
    if (gesture.kind !== "scrub") this.editor.select([]);
    this.host.setPlayhead(gesture.from.time);
  }

  sayLoss({ x }) {
    const reach = 8 / this.view.scale;
    const time = this.view.time(x);
    const losses = this.timeline.losses.marks.filter((loss) => time >= loss.time - reach && time <= loss.time + (loss.duration ?? 0) + reach);
    if (losses.length > 0) this.host.say(`At ${losses[0].time.toFixed(3)} s: ${losses.map(({ message }) => message).join("; ")}`);
  }

  /** Returns the keys of what is inside a frame. */
  keysIn({ from, to }) {
    const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
    const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
    const isInside = (time, level, lane) => {
      const [x, y] = [this.view.x(time), this.view.y(level, lane)];
      return x >= left && x <= right && y >= top && y <= bottom;
    };
    const events = this.model.sorted.filter((item) => item.parameters
      && (isInside(item.time, item.intensity, "intensity") || isInside(item.time, item.sharpness, "sharpness")));
    const points = this.model.curves.flatMap((curve) => curve.points.map((point, at) => [curve, point, at]))
      .filter(([curve, point]) => isInside(point.time, levelOfPoint(curve, point.value), laneOfCurve(curve)));
    return [...events.map((item) => keyOf(item.index)), ...points.map(([curve, , at]) => keyOf(curve.index, at))];
  }

  /** Makes a curve of a line of the pen, and a buzz that it shapes where there is none. */
  draw({ points, lane, from }) {
    const parameter = lane === "intensity" ? "HapticIntensityControl" : "HapticSharpnessControl";
    const [low, high] = rangeOf(parameter);
    const line = [from, ...points].sort((a, b) => a.time - b.time)
      .map(({ time, y }) => ({ time: rounded(time, 3), value: low + (high - low) * this.view.level(y, lane) }))
      .filter((point, at, all) => at === 0 || point.time > all[at - 1].time);
    if (line.length < 2) return;
    const curve = simplified(line, PEN_ERROR * (high - low));
    const [start, end] = [curve[0].time, curve.at(-1).time];
    // The last value of a curve holds: what comes later gets its own values back.
    curve.push({ time: end + 0.001, value: parameter === "HapticIntensityControl" ? 1 : 0 });
    const hasBuzz = this.model.between(start, end).some((item) => item.kind === "buzz");
    this.editor.insert([...(hasBuzz ? [] : [newBuzz(start, end - start, 1, 0.4)]), newCurve(parameter, curve)]);
  }

  doubled(event) {
    const place = this.placeOf(event);
    const lane = this.view.laneAt(place.y);
    if ((lane !== "intensity" && lane !== "sharpness") || this.host.tool === "pen" || this.host.isLost()) return;
    const found = hit(this.model, this.view, place.x, place.y, this.editor.selection);
    if (found?.part === "line") {
      const [low, high] = rangeOf(this.model.items[found.index].parameter);
      this.editor.insertPoint(found.index, place.time, low + (high - low) * this.view.level(place.y, lane));
    } else if (!found || this.model.items[found.index].kind === "buzz") {
      const { intensity, sharpness } = this.levelsAt(place);
      this.editor.insert([newTap(this.snapped(place.time, event.altKey), intensity, sharpness)]);
    }
    this.host.say(this.editor.inWords() ?? "Nothing is selected.");
  }

  wheel(event) {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) this.view.zoom(Math.exp(-event.deltaY / 300), event.offsetX);
    else this.view.scroll((event.deltaX || event.deltaY) / this.view.scale);
    this.timeline.viewChanged();
  }

  /** The pattern is another one: what the pointer was doing has no meaning any more. */
  forget() {
    clearTimeout(this.gesture?.timer);
    this.gesture = null;
    this.timeline.overlay = null;
  }

  /** Gives up what the pointer was doing. Returns whether it did something. */
  cancel() {
    const gesture = this.gesture;
    if (!gesture) return false;
    this.forget();
    this.editor.cancel();
    this.host.release();
    this.timeline.eventsChanged();
    return true;
  }
}

function corners(left, top, right, bottom) {
  return [[left, top], [right, top], [right, bottom], [left, bottom]];
}

/** Returns the points of a line that matter: all others are within an error of it (Ramer, Douglas, Peucker). */
function simplified(points, error) {
  const [first, last] = [points[0], points.at(-1)];
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
