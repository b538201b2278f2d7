// Two versions of a pattern compared: by a swap, and by a blind test with a score.

const $ = (id) => document.getElementById(id);

/** Keeps versions A and B, swaps them, and runs the blind test. */
export class Comparison {
  constructor(connection, say) {
    Object.assign(this, { connection, say, kept: new Set(), shown: null, isRunning: false });
    $("keep-a").addEventListener("click", () => this.keep("A"));
    $("keep-b").addEventListener("click", () => this.keep("B"));
    $("swap").addEventListener("click", () => this.swap());
    $("blind").addEventListener("click", () => this.toggle());
    for (const button of $("abx").querySelectorAll("[data-which]")) {
      button.addEventListener("click", () => this.connection.send({ type: "abx", action: "play", which: button.dataset.which }));
    }
    for (const button of $("abx").querySelectorAll("[data-answer]")) {
      button.addEventListener("click", () => this.connection.send({ type: "abx", action: "answer", answer: button.dataset.answer }));
    }
  }

  /** Another pattern is open: there are no versions of it. */
  forget() {
    this.kept.clear();
    this.shown = null;
    this.isRunning = false;
    this.update();
  }

  keep(slot) {
    this.connection.send({ type: "snapshot", slot });
    this.kept.add(slot);
    this.shown = slot;
    this.say(`The pattern as it is now is kept as ${slot}.${this.kept.size < 2 ? " Change it, and keep the other version too." : ""}`);
    this.update();
  }

  swap() {
    if (this.kept.size < 2) return this.say("Keep a version as A and another as B first.");
    this.shown = this.shown === "A" ? "B" : "A";
    this.connection.send({ type: "swap", slot: this.shown });
    this.say(`Version ${this.shown}.`);
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
    $("swap").disabled = !canCompare;
    $("swap").textContent = this.shown && canCompare ? `Swap (${this.shown} now)` : "Swap";
    $("blind").disabled = !canCompare;
    $("blind").textContent = this.isRunning ? "End the blind test" : "Blind test";
    $("blind").setAttribute("aria-expanded", String(this.isRunning));
    $("abx").hidden = !this.isRunning;
  }

  /** Shows the score: how many answers were right, and how likely that is for somebody who guesses. */
  score({ trials, correct, p, isRunning, last }) {
    this.isRunning = isRunning;
    this.update();
    if (trials === 0) return;
    const verdict = p <= 0.05 ? "you can tell them apart" : "this may be guessing";
    const chance = p < 0.001 ? "less than 0.1 %" : `${(100 * p).toFixed(p < 0.1 ? 1 : 0)} %`;
    const opening = last ? `${last === "right" ? "Right" : "Wrong"}. ` : "";
    $("score").textContent = `${opening}${correct} of ${trials} right. Guessing would give as many right answers in ${chance} of all tests: ${verdict}.`;
  }
}
