// The sound of a pattern while it plays: the module renders the sound in parts, and this file schedules the parts on
// the clock of the sound output.

/** @typedef {import("./haptic-bridge.js").HapticBridge} HapticBridge */

/** The number of samples per second, and the number of samples of a part. */
const RATE = 48_000;
const PART = 12_000;
/** The time by which a part is scheduled before it is audible, in seconds. */
const AHEAD_S = 1;
/** The time that scheduling a part may take, in seconds. */
const SCHEDULING_S = 0.005;
/** The longest time for which a playback waits for the output to open, in milliseconds. */
const OPENING_MS = 500;

/** @param {number} milliseconds */
function delay(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Plays the open pattern on the loudspeaker. */
export class Sound {
  /** @param {HapticBridge} bridge */
  constructor(bridge) {
    this.bridge = bridge;
    this.isOn = true;
    this.volume = 1;
    /** @type {AudioContext|null} */
    this.context = null;
    /**
     * The output of the current sound.
     * @type {GainNode|null}
     */
    this.output = null;
  }

  /** Opens the output. Browsers permit sound only after an action by the user. */
  async open() {
    if (!this.isOn) return;
    this.context ??= new AudioContext({ sampleRate: RATE });
    if (this.context.state !== "running") await Promise.race([this.context.resume(), delay(OPENING_MS)]);
  }

  /** @param {number} volume 0 to 1. */
  setVolume(volume) {
    this.volume = volume;
    if (this.output) this.output.gain.value = volume;
  }

  /**
   * Begins the sound of a playback.
   * @param {number} start the time at which the beginning of the pattern is felt, in seconds since 1970.
   * @param {boolean} isLoop
   * @param {number} [first] the time in the pattern at which the sound begins, in seconds.
   */
  async begin(start, isLoop, first = 0) {
    this.end();
    const { context } = this;
    if (!context || !this.isOn) return;
    const output = new GainNode(context, { gain: this.volume });
    output.connect(context.destination);
    this.output = output;
    await this.open();
    await this.bridge.beginSound(isLoop, first);
    let origin = NaN;
    for (let position = first; this.output === output; position += PART / RATE) {
      const samples = await this.bridge.nextSound(PART);
      if (samples.length === 0 || this.output !== output) return;
      const source = sourceOf(samples, output);
      if (Number.isNaN(origin)) origin = originOf(start, first, context);
      const late = Math.max(0, context.currentTime - origin - position);
      source.start(origin + position + late, late);
      await delay((origin + position - AHEAD_S - context.currentTime) * 1000);
    }
  }

  /** Ends the sound immediately. */
  end() {
    this.output?.disconnect();
    this.output = null;
  }
}

/**
 * Returns the time on the clock of the output at which a sample is audible at the given time.
 * @param {number} time in seconds since 1970.
 * @param {AudioContext} context
 */
function timeOf(time, context) {
  const { contextTime, performanceTime } = context.getOutputTimestamp();
  const [audible, at] = contextTime && performanceTime ? [contextTime, performanceTime]
    : [context.currentTime - context.baseLatency, performance.now()];
  return audible + time - (performance.timeOrigin + at) / 1000;
}

/**
 * Returns the time on the clock of the output at which the beginning of the pattern is audible, in whole samples. The
 * sound is later than the pattern by the time that the computer and the output need.
 * @param {number} start in seconds since 1970.
 * @param {number} first
 * @param {AudioContext} context
 */
function originOf(start, first, context) {
  const origin = Math.max(timeOf(start, context), context.currentTime + SCHEDULING_S - first);
  return Math.round(origin * RATE) / RATE;
}

/**
 * Returns a source of samples.
 * @param {Float32Array} samples
 * @param {GainNode} output
 */
function sourceOf(samples, output) {
  const buffer = new AudioBuffer({ length: samples.length, sampleRate: RATE });
  buffer.copyToChannel(samples, 0);
  const source = new AudioBufferSourceNode(output.context, { buffer });
  source.connect(output);
  return source;
}
