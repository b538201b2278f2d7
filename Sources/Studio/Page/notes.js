// Shows problems: notes, a lost connection, the problems of the file, and the losses of the actuator.

import { $, element } from "./elements.js";

const MOST_PROBLEMS = 100;

/** @typedef {NonNullable<import("./messages.js").Problem["about"]>} Subject */

/**
 * Shows one note at a time. A note remains visible until the user closes it, until another note replaces it, or until
 * the failed operation succeeds.
 */
export class Notes {
  constructor() {
    /** @type {Subject|null} */
    this.about = null;
    $("note-close").addEventListener("click", () => {
      this.settle();
      $("timeline").focus();
    });
  }

  /**
   * @param {string} text
   * @param {Subject} about the subject that has failed.
   */
  show(text, about) {
    this.about = about;
    // Screen readers read the note aloud only if it becomes visible before its text changes.
    $("note").hidden = false;
    if ($("note-text").textContent !== text) $("note-text").textContent = text;
  }

  /**
   * Removes the note if its subject is the given subject or if no subject is given.
   * @param {Subject|null} [about]
   */
  settle(about = this.about) {
    if (this.about !== about) return;
    this.about = null;
    $("note").hidden = true;
    $("note-text").textContent = "";
  }
}

/**
 * Shows the reason why the tool cannot be reached, and disables the controls that require the tool.
 * @param {string|null} words the reason; null if the tool answers.
 */
export function showLoss(words) {
  const isLost = words !== null;
  document.body.classList.toggle("lost", isLost);
  $("lost").hidden = !isLost;
  $("lost").textContent = words ?? "";
  for (const part of document.querySelectorAll("fieldset")) part.disabled = isLost;
  if (!isLost) return;
  for (const dialog of document.querySelectorAll("dialog")) if (dialog.open && dialog.id !== "keys") dialog.close();
  if (document.activeElement?.closest("fieldset")) $("timeline").focus();
}

/** Lists the problems of the file. */
export class Problems {
  constructor() {
    this.shape = "";
    this.show([]);
  }

  /** @param {import("./messages.js").Finding[]} diagnostics */
  show(diagnostics) {
    const shape = JSON.stringify(diagnostics);
    if (shape === this.shape) return;
    this.shape = shape;
    $("problems").replaceChildren(...diagnostics.slice(0, MOST_PROBLEMS).map(({ line, severity, message }) =>
      element("li", { textContent: `${line ? `Line ${line}, ` : ""}${severity}: ${message}` })));
    if (diagnostics.length === 0) $("problems").append(element("li", { textContent: "None." }));
  }
}

/**
 * Lists the losses of the actuator, with the count of each kind. A click on a kind scrolls to the next occurrence of
 * that kind.
 */
export class Losses {
  /**
   * @param {import("./timeline.js").Timeline} timeline
   * @param {(time: number) => void} reveal scrolls to a time.
   */
  constructor(timeline, reveal) {
    this.timeline = timeline;
    this.reveal = reveal;
    this.timer = 0;
    this.show();
  }

  /** Lists the losses after the predictions have stopped changing. */
  show() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.update(), 200);
  }

  update() {
    const { kinds, count } = this.timeline.losses;
    const listed = kinds.reduce((sum, kind) => sum + kind.count, 0);
    const entries = kinds.map((kind) => element("li", {}, this.button(kind)));
    if (listed < count) entries.push(element("li", { textContent: `${count - listed} more of other kinds.` }));
    if (kinds.length === 0) entries.push(element("li", { textContent: "No losses are predicted." }));
    $("losses").replaceChildren(...entries);
  }

  /** @param {import("./messages.js").Loss} loss */
  button({ count, message, places }) {
    const times = count > 1 ? `${count} × ${message}, first at` : `${message}, at`;
    const button = element("button", { textContent: `${times} ${places[0].time.toFixed(3)} s` });
    if (places.length > 1) button.title = "Show the next occurrence";
    button.addEventListener("click", () => {
      const { playhead } = this.timeline;
      this.reveal((places.find(({ time }) => time > playhead + 0.0005) ?? places[0]).time);
    });
    return button;
  }
}
