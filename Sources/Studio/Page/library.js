// The library: the files in the folder, and the built-in patterns.

import { $, $button, $input, closest, element } from "./elements.js";

/** @typedef {{ name: string, meaning?: string }} Pattern */

/** Matches the suffix of the name of a file that contains unsaved text. */
export const KEPT = /\.unsaved(-\d+)?$/;

const NO_FILES = "There are no patterns yet. Your patterns are saved here.";
const NONE_FOUND = "No pattern contains these words.";

/** Lists, searches and opens patterns. */
export class Library {
  constructor() {
    /**
     * The handlers of the user's actions, which are called with the name of a pattern.
     * @type {Record<string, (name: string) => void>}
     */
    this.actions = {};
    /** @type {string[]} */
    this.files = [];
    /** @type {Pattern[]} */
    this.named = [];
    /** @type {string|null} */
    this.current = null;
    this.isNew = false;
    this.search = $input("search");
    this.search.addEventListener("input", () => this.update());
    for (const id of ["files", "named"]) {
      $(id).addEventListener("click", (event) => {
        const name = closest(event, "button")?.dataset.name;
        if (name) this.actions.open(name);
      });
    }
    this.tools = ["rename", "remove"].map((id) => $button(id));
    for (const button of this.tools) {
      button.addEventListener("click", () => { if (this.current) this.actions[button.id](this.current); });
    }
  }

  /** @param {{ files?: string[], named?: Pattern[], current?: string|null, isNew?: boolean }} changes */
  show(changes) {
    Object.assign(this, changes);
    this.update();
  }

  update() {
    const words = this.search.value.trim().toLowerCase().split(/\s+/);
    const isFound = (/** @type {string} */ text) => words.every((word) => text.toLowerCase().includes(word));
    const { current } = this;
    const isFile = current !== null && this.files.includes(current);
    const isEmpty = this.files.length === 0 && !this.isNew;
    const files = this.files.map((name) => ({ name, meaning: KEPT.test(name) ? "unsaved text" : undefined }));
    for (const button of this.tools) button.disabled = !isFile;
    // A new pattern has no file yet, but the list of files contains the pattern.
    if (this.isNew && current !== null && !isFile) files.push({ name: current, meaning: "not saved yet" });
    this.fill("files", files.filter(({ name }) => isFound(name)), isEmpty ? NO_FILES : NONE_FOUND);
    this.fill("named", this.named.filter(({ name, meaning }) => isFound(`${name} ${meaning ?? ""}`)), NONE_FOUND);
  }

  /**
   * @param {string} id
   * @param {Pattern[]} patterns
   * @param {string} otherwise the text that is shown if the list is empty.
   */
  fill(id, patterns, otherwise) {
    const list = $(id);
    const active = document.activeElement;
    const focused = active instanceof HTMLElement && list.contains(active) ? active.dataset.name : undefined;
    list.replaceChildren(...patterns.map(({ name, meaning }) => {
      const button = element("button", { textContent: name });
      button.dataset.name = name;
      if (meaning) button.append(element("small", { textContent: meaning }));
      if (name === this.current) button.setAttribute("aria-current", "true");
      return element("li", {}, button);
    }));
    if (patterns.length === 0) list.append(element("li", { className: "quiet", textContent: otherwise }));
    if (focused === undefined) return;
    [...list.querySelectorAll("button")].find(({ dataset }) => dataset.name === focused)?.focus();
  }
}
