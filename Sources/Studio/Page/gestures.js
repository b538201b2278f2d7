// Handles the gestures on the timeline, which drag, hold and add items, scrub, mark a range and draw curves.

import { Aim } from "./aim.js";
import { newBuzz, newCurve, newTap, rangeOf, rounded } from "./model.js";
import { keyOf } from "./selection.js";
import { simplified } from "./view.js";

const DRAG_PIXELS = 3;
const HOLD_MS = 250;
/** The minimum change of the time of a held item, in seconds, that causes the item to be played at its new time. */
const REHOLD_S = 0.1;
/** The maximum error of the level that the simplification of a pen line may cause. */
const PEN_ERROR = 0.02;
const NOTHING = "Nothing is selected.";

/** @typedef {import("./model.js").Point} Point */
/** @typedef {import("./view.js").Found} Found */
/** @typedef {import("./view.js").LaneName} LaneName */
/** @typedef {import("./aim.js").Position} Position */
/** @typedef {"loop"|"scrub"|"pen"|"move"|"frame"|"buzz"} GestureKind */

/**
 * The current gesture: the start position, the current position, the item at the start position, and the state of each
 * kind of gesture.
 * @typedef {{
 *   from: Position, to: Position, lane: LaneName, found: Found|null, kind: GestureKind, hasMoved: boolean,
 *   isFree: boolean, isAdded: boolean, points: Position[], isBehind: boolean, frame: number, timer: number,
 *   isHeld: boolean, heldAt: number, origin: number|null,
 * }} Gesture
 */

/** Handles pointer events on the timeline. */
export class Gestures {
  /**
   * @param {import("./timeline.js").Timeline} timeline
   * @param {import("./model.js").Model} model
   * @param {import("./editing.js").Editor} editor
   * @param {import("./player.js").Player} player
   * @param {import("./app.js").App} app
   */
  constructor(timeline, model, editor, player, app) {
    this.timeline = timeline;
    this.model = model;
    this.editor = editor;
    this.player = player;
    this.app = app;
    this.aim = new Aim(timeline, model, editor, app);
    /** @type {Gesture|null} */
    this.gesture = null;
    const canvas = timeline.canvas;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    canvas.addEventListener("pointerup", () => this.up());
    canvas.addEventListener("pointercancel", () => this.cancel());
    canvas.addEventListener("pointerleave", () => timeline.pointAt(null));
    canvas.addEventListener("dblclick", (event) => this.doubled(event));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  get view() {
    return this.timeline.view;
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0 || this.gesture) return;
    this.timeline.canvas.focus();
    if (this.app.isLost()) return;
    this.timeline.canvas.setPointerCapture(event.pointerId);
    const position = this.aim.positionOf(event);
    const lane = this.view.laneAt(position.y);
    const found = this.aim.found(position);
    const kind = this.kindOf(event, lane, found);
    /** @type {Gesture} */
    const gesture = {
      from: position, to: position, lane, found, kind, hasMoved: false, isFree: false,
      isAdded: event.ctrlKey || event.shiftKey, points: [], isBehind: false, frame: 0, timer: 0, isHeld: false,
      heldAt: 0, origin: null,
    };
    this.gesture = gesture;
    if (kind === "move" && found) this.pick(gesture, found, event.ctrlKey || event.metaKey || event.shiftKey);
    if (kind === "scrub") this.player.scrub(position.time);
  }

  /**
   * @param {PointerEvent} event
   * @param {LaneName} lane
   * @param {Found|null} found
   * @returns {GestureKind}
   */
  kindOf(event, lane, found) {
    if (lane === "ruler") return event.shiftKey ? "loop" : "scrub";
    if (lane !== "intensity" && lane !== "sharpness") return "scrub";
    if (this.app.tool === "pen") return "pen";
    if (found) return "move";
    return this.app.tool === "select" || event.shiftKey ? "frame" : "buzz";
  }

  /**
   * Selects the item under the pointer, and plays it repeatedly if the pointer does not move.
   * @param {Gesture} gesture
   * @param {Found} found
   * @param {boolean} isAdded
   */
  pick(gesture, found, isAdded) {
    const key = keyOf(found.index, found.point);
    if (isAdded || !this.editor.selection.has(key)) this.editor.select([key], isAdded);
    this.app.announceSelection(NOTHING);
    gesture.timer = window.setTimeout(() => this.hold(gesture), HOLD_MS);
  }

  /** @param {Gesture} gesture */
  hold(gesture) {
    if (this.gesture !== gesture || gesture.hasMoved) return;
    gesture.isHeld = true;
    gesture.heldAt = this.editor.startOfSelection() ?? gesture.from.time;
    this.player.hold(gesture.heldAt);
  }

  /**
   * Plays a held item at its new time while the item is dragged. Drags of other items are played as edits.
   * @param {Gesture} gesture
   */
  holdElsewhere(gesture) {
    const start = this.editor.startOfSelection();
    if (!gesture.isHeld || start === null || Math.abs(start - gesture.heldAt) < REHOLD_S) return;
    gesture.heldAt = start;
    this.player.hold(start);
  }

