// @ts-check
// Copying, cutting and pasting events as text, also from and to other programs.

import { closest } from "./elements.js";

/**
 * Lets the browser's own commands copy, cut and paste events.
 * @param {import("./app.js").App} app
 */
export function followClipboard(app) {
  const { editor, player } = app;
  const copy = (/** @type {ClipboardEvent} */ event) => {
    if (closest(event, "input") || editor.selection.size === 0) return;
    event.preventDefault();
    event.clipboardData?.setData("text/plain", JSON.stringify(editor.copies(), null, 2));
    app.say(`${editor.inWords()}: ${event.type === "cut" ? "cut" : "copied"}.`);
    if (event.type === "cut") editor.remove();
  };
  document.addEventListener("copy", copy);
  document.addEventListener("cut", copy);
  document.addEventListener("paste", (event) => {
    if (closest(event, "input")) return;
    event.preventDefault();
    if (app.isLost()) return;
    const entries = entriesOf(event.clipboardData?.getData("text/plain") ?? "");
    if (entries.length > 0) {
      editor.paste(entries, player.playhead);
      app.saySelection();
    } else app.say("What was copied is not part of a pattern.");
  });
}

/**
 * Returns the entries that a text has: a list of them, or a whole AHAP file.
 * @param {string} text
 * @returns {import("./model.js").Entry[]}
 */
function entriesOf(text) {
  try {
    const value = JSON.parse(text);
    const entries = Array.isArray(value) ? value : value?.Pattern;
    return Array.isArray(entries) ? entries.filter((entry) => entry && typeof entry === "object") : [];
  } catch {
    return [];
  }
}
