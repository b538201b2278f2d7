// Records a rhythm of key presses or touches as taps and buzzes.

import { newBuzz, newTap, rounded } from "./model.js";

/** The maximum duration of a press that becomes a tap, in milliseconds. A longer press becomes a buzz. */
const LONGEST_TAP_MS = 150;
const PLAIN = 0.8;

/** @typedef {{ start: number, end: number, intensity: number }} Press */

/** Records presses. The recording starts with the first press. */
export class Recorder {
  constructor() {
    this.isOn = false;
    /** @type {Press[]} */
    this.presses = [];
    /** @type {Map<string, Press>} */
    this.open = new Map();
  }

  start() {
    this.isOn = true;
    this.presses = [];
    this.open.clear();
  }

  /**
   * Records the start of a press.
   * @param {string} source the key or pointer.
   * @param {number} at the time of the browser's event, in milliseconds.
   * @param {number|null} pressure the pressure, 0 to 1; null if the source has no pressure sensor.
   */
  press(source, at, pressure = null) {
    if (this.open.has(source)) return;
    const press = { start: at, end: at, intensity: pressure ?? PLAIN };
    this.open.set(source, press);
    this.presses.push(press);
  }

  /**
   * Records the pressure of a press. Only the maximum pressure of each press is used.
   * @param {string} source
   * @param {number} pressure
   */
  pressHarder(source, pressure) {
    const press = this.open.get(source);
    if (press) press.intensity = Math.max(press.intensity, pressure);
  }

  /**
   * @param {string} source
   * @param {number} at
   */
  release(source, at) {
    const press = this.open.get(source);
    if (press) press.end = at;
    this.open.delete(source);
  }

  /**
   * Ends the recording and returns the recorded entries, shifted so that the first entry starts at a time in the
   * pattern.
   * @param {number} start
   * @param {number} now
   */
  finish(start, now) {
    for (const source of [...this.open.keys()]) this.release(source, now);
    this.isOn = false;
    const first = this.presses[0]?.start ?? 0;
    return this.presses.map((press) => {
      const time = rounded(start + (press.start - first) / 1000, 3);
      const length = press.end - press.start;
      const intensity = rounded(Math.max(press.intensity, 0.05), 2);
      return length <= LONGEST_TAP_MS ? newTap(time, intensity) : newBuzz(time, rounded(length / 1000, 3), intensity);
    });
  }
}

/**
 * Passes key presses and pointer events to the recorder. While the recorder is on, these events have no other effect.
 * @param {Recorder} recorder
 * @param {HTMLElement} canvas
 */
export function followPresses(recorder, canvas) {
  const isTap = (/** @type {KeyboardEvent} */ event) => recorder.isOn && /^(Space|Enter|Key[A-QS-Z])$/.test(event.code)
    && !event.ctrlKey && !event.metaKey && !event.altKey;
  document.addEventListener("keydown", (event) => {
    if (!isTap(event)) return;
    consume(event);
    if (!event.repeat) recorder.press(event.code, event.timeStamp);
  }, { capture: true });
  document.addEventListener("keyup", (event) => {
    if (!isTap(event)) return;
    consume(event);
    recorder.release(event.code, event.timeStamp);
  }, { capture: true });
  /**
   * @typedef {"pointerdown"|"pointermove"|"pointerup"} Type
   * @type {(type: Type, action: (source: string, event: PointerEvent) => void) => void}
   */
  const follow = (type, action) => canvas.addEventListener(type, (event) => {
    if (!recorder.isOn) return;
    consume(event);
    action(`pointer ${event.pointerId}`, event);
  }, { capture: true });
  follow("pointerdown", (source, event) => recorder.press(source, event.timeStamp, pressureOf(event)));
  follow("pointermove", (source, event) => recorder.pressHarder(source, pressureOf(event) ?? 0));
  follow("pointerup", (source, event) => recorder.release(source, event.timeStamp));
  canvas.addEventListener("dblclick", (event) => { if (recorder.isOn) consume(event); }, { capture: true });
}

/** @param {Event} event */
function consume(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/**
 * Returns the pressure of a pointer; null for pointers without a pressure sensor, which always report 0.5.
 * @param {PointerEvent} event
 */
function pressureOf(event) {
  return event.pointerType === "mouse" || event.pressure === 0 || event.pressure === 0.5 ? null : event.pressure;
}
