// Compares two versions of a pattern: the user switches between the versions, or takes a blind test with a score.

import { $, $button, buttons } from "./elements.js";

/** @typedef {"A"|"B"} Slot */

/** Stores versions A and B, switches between them, and runs the blind test. */
export class Comparison {
  /**
   * @param {import("./socket.js").Connection} connection
   * @param {(text: string) => void} announce
   */
  constructor(connection, announce) {
    this.connection = connection;
    this.announce = announce;
    /** @type {Set<Slot>} */
    this.kept = new Set();
    /** @type {Slot|null} */
    this.shown = null;
    this.isRunning = false;
    $("keep-a").addEventListener("click", () => this.keep("A"));
    $("keep-b").addEventListener("click", () => this.keep("B"));
    $("swap").addEventListener("click", () => this.swap());
    $("blind").addEventListener("click", () => this.toggle());
    for (const button of buttons("[data-which]", $("abx"))) {
      const which = /** @type {Slot|"X"} */ (button.dataset.which);
      button.addEventListener("click", () => this.connection.send({ type: "abx", action: "play", which }));
    }
    for (const button of buttons("[data-answer]", $("abx"))) {
      const answer = /** @type {Slot} */ (button.dataset.answer);
      button.addEventListener("click", () => this.connection.send({ type: "abx", action: "answer", answer }));
    }
  }

  /** Discards the versions when another pattern is opened. */
  forget() {
    this.kept.clear();
    this.shown = null;
    this.isRunning = false;
    this.update();
  }

  /** @param {Slot} slot */
  keep(slot) {
    this.connection.send({ type: "snapshot", slot });
    this.kept.add(slot);
    this.shown = slot;
    const next = this.kept.size < 2 ? " Change the pattern, and also store the other version." : "";
    this.announce(`The current pattern is stored as ${slot}.${next}`);
    this.update();
  }

  swap() {
    if (this.kept.size < 2) return this.announce("Store one version as A and another as B first.");
    this.shown = this.shown === "A" ? "B" : "A";
    this.connection.send({ type: "swap", slot: this.shown });
    this.announce(`Version ${this.shown}.`);
    return this.update();
  }

  toggle() {
    this.isRunning = !this.isRunning;
    this.connection.send({ type: "abx", action: this.isRunning ? "start" : "end" });
    $("score").textContent = "";
    this.update();
  }

  update() {
    const canCompare = this.kept.size === 2;
    $button("swap").disabled = !canCompare;
    $("swap").textContent = this.shown && canCompare ? `Swap (${this.shown} now)` : "Swap";
    $button("blind").disabled = !canCompare;
    $("blind").textContent = this.isRunning ? "End the blind test" : "Blind test";
    $("blind").setAttribute("aria-expanded", String(this.isRunning));
    $("abx").hidden = !this.isRunning;
  }

  /**
   * Shows the score: the number of correct answers, and the probability of achieving at least this number by guessing.
   * @param {import("./messages.js").Score} score
   */
  score({ trials, correct, p, isRunning, last }) {
    this.isRunning = isRunning;
    this.update();
    if (trials === 0) return;
    const verdict = p <= 0.05 ? "you can distinguish them" : "this may be guessing";
    const percent = `${(100 * p).toFixed(p < 0.1 ? 1 : 0)} %`;
    const chance = p < 0.001 ? "less than 0.1 %" : percent;
    const opening = { right: "Right. ", wrong: "Wrong. ", none: "" }[last ?? "none"];
    $("score").textContent = `${opening}${correct} of ${trials} right. `
      + `Guessing would give at least this many correct answers in ${chance} of all tests: ${verdict}.`;
  }
}
