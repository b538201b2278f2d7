// Measures the vibration of the pattern on the board, and lists the measured events.

import { $, $button, element } from "./elements.js";
import { measuredInWords } from "./words.js";

/** @typedef {import("./messages.js").Measured} Measured */

const MOST_EVENTS = 200;
const TITLE = "Play the pattern from its start, and record the vibration with the accelerometer of the board";
const HELP = `${TITLE}. An edit removes the result.`;

/** Starts and ends measurements through the tool, and shows their results. */
export class Measuring {
  /**
   * @param {import("./player.js").Player} player
   * @param {import("./timeline.js").Timeline} timeline
   * @param {(text: string) => void} announce
   * @param {(time: number) => void} reveal scrolls to a time.
   */
  constructor(player, timeline, announce, reveal) {
    this.player = player;
    this.timeline = timeline;
    this.announce = announce;
    this.reveal = reveal;
    this.isRunning = false;
    this.list(null);
  }

  /** Starts a measurement, or ends the current one. */
  toggle() {
    if (this.isRunning) {
      this.player.stop();
      this.player.ended = "The measurement was ended. ";
      return;
    }
    // `send` sends this message after all queued edits.
    this.player.connection.send({ type: "measure" });
  }

  /**
   * Enables the button, or disables it with the reason.
   * @param {string|undefined} obstacle the reason why nothing can be measured.
   */
  enable(obstacle) {
    const button = $button("measure");
    button.disabled = obstacle !== undefined && !this.isRunning;
    button.title = obstacle === undefined ? TITLE : `Nothing can be measured: ${obstacle}`;
  }

  /** @param {import("./messages.js").Measurement} measurement */
  show({ isRunning, result }) {
    if (isRunning && !this.isRunning) this.announce("Measuring: the pattern plays from its start.");
    if (!isRunning && this.isRunning && result) this.announce(`Measured: ${result.summary[1]}.`);
    this.isRunning = isRunning;
    this.player.press("measure", isRunning);
    $("measure").textContent = isRunning ? "End measuring" : "Measure";
    this.timeline.measure(result ?? null);
    this.list(result ?? null);
  }

  /**
   * Lists the warnings, the figures and the events of a measurement.
   * @param {Measured|null} result
   */
  list(result) {
    $("measured-place").textContent = result ? `${result.place}.` : HELP;
    if (!result) return $("measured").replaceChildren();
    const { warnings, summary, events, eventCount } = result;
    const figures = summary.map((text) => `${text[0].toUpperCase()}${text.slice(1)}.`);
    const texts = [...warnings.map((text) => `Warning: ${text}.`), ...figures];
    const entries = texts.map((textContent) => element("li", { textContent }));
    entries.push(...events.slice(0, MOST_EVENTS).map((event) => element("li", {}, this.button(event))));
    if (eventCount > MOST_EVENTS) {
      const textContent = `${eventCount - MOST_EVENTS} more events; bridge measure lists all of them.`;
      entries.push(element("li", { textContent }));
    }
    return $("measured").replaceChildren(...entries);
  }

  /** @param {import("./messages.js").MeasuredEvent} event */
  button(event) {
    const button = element("button", { textContent: measuredInWords(event) });
    button.addEventListener("click", () => this.reveal(event.time));
    return button;
  }
}