  /** @param {PointerEvent} event */
  moved(event) {
    const position = this.aim.positionOf(event);
    const gesture = this.gesture;
    this.read(event, position);
    if (!gesture) {
      this.point(position);
      return;
    }
    const isSmall = Math.hypot(position.x - gesture.from.x, position.y - gesture.from.y) < DRAG_PIXELS;
    if (!gesture.hasMoved && isSmall) return;
    gesture.hasMoved = true;
    gesture.to = position;
    gesture.isFree = event.altKey;
    gesture.points.push(position);
    gesture.isBehind = true;
    if (gesture.frame === 0) this.followSoon(gesture);
  }

  /**
   * Handles a move immediately, and combines further moves before the next frame to handle them in that frame.
   * @param {Gesture} gesture
   */
  followSoon(gesture) {
    gesture.isBehind = false;
    this.follow(gesture);
    gesture.frame = requestAnimationFrame(() => {
      gesture.frame = 0;
      if (this.gesture === gesture && gesture.isBehind) this.followSoon(gesture);
    });
  }

  /**
   * Shows the time and the level at the pointer, which a double-click would give to a new event. The values are hidden
   * if the pointer is a finger, and while items are dragged.
   * @param {PointerEvent} event
   * @param {Position} position
   */
  read(event, { x, y, time }) {
    if (event.pointerType === "touch" || this.gesture?.kind === "move") {
      this.timeline.pointAt(null);
      return;
    }
    const lane = this.view.laneAt(y);
    const isDesign = lane === "intensity" || lane === "sharpness";
    const shown = isDesign && this.app.tool !== "pen" ? this.aim.snapped(time, event.altKey) : time;
    const level = isDesign ? `, ${this.aim.levelInWords(lane, x, y)}` : "";
    this.timeline.pointAt({ x, y, text: `${shown.toFixed(3)} s${level}` });
  }

  /**
   * Sets the cursor shape that indicates the possible action at a position.
   * @param {Position} position
   */
  point({ x, y }) {
    const { style } = this.timeline.canvas;
    const shape = this.aim.shapeAt(x, y);
    if (style.cursor !== shape) style.cursor = shape;
  }

  /** @param {Gesture} gesture */
  follow(gesture) {
    const { from, to, found } = gesture;
    switch (gesture.kind) {
      case "move":
        if (found) this.drag(gesture, found);
        return;
      case "scrub":
        this.player.scrub(to.time);
        return;
      case "loop":
        this.player.setLoop({ start: Math.min(from.time, to.time), end: Math.max(from.time, to.time) });
        return;
      case "pen":
        this.show({ points: [from, ...gesture.points].map(({ x, y }) => [x, y]) });
        return;
      case "buzz":
        this.showBuzz(gesture);
        return;
      default:
        this.show({ points: corners(from.x, from.y, to.x, to.y), isFrame: true, isClosed: true });
    }
  }

  /**
   * @param {Gesture} gesture
   * @param {Found} found
   */
  drag(gesture, found) {
    const { from, to } = gesture;
    if (!this.editor.move) {
      if (!this.editor.selection.has(keyOf(found.index, found.point)) || !this.editor.begin()) {
        this.cancel();
        return;
      }
      this.timeline.changed();
    }
    gesture.origin ??= this.aim.originOf(found);
    const time = this.aim.snapped(gesture.origin + to.time - from.time, gesture.isFree) - gesture.origin;
    const level = this.view.level(to.y, found.lane) - this.view.level(from.y, found.lane);
    // A nearly horizontal drag changes only the time, and a nearly vertical drag only the level.
    const across = Math.abs(to.x - from.x);
    const up = Math.abs(to.y - from.y);
    /** @type {import("./editing.js").Delta} */
    const delta = {};
    if (found.part === "edge") delta.duration = time;
    else {
      delta.time = across < 4 || (up > 4 * across && across < 12) ? 0 : time;
      delta[found.lane] = up < 4 || (across > 4 * up && up < 12) ? 0 : rounded(level, 2);
    }
    this.editor.preview(delta);
    this.holdElsewhere(gesture);
    this.app.announce(this.editor.inWords() ?? "", true);
  }

  /** @param {import("./timeline.js").Overlay} overlay */
  show(overlay) {
    this.timeline.overlay = overlay;
    this.timeline.invalidate();
  }

  /** @param {Gesture} gesture */
  showBuzz(gesture) {
    const { view } = this;
    const { start, end } = this.spanOf(gesture);
    const top = view.y(this.aim.levelsAt(gesture.from).intensity, "intensity");
    this.show({ points: corners(view.x(start), top, view.x(end), view.y(0, "intensity")), isClosed: true });
    this.app.announce(`Buzz at ${start.toFixed(3)} s for ${(end - start).toFixed(3)} s`, true);
  }

  /** @param {Gesture} gesture */
  spanOf({ from, to, isFree }) {
    const [a, b] = [this.aim.snapped(from.time, isFree), this.aim.snapped(to.time, isFree)];
    return { start: Math.max(Math.min(a, b), 0), end: Math.max(a, b) };
  }

