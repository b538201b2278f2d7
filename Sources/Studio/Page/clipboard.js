// Copies, cuts and pastes events as text, within the page and between programs.

import { closest } from "./elements.js";

/**
 * Handles the browser commands for copy, cut and paste.
 * @param {import("./app.js").App} app
 */
export function followClipboard(app) {
  const { editor, player } = app;
  const copy = (/** @type {ClipboardEvent} */ event) => {
    if (closest(event, "input") || editor.selection.size === 0) return;
    event.preventDefault();
    event.clipboardData?.setData("text/plain", JSON.stringify(editor.copies(), null, 2));
    app.announce(`${editor.inWords()}: ${event.type === "cut" ? "cut" : "copied"}.`);
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
      app.announceSelection();
    } else app.announce("The clipboard does not contain part of a pattern.");
  });
}

/**
 * Returns the entries in a text, which is a list of entries or a complete AHAP file.
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
