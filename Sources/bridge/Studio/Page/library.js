// The library: the files of the folder, and the patterns that come with Haptic Bridge.

import { element } from "./list.js";

/** Lists patterns, searches them and opens one. */
export class Library {
  /** @param {(name: string) => void} onOpen receives the name of the pattern to open. */
  constructor(onOpen) {
    this.files = [];
    this.named = [];
    this.current = null;
    this.search = document.getElementById("search");
    this.search.addEventListener("input", () => this.update());
    for (const id of ["files", "named"]) {
      document.getElementById(id).addEventListener("click", (event) => {
        const button = event.target.closest("button");
        if (button) onOpen(button.dataset.name);
      });
    }
  }

  show(changes) {
    Object.assign(this, changes);
    this.update();
  }

  update() {
    const words = this.search.value.trim().toLowerCase().split(/\s+/);
    const isFound = (text) => words.every((word) => text.toLowerCase().includes(word));
    this.fill("files", this.files.filter(isFound).map((name) => ({ name })), "No pattern. The button New makes one.");
    this.fill("named", this.named.filter(({ name, meaning }) => isFound(`${name} ${meaning ?? ""}`)), "No pattern has these words.");
  }

  fill(id, patterns, otherwise) {
    const list = document.getElementById(id);
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.name : null;
    list.replaceChildren(...patterns.map(({ name, meaning }) => {
      const button = element("button", { textContent: name });
      button.dataset.name = name;
      if (name === this.current) button.setAttribute("aria-current", "true");
      if (meaning) button.append(element("small", { textContent: meaning }));
      return element("li", {}, button);
    }));
    if (patterns.length === 0) list.append(element("li", { textContent: otherwise }));
    if (focused !== null) [...list.querySelectorAll("button")].find(({ dataset }) => dataset.name === focused)?.focus();
  }
}