  up() {
    const gesture = this.gesture;
    if (!gesture) return;
    clearTimeout(gesture.timer);
    cancelAnimationFrame(gesture.frame);
    if (gesture.hasMoved) this.follow(gesture);
    this.gesture = null;
    this.timeline.overlay = null;
    if (gesture.hasMoved) this.finish(gesture); else this.click(gesture);
    this.player.release();
    this.timeline.eventsChanged();
  }

  /** @param {Gesture} gesture */
  finish(gesture) {
    switch (gesture.kind) {
      case "move":
        this.editor.commit();
        break;
      case "buzz": {
        const { start, end } = this.spanOf(gesture);
        const { intensity, sharpness } = this.aim.levelsAt(gesture.from);
        if (end > start) this.editor.insert([newBuzz(start, end - start, intensity, sharpness)]);
        break;
      }
      case "pen":
        this.draw(gesture);
        break;
      case "frame":
        this.editor.select(this.aim.keysIn(gesture), gesture.isAdded);
        break;
      default:
        return;
    }
    this.app.announceSelection(NOTHING);
  }

  /** @param {Gesture} gesture */
  click(gesture) {
    if (gesture.kind === "move" || gesture.kind === "loop") return;
    if (gesture.lane === "losses") {
      this.announceLoss(gesture.from);
      return;
    }
    if (gesture.kind !== "scrub") this.editor.select([]);
    this.player.setPlayhead(gesture.from.time);
  }

  /** @param {Position} position */
  announceLoss({ x }) {
    const reach = 8 / this.view.scale;
    const at = this.view.time(x);
    const losses = this.timeline.losses.marks
      .filter(({ time, duration }) => at >= time - reach && at <= time + duration + reach);
    if (losses.length === 0) return;
    this.app.announce(`At ${losses[0].time.toFixed(3)} s: ${losses.map(({ message }) => message).join("; ")}`);
  }

  /**
   * Creates a curve from a pen line. Also creates a buzz if there is no buzz in the time range of the curve.
   * @param {Gesture} gesture
   */
  draw({ points, lane, from }) {
    const parameter = lane === "intensity" ? "HapticIntensityControl" : "HapticSharpnessControl";
    const [low, high] = rangeOf(parameter);
    const line = [from, ...points].sort((a, b) => a.time - b.time)
      .map(({ time, y }) => ({ time: rounded(time, 3), value: low + (high - low) * this.view.level(y, lane) }))
      .filter((point, at, all) => at === 0 || point.time > all[at - 1].time);
    if (line.length < 2) return;
    const curve = simplified(line, PEN_ERROR * (high - low));
    const [start, end] = [curve[0].time, curve[curve.length - 1].time];
    // The last value of a curve applies until the end of the pattern, so a final point restores the values of later
    // events.
    curve.push({ time: end + 0.001, value: parameter === "HapticIntensityControl" ? 1 : 0 });
    const hasBuzz = this.model.between(start, end).some((item) => item.kind === "buzz");
    this.editor.insert([...(hasBuzz ? [] : [newBuzz(start, end - start, 1, 0.4)]), newCurve(parameter, curve)]);
  }

  /** @param {MouseEvent} event */
  doubled(event) {
    const position = this.aim.positionOf(event);
    const lane = this.view.laneAt(position.y);
    if ((lane !== "intensity" && lane !== "sharpness") || this.app.tool === "pen" || this.app.isLost()) return;
    const found = this.aim.found(position);
    if (found?.part === "line") {
      const [low, high] = rangeOf(this.model.items[found.index].parameter);
      this.editor.insertPoint(found.index, position.time, low + (high - low) * this.view.level(position.y, lane));
    } else if (!found || this.model.items[found.index].kind === "buzz") {
      const { intensity, sharpness } = this.aim.levelsAt(position);
      this.editor.insert([newTap(this.aim.snapped(position.time, event.altKey), intensity, sharpness)]);
    }
    this.app.announceSelection(NOTHING);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) this.view.zoom(Math.exp(-event.deltaY / 300), event.offsetX);
    else this.view.scroll((event.deltaX || event.deltaY) / this.view.scale);
    this.timeline.viewChanged();
  }

  /** Discards the current gesture without undoing its changes, for example when another pattern is shown. */
  forget() {
    if (this.gesture) clearTimeout(this.gesture.timer);
    this.gesture = null;
    this.timeline.overlay = null;
  }

  /** Cancels the current gesture. Returns true if a gesture was in progress. */
  cancel() {
    const gesture = this.gesture;
    if (!gesture) return false;
    this.forget();
    this.editor.cancel();
    this.player.release();
    this.timeline.eventsChanged();
    return true;
  }
}

/** @type {(left: number, top: number, right: number, bottom: number) => [number, number][]} */
function corners(left, top, right, bottom) {
  return [[left, top], [right, top], [right, bottom], [left, bottom]];
}
