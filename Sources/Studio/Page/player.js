// Controls the playback: the playhead, the loop, the rate, the gain, and the confirmation that the actuator is at rest.

import { $, $input, $select } from "./elements.js";

/** @typedef {{ start: number, end: number }} Span */

/** The minimum interval between two scrub messages, in milliseconds. */
const SCRUB_MS = 16;
const SCRUB_AGAIN_MS = 80;

/** Plays the pattern through the tool, and shows the playback position. */
export class Player {
  /**
   * @param {import("./socket.js").Connection} connection
   * @param {import("./timeline.js").Timeline} timeline
   * @param {(text: string, isQuiet?: boolean) => void} announce
   */
  constructor(connection, timeline, announce) {
    this.connection = connection;
    this.timeline = timeline;
    this.announce = announce;
    this.isPlaying = false;
    this.isLooping = false;
    this.isMuted = false;
    this.isHolding = false;
    this.scrubbed = 0;
    this.scrubTimer = 0;
    this.ended = "";
    $("play").addEventListener("click", () => this.toggle());
    $("stop").addEventListener("click", () => this.stop());
    $("loop").addEventListener("click", () => this.toggleLoop());
    $("mute").addEventListener("click", () => this.toggleMute());
    $("rate").addEventListener("change", () => this.restart());
    $("gain").addEventListener("input", () => {
      this.connection.sendNow({ type: "gain", value: this.gain });
      this.announce(`Gain ${Math.round(100 * this.gain)} %.`, true);
    });
  }

  get gain() {
    return Number($input("gain").value);
  }

  get playhead() {
    return this.timeline.playhead;
  }

  /** @param {number} time */
  setPlayhead(time) {
    this.timeline.playhead = Math.max(time, 0);
    this.timeline.invalidate();
    if (this.isPlaying) this.play();
  }

  /** Starts or pauses the playback. After a pause, the playhead is at the playback position. */
  toggle() {
    if (!this.isPlaying) {
      this.play();
      return;
    }
    if (this.timeline.playing !== null) this.timeline.playhead = this.timeline.playing;
    this.stop();
    this.ended = `Paused at ${this.playhead.toFixed(3)} s. `;
  }

  play() {
    if (!this.timeline.isReadable) {
      this.announce("This file cannot be played until its errors are fixed; see the list of problems.");
      return;
    }
    if (this.timeline.model.items.length === 0) {
      this.announce("There is nothing to play yet: double-click on the timeline to add a tap.");
      return;
    }
    const { loop } = this.timeline;
    const [start, end] = loop ? [loop.start, loop.end] : [0, this.timeline.end - 0.001];
    const from = this.playhead < start || this.playhead >= end ? start : this.playhead;
    this.isHolding = false;
    // `send` sends this message after all queued edits.
    this.connection.send({
      type: "play", from, to: loop?.end, loop: this.isLooping, rate: Number($select("rate").value), gain: this.gain,
    });
    this.show(true);
  }

  stop() {
    this.ended = this.isPlaying ? "Stopped. " : "";
    this.isHolding = false;
    this.connection.sendNow({ type: "stop" });
    this.show(false);
  }

  restart() {
    if (this.isPlaying) this.play();
  }

  /**
   * Plays a short interval around a time repeatedly, until `release` or `stop` is called.
   * @param {number} time
   */
  hold(time) {
    this.isHolding = true;
    this.show(false);
    this.connection.send({ type: "hold", at: time });
  }

  /** @param {number} time */
  toggleHold(time) {
    if (this.isHolding) this.stop(); else this.hold(time);
  }

  /**
   * Plays the level at a time, and moves the playhead to that time.
   * @param {number} time
   */
  scrub(time) {
    this.timeline.playhead = time;
    this.timeline.invalidate();
    const now = performance.now();
    if (now - this.scrubbed < SCRUB_MS) return;
    this.scrubbed = now;
    this.connection.sendNow({ type: "scrub", at: time });
    // The tool ends the level unless it receives the message repeatedly.
    clearInterval(this.scrubTimer);
    const again = () => this.connection.sendNow({ type: "scrub", at: this.playhead });
    this.scrubTimer = window.setInterval(again, SCRUB_AGAIN_MS);
  }

  /** Ends a scrub or a hold. */
  release() {
    clearInterval(this.scrubTimer);
    if (this.isHolding) this.stop();
  }

  toggleLoop() {
    this.isLooping = !this.isLooping;
    this.press("loop", this.isLooping);
    if (!this.isLooping) this.setLoop(null);
    this.restart();
  }

  /** @param {Span|null} span */
  setLoop(span) {
    const loop = span && span.end > span.start ? span : null;
    this.timeline.loop = loop;
    this.timeline.invalidate();
    if (!loop) return;
    this.isLooping = true;
    this.press("loop", true);
    this.announce(`Loop from ${loop.start.toFixed(3)} s to ${loop.end.toFixed(3)} s.`, true);
  }

  /**
   * Moves the start or the end of the loop to the playhead.
   * @param {"start"|"end"} edge
   */
  mark(edge) {
    const { playhead, timeline: { loop, length } } = this;
    if (edge === "start") this.setLoop({ start: playhead, end: Math.max(loop?.end ?? length, playhead) });
    else this.setLoop({ start: Math.min(loop?.start ?? 0, playhead), end: playhead });
    this.restart();
  }

  toggleMute() {
    this.isMuted = !this.isMuted;
    this.press("mute", this.isMuted);
    this.connection.sendNow({ type: "mute", on: this.isMuted });
    this.announce(this.isMuted ? "Muted: nothing is felt." : "No longer muted.");
  }

  /**
   * @param {string} id
   * @param {boolean} isOn
   */
  press(id, isOn) {
    $(id).setAttribute("aria-pressed", String(isOn));
  }

  /**
   * Shows the playback position. The view scrolls during normal playback, but not during a hold or a drag.
   * @param {{ time: number, isPlaying: boolean }} position
   */
  position({ time, isPlaying }) {
    this.timeline.playing = isPlaying ? time : null;
    if (isPlaying && this.isPlaying && this.timeline.view.reveal(time)) this.timeline.viewChanged();
    if (!isPlaying) this.show(false);
    this.timeline.invalidate();
  }

  /** @param {boolean} isPlaying */
  show(isPlaying) {
    if (this.isPlaying === isPlaying) return;
    this.isPlaying = isPlaying;
    $("play").textContent = isPlaying ? "Pause" : "Play";
    const pause = "Pause: the playhead marks the playback position (Space)";
    $("play").title = isPlaying ? pause : "Play from the playhead (Space)";
  }

  /**
   * Shows the state of the actuator after a stop.
   * @param {{ text: string }} message
   */
  rest({ text }) {
    this.show(false);
    this.announce(`${this.ended}${text}.`);
    this.ended = "";
  }

  /** Stops showing the playback position after the connection to the tool was lost. */
  lost() {
    this.isHolding = false;
    clearInterval(this.scrubTimer);
    this.timeline.playing = null;
    this.show(false);
  }
}
