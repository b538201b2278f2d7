// Playing: the playhead, the part that is repeated, rate and gain, and what the tool says of rest.

const $ = (id) => document.getElementById(id);
/** Scrubbing sends at most this often, in milliseconds: more is not felt. */
const SCRUB_MS = 16;

/** Plays the pattern through the tool, and shows where it is. */
export class Player {
  constructor(connection, timeline, say) {
    Object.assign(this, { connection, timeline, say });
    Object.assign(this, { isPlaying: false, isLooping: false, isMuted: false, isHolding: false, lastScrub: 0, startedAt: 0 });
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
    if (this.isPlaying && !this.isHolding) this.play();
  }

  toggle() {
    if (this.isPlaying || this.isHolding) this.stop(); else this.play();
  }

  play() {
    const { loop } = this.timeline;
    const isOutside = loop ? this.playhead < loop.start || this.playhead >= loop.end : this.playhead >= this.timeline.length - 0.001;
    const from = isOutside ? loop?.start ?? 0 : this.playhead;
    this.startedAt = from;
    this.isHolding = false;
    // The edits that were made before are played, not overtaken.
    this.connection.send({
      type: "play", from, to: loop?.end ?? null, loop: this.isLooping, rate: Number($("rate").value), gain: Number($("gain").value),
    });
    this.show(true);
  }

  stop() {
    this.isHolding = false;
    this.connection.sendNow({ type: "stop" });
    this.show(false);
  }

  restart() {
    if (this.isPlaying && !this.isHolding) this.play();
  }

  /** Repeats what is around a time until `release`. */
  hold(time) {
    this.isHolding = true;
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
    if (now - this.lastScrub < SCRUB_MS) return;
    this.lastScrub = now;
    this.connection.sendNow({ type: "scrub", at: time });
  }

  /** Ends a hold or a scrub. */
  release() {
    this.stop();
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

  /** Takes where the tool is. */
  position({ time, isPlaying }) {
    const hasEnded = this.isPlaying && !isPlaying;
    if (!this.isHolding) {
      this.timeline.playhead = hasEnded && time >= this.timeline.length - 0.05 ? this.startedAt : time;
      if (isPlaying && this.timeline.view.reveal(time)) this.timeline.viewChanged();
      this.timeline.invalidate();
    }
    this.show(isPlaying && !this.isHolding);
  }

  show(isPlaying) {
    if (this.isPlaying === isPlaying) return;
    this.isPlaying = isPlaying;
    $("play").textContent = isPlaying ? "Pause" : "Play";
  }

  /** Says what is known of the actuator after a stop. */
  rest({ verified, text }) {
    this.show(false);
    this.say(verified ? `At rest, verified: ${text}` : text);
  }

  /** The tool is gone: it has stopped. */
  lost() {
    this.isHolding = false;
    this.show(false);
  }
}
