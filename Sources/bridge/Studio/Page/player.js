// Playing: the playhead, the part that is repeated, rate and gain, and what the tool says of rest.

const $ = (id) => document.getElementById(id);
/** Scrubbing sends at most this often, in milliseconds: more is not felt. */
const SCRUB_MS = 16;
const SCRUB_AGAIN_MS = 80;

/** Plays the pattern through the tool, and shows where it is. */
export class Player {
  constructor(connection, timeline, say) {
    Object.assign(this, { connection, timeline, say });
    Object.assign(this, { isPlaying: false, isLooping: false, isMuted: false, isHolding: false, scrubbed: 0, scrubTimer: null, ended: "" });
    $("play").addEventListener("click", () => this.toggle());
    $("stop").addEventListener("click", () => this.stop());
    $("loop").addEventListener("click", () => this.toggleLoop());
    $("mute").addEventListener("click", () => this.toggleMute());
    $("rate").addEventListener("change", () => this.restart());
    $("gain").addEventListener("input", () => {
      this.connection.sendNow({ type: "gain", value: Number($("gain").value) });
      this.say(`Gain ${Math.round(100 * Number($("gain").value))} %.`, true);
    });
  }

  get playhead() {
    return this.timeline.playhead;
  }

  setPlayhead(time) {
    this.timeline.playhead = Math.max(time, 0);
    this.timeline.invalidate();
    if (this.isPlaying) this.play();
  }

  /** Plays, or pauses: the playhead then goes where the sound of it was. */
  toggle() {
    if (!this.isPlaying) return this.play();
    if (this.timeline.playing !== null) this.timeline.playhead = this.timeline.playing;
    this.stop();
    this.ended = `Paused at ${this.playhead.toFixed(3)} s. `;
    return undefined;
  }

  play() {
    if (!this.timeline.isReadable) return this.say("This file cannot be played before its errors are mended: the problems at the side say where they are.");
    if (this.timeline.model.items.length === 0) return this.say("There is nothing to play yet: double-click on the time line to add a tap.");
    const { loop } = this.timeline;
    const isOutside = loop ? this.playhead < loop.start || this.playhead >= loop.end : this.playhead >= this.timeline.end - 0.001;
    const from = isOutside ? loop?.start ?? 0 : this.playhead;
    this.isHolding = false;
    // The edits that were made before are played, not overtaken.
    this.connection.send({
      type: "play", from, to: loop?.end ?? null, loop: this.isLooping, rate: Number($("rate").value), gain: Number($("gain").value),
    });
    return this.show(true);
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

  /** Repeats what is around a time until `release`. */
  hold(time) {
    this.isHolding = true;
    this.show(false);
    this.connection.send({ type: "hold", at: time });
  }

  toggleHold(time) {
    if (this.isHolding) this.stop(); else this.hold(time);
  }

  /** Makes the level at a time felt, and the playhead go there. */
  scrub(time) {
    this.timeline.playhead = time;
    this.timeline.invalidate();
    const now = performance.now();
    if (now - this.scrubbed < SCRUB_MS) return;
    this.scrubbed = now;
    this.connection.sendNow({ type: "scrub", at: time });
    // The tool lets go of a level that it is not told again.
    clearInterval(this.scrubTimer);
    this.scrubTimer = setInterval(() => this.connection.sendNow({ type: "scrub", at: this.playhead }), SCRUB_AGAIN_MS);
  }

  /** Ends a scrub, or a hold. */
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

  setLoop(loop) {
    this.timeline.loop = loop && loop.end > loop.start ? loop : null;
    if (this.timeline.loop && !this.isLooping) {
      this.isLooping = true;
      this.press("loop", true);
    }
    if (this.timeline.loop) this.say(`Loop from ${loop.start.toFixed(3)} s to ${loop.end.toFixed(3)} s.`, true);
    this.timeline.invalidate();
  }

  /** Begins or ends the part that is repeated at the playhead. */
  mark(isEnd) {
    const { loop, length } = this.timeline;
    const start = isEnd ? Math.min(loop?.start ?? 0, this.playhead) : this.playhead;
    const end = isEnd ? this.playhead : Math.max(loop?.end ?? length, this.playhead);
    this.setLoop({ start, end });
    this.restart();
  }

  toggleMute() {
    this.isMuted = !this.isMuted;
    this.press("mute", this.isMuted);
    this.connection.sendNow({ type: "mute", on: this.isMuted });
    this.say(this.isMuted ? "Muted: nothing is felt." : "No longer muted.");
  }

  press(id, isOn) {
    $(id).setAttribute("aria-pressed", String(isOn));
  }

  /** Takes where the tool is. What is held or dragged plays too; the view follows only what the user plays. */
  position({ time, isPlaying }) {
    this.timeline.playing = isPlaying ? time : null;
    if (isPlaying && this.isPlaying && this.timeline.view.reveal(time)) this.timeline.viewChanged();
    if (!isPlaying) this.show(false);
    this.timeline.invalidate();
  }

  show(isPlaying) {
    if (this.isPlaying === isPlaying) return;
    this.isPlaying = isPlaying;
    $("play").textContent = isPlaying ? "Pause" : "Play";
    $("play").title = isPlaying ? "Pause: the playhead stands where playing has come to (Space)" : "Play from the playhead (Space)";
  }

  /** Says what is known of the actuator after a stop. */
  rest({ text }) {
    this.show(false);
    this.say(`${this.ended}${text}.`);
    this.ended = "";
  }

  /** The tool is gone: it has stopped. */
  lost() {
    this.isHolding = false;
    clearInterval(this.scrubTimer);
    this.timeline.playing = null;
    this.show(false);
  }
}
