// The picture of a pattern. The upper part shows the design; the lower part shows the planned drive, its predicted
// effect, and the levels on the bus.

import { BOARD, DESIGN } from "./haptic-bridge.js";

/** @typedef {import("./haptic-bridge.js").HapticBridge} HapticBridge */

const COLUMNS = 800;
/** The maximum number of levels that are kept. A loop writes indefinitely. */
const LEVELS_MOST = 20_000;

/** Draws on a canvas. Times are in seconds from the beginning of the pattern. */
export class Picture {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {HTMLMeterElement} meter shows the designed level at the playhead.
   */
  constructor(canvas, meter) {
    this.canvas = canvas;
    this.meter = meter;
    this.duration = 0;
    this.design = new Uint8Array();
    this.planned = new Uint8Array();
    this.predicted = new Uint8Array();
    /**
     * The levels on the bus: time and drive.
     * @type {[number, number][]}
     */
    this.levels = [];
    /** The time at which the latest playback began, in seconds of the page's clock. */
    this.start = 0;
    this.isPlaying = false;
    /** The duration of a pass of a loop, in seconds. */
    this.pass = Infinity;
    /** The column that the playhead has reached. */
    this.column = 0;
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  /**
   * Shows the open pattern.
   * @param {HapticBridge} bridge
   * @param {number} duration
   */
  async show(bridge, duration) {
    const [design, planned, predicted] = await Promise.all([
      bridge.samples(DESIGN, COLUMNS), bridge.samples(BOARD, COLUMNS), bridge.prediction(COLUMNS),
    ]);
    Object.assign(this, { design, planned, predicted, duration, levels: [] });
    this.draw();
  }

  /**
   * Begins to follow a playback.
   * @param {number} start the time at which the beginning of the pattern is felt.
   * @param {number} pass the duration of a pass of a loop; infinite if the pattern is played once.
   */
  begin(start, pass) {
    Object.assign(this, { start, pass, column: 0 });
    this.isPlaying = true;
    this.levels = [];
    this.follow();
  }

  end() {
    this.isPlaying = false;
    this.meter.value = 0;
    this.draw();
  }

  /** @param {Float64Array} values the times, values and drives of writes, as in the report. */
  add(values) {
    for (let at = 0; at < values.length && this.levels.length < LEVELS_MOST; at += 3) {
      this.levels.push([values[at] / 1e6, Math.abs(values[at + 2]) / 255]);
    }
    if (!this.isPlaying) this.draw();
  }

  follow() {
    if (!this.isPlaying) return;
    this.draw();
    this.measure();
    requestAnimationFrame(() => this.follow());
  }

  /** The time since the beginning of the playback. */
  get elapsed() {
    return Math.max(0, (performance.timeOrigin + performance.now()) / 1000 - this.start);
  }

  /** The time of the playhead. */
  get now() {
    return this.elapsed % this.pass;
  }

  /** Shows the greatest level since the last frame, so that every tap is visible. */
  measure() {
    const column = Math.min(COLUMNS - 1, Math.floor((this.now / this.duration) * COLUMNS));
    const first = column < this.column ? column : this.column;
    this.meter.value = Math.max(0, ...this.design.subarray(first, column + 1)) / 255;
    this.column = column;
  }

  /** @param {string} name */
  color(name) {
    return getComputedStyle(this.canvas).getPropertyValue(`--${name}`);
  }

  draw() {
    const { canvas } = this;
    const context = canvas.getContext("2d");
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!context || width === 0) return;
    const scale = devicePixelRatio;
    [canvas.width, canvas.height] = [width * scale, height * scale];
    context.scale(scale, scale);
    const middle = height / 2;
    context.fillStyle = this.color("grid");
    context.fillRect(0, middle - 0.5, width, 1);
    this.bars(context, this.design, this.color("intensity"), middle, middle - 8);
    this.bars(context, this.planned, this.color("planned"), height, middle - 8);
    this.felt(context, width, height, middle - 8);
    this.written(context, width, height, middle - 8);
    if (this.isPlaying && this.duration > 0) {
      context.fillStyle = this.color("ink");
      context.fillRect((this.now / this.duration) * width, 0, 1.5, height);
    }
  }

  /**
   * Draws levels as bars, more opaque if they are sharper.
   * @param {CanvasRenderingContext2D} context
   * @param {Uint8Array} samples the levels, then the sharpnesses.
   * @param {string} color
   * @param {number} bottom
   * @param {number} height
   */
  bars(context, samples, color, bottom, height) {
    const count = samples.length / 2;
    const step = this.canvas.clientWidth / Math.max(1, count);
    context.fillStyle = color;
    for (let index = 0; index < count; index += 1) {
      const size = (samples[index] / 255) * height;
      context.globalAlpha = 0.45 + (0.55 * samples[count + index]) / 255;
      // Whole pixels are used, so that neighboring bars have no seam.
      const left = Math.round(index * step);
      const right = Math.max(left + 1, Math.round((index + 1) * step));
      if (size > 0) context.fillRect(left, bottom - size, right - left, size);
    }
    context.globalAlpha = 1;
  }

  /**
   * Draws the predicted accelerations as a line.
   * @param {CanvasRenderingContext2D} context
   * @param {number} width
   * @param {number} bottom
   * @param {number} height
   */
  felt(context, width, bottom, height) {
    context.strokeStyle = this.color("prediction");
    context.lineWidth = 1.5;
    context.beginPath();
    for (const [index, value] of this.predicted.entries()) {
      context.lineTo(((index + 0.5) / COLUMNS) * width, bottom - (value / 255) * height);
    }
    context.stroke();
  }

  /**
   * Draws the levels on the bus as a line of steps.
   * @param {CanvasRenderingContext2D} context
   * @param {number} width
   * @param {number} bottom
   * @param {number} height
   */
  written(context, width, bottom, height) {
    const { levels, duration, start } = this;
    if (levels.length === 0 || duration === 0) return;
    context.strokeStyle = this.color("bus");
    context.lineWidth = 1.5;
    context.beginPath();
    let y = bottom;
    for (const [time, level] of levels) {
      const x = ((time - start) / duration) * width;
      if (x > width) break;
      context.lineTo(x, y);
      y = bottom - level * height;
      context.lineTo(x, y);
    }
    context.stroke();
  }
}
