// @ts-check
// What the page says of problems: notes, the loss of the tool, the problems of the file, and what the actuator loses.

import { $, element } from "./elements.js";

const MOST_PROBLEMS = 100;

/** @typedef {NonNullable<import("./messages.js").Problem["about"]>} Subject */

/** Shows one note at a time, until it is closed, there is another one, or what it is about has succeeded. */
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
   * @param {Subject} about what has failed.
   */
  show(text, about) {
    this.about = about;
    // What is shown when its text changes is read aloud.
    $("note").hidden = false;
    if ($("note-text").textContent !== text) $("note-text").textContent = text;
  }

  /**
   * Removes the note about what has succeeded now; without a subject, any note.
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
 * Says why the tool cannot be reached, and takes away what needs it.
 * @param {string|null} words null if it answers.
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

/** Lists what the actuator loses, each kind with how often it occurs. A click leads to the next place. */
export class Losses {
  /**
   * @param {import("./timeline.js").Timeline} timeline
   * @param {(time: number) => void} reveal shows a time.
   */
  constructor(timeline, reveal) {
    this.timeline = timeline;
    this.reveal = reveal;
    this.timer = 0;
    this.show();
  }

  /** Lists the losses when the predictions have settled. */
  show() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.update(), 200);
  }

  update() {
    const { kinds, count } = this.timeline.losses;
    const listed = kinds.reduce((sum, kind) => sum + kind.count, 0);
    const entries = kinds.map((kind) => element("li", {}, this.button(kind)));
    if (listed < count) entries.push(element("li", { textContent: `${count - listed} more, of other kinds.` }));
    if (kinds.length === 0) entries.push(element("li", { textContent: "Nothing that is known." }));
    $("losses").replaceChildren(...entries);
  }

  /** @param {import("./messages.js").Loss} loss */
  button({ count, message, places }) {
    const times = count > 1 ? `${count} × ${message}, first at` : `${message}, at`;
    const button = element("button", { textContent: `${times} ${places[0].time.toFixed(3)} s` });
    if (places.length > 1) button.title = "Shows the next one";
    button.addEventListener("click", () => {
      const { playhead } = this.timeline;
      this.reveal((places.find(({ time }) => time > playhead + 0.0005) ?? places[0]).time);
    });
    return button;
  }
}
