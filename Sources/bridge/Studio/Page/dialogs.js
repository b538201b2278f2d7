// @ts-check
// The dialogs: a name for a file, changes that are not saved, and a file that changed elsewhere.

import { $, $dialog, $input, buttons } from "./elements.js";

/** The most characters of a file that a dialog shows. */
const MOST_SHOWN = 20000;

for (const button of buttons("dialog [data-close]")) {
  button.addEventListener("click", () => button.closest("dialog")?.close());
}

$dialog("conflict").addEventListener("cancel", (event) => event.preventDefault());

/**
 * Asks for the name of a file, and calls back with it; the ending .ahap is added.
 * @param {string} title
 * @param {string} verb what the button that ends the dialog says.
 * @param {string} proposal
 * @param {(name: string) => void} onName
 */
export function askName(title, verb, proposal, onName) {
  const dialog = $dialog("name");
  const field = $input("name-field");
  $("name-title").textContent = title;
  $("name-done").textContent = verb;
  $("name-error").textContent = "";
  field.value = proposal;
  const done = () => {
    const text = field.value.trim();
    if (text === "" || /[/\\\0]/.test(text) || text.startsWith(".")) {
      $("name-error").textContent = "A name has letters, no slash, and does not begin with a full stop.";
      return;
    }
    if (/\.haptic$/i.test(text)) {
      $("name-error").textContent = "The studio writes AHAP: give a name that ends in .ahap, or one without an ending.";
      return;
    }
    dialog.close();
    onName(/\.ahap$/i.test(text) ? text : `${text}.ahap`);
  };
  $("name-done").onclick = done;
  field.onkeydown = (event) => {
    if (event.key !== "Enter") return;
    // Without this, the button that gets the focus back would be pressed by the same key.
    event.preventDefault();
    done();
  };
  if (!dialog.open) dialog.showModal();
  field.setSelectionRange(0, proposal.replace(/\.ahap$/, "").length);
  field.focus();
}

/**
 * Asks what becomes of changes that are not saved.
 * @param {string|null} file
 * @param {() => void} onSave
 * @param {() => void} onDiscard
 */
export function askUnsaved(file, onSave, onDiscard) {
  $("unsaved-text").textContent = `${file} has changes that are not saved. `
    + `If you go on without saving, they are kept in the list under the name ${file}.unsaved.`;
  const answer = (/** @type {() => void} */ action) => () => {
    $dialog("unsaved").close();
    action();
  };
  $("unsaved-save").onclick = answer(onSave);
  $("unsaved-discard").onclick = answer(onDiscard);
  $dialog("unsaved").showModal();
}

/**
 * Asks whether a file is to be deleted.
 * @param {string} file
 * @param {() => void} onDelete
 */
export function askDelete(file, onDelete) {
  $("delete-text").textContent = `${file} is removed from the folder. That cannot be undone.`;
  $("delete-done").onclick = () => {
    $dialog("delete").close();
    onDelete();
  };
  $dialog("delete").showModal();
}

/**
 * Asks which of two versions of a file counts, and shows the text of the other one. Cannot be left without an answer.
 * @param {string} question
 * @param {string} text
 * @param {() => void} onDisk
 * @param {() => void} onMine
 */
export function askConflict(question, text, onDisk, onMine) {
  const dialog = $dialog("conflict");
  $("conflict-text").textContent = question;
  $("other").textContent = text.slice(0, MOST_SHOWN);
  const answer = (/** @type {() => void} */ action) => () => {
    dialog.close();
    action();
  };
  $("take-disk").onclick = answer(onDisk);
  $("keep-mine").onclick = answer(onMine);
  if (!dialog.open) dialog.showModal();
}
