// What the page says of problems: notes, the loss of the tool, the problems of the file, and what the actuator loses.

import { element } from "./list.js";

const $ = (id) => document.getElementById(id);
const MOST_PROBLEMS = 100;

/** Shows one note at a time, until it is closed, there is another one, or what it is about has succeeded. */
export class Notes {
  constructor() {
    this.about = null;
    $("note-close").addEventListener("click", () => {
      this.settle();
      $("timeline").focus();
    });
  }

  /** @param {string} about what has failed: "file", "edit" or "playing". */
  show(text, about) {
    this.about = about;
    // What is shown when its text changes is read aloud.
    $("note").hidden = false;
    if ($("note-text").textContent !== text) $("note-text").textContent = text;
  }

  /** Something has succeeded: a note about it goes. Without a subject, any note does. */
  settle(about = this.about) {
    if (this.about !== about) return;
    this.about = null;
    $("note").hidden = true;
    $("note-text").textContent = "";
  }
}

/** Says why the tool cannot be reached, and takes away what needs it; `null` if it answers. */
export function showLoss(words) {
  const isLost = words !== null;
  document.body.classList.toggle("lost", isLost);
  $("lost").hidden = !isLost;
  $("lost").textContent = words ?? "";
  if (isLost) for (const dialog of document.querySelectorAll("dialog[open]:not(#keys)")) dialog.close();
  for (const part of document.querySelectorAll("fieldset")) part.disabled = isLost;
  if (isLost && document.activeElement.closest("fieldset")) $("timeline").focus();
}

/** Lists the problems of the file. */
export class Problems {
  constructor() {
    this.shape = null;
    this.show([]);
  }

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
  /** @param {(time: number) => void} reveal shows a time. */
  constructor(timeline, reveal) {
    Object.assign(this, { timeline, reveal, timer: null });
    this.show();
  }

  /** Lists the losses when the predictions have settled. */
  show() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.update(), 200);
  }

  update() {
    const { kinds, count } = this.timeline.losses;
    const told = kinds.reduce((sum, kind) => sum + kind.count, 0);
    const entries = kinds.map((kind) => element("li", {}, this.button(kind)));
    if (told < count) entries.push(element("li", { textContent: `${count - told} more, of other kinds.` }));
    if (kinds.length === 0) entries.push(element("li", { textContent: "Nothing that is known." }));
    $("losses").replaceChildren(...entries);
  }

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
