// The library: the files of the folder, and the patterns that come with Haptic Bridge.

import { element } from "./list.js";

/** The end of the name of a text that was not saved and is kept. */
export const KEPT = /\.unsaved(-\d+)?$/;

/** Lists patterns, searches them and opens one. */
export class Library {
  constructor() {
    /** What the user asks for: `open`, `rename` and `remove` receive the name of a pattern. */
    this.actions = {};
    this.files = [];
    this.named = [];
    this.current = null;
    this.isNew = false;
    this.search = document.getElementById("search");
    this.search.addEventListener("input", () => this.update());
    for (const id of ["files", "named"]) {
      document.getElementById(id).addEventListener("click", (event) => {
        const button = event.target.closest("button");
        if (button) this.actions.open(button.dataset.name);
      });
    }
    this.tools = ["rename", "remove"].map((id) => document.getElementById(id));
    for (const button of this.tools) button.addEventListener("click", () => this.actions[button.id](this.current));
  }

  show(changes) {
    Object.assign(this, changes);
    this.update();
  }

  update() {
    const words = this.search.value.trim().toLowerCase().split(/\s+/);
    const isFound = (text) => words.every((word) => text.toLowerCase().includes(word));
    const otherwise = this.files.length === 0 && !this.isNew ? "No pattern yet. What you make is saved here." : "No pattern has these words.";
    const files = this.files.map((name) => ({ name, meaning: KEPT.test(name) ? "kept, not saved" : undefined }));
    for (const button of this.tools) button.disabled = !this.files.includes(this.current);
    // What is new has no file yet, and is the user's all the same.
    if (this.isNew && !this.files.includes(this.current)) files.push({ name: this.current, meaning: "not saved yet" });
    this.fill("files", files.filter(({ name }) => isFound(name)), otherwise);
    this.fill("named", this.named.filter(({ name, meaning }) => isFound(`${name} ${meaning ?? ""}`)), "No pattern has these words.");
  }

  fill(id, patterns, otherwise) {
    const list = document.getElementById(id);
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.name : null;
    list.replaceChildren(...patterns.map(({ name, meaning }) => {
      const button = element("button", { textContent: name });
      button.dataset.name = name;
      if (meaning) button.append(element("small", { textContent: meaning }));
      if (name === this.current) button.setAttribute("aria-current", "true");
      return element("li", {}, button);
    }));
    if (patterns.length === 0) list.append(element("li", { className: "quiet", textContent: otherwise }));
    if (focused !== null) [...list.querySelectorAll("button")].find(({ dataset }) => dataset.name === focused)?.focus();
  }
}
