// The dialogs: for a file name, for unsaved changes, and for a file that another program has changed.

import { $, $dialog, $input, buttons } from "./elements.js";

/** The maximum number of characters of a file that a dialog shows. */
const MOST_SHOWN = 20000;

for (const button of buttons("dialog [data-close]")) {
  button.addEventListener("click", () => button.closest("dialog")?.close());
}

$dialog("conflict").addEventListener("cancel", (event) => event.preventDefault());

/**
 * Asks for the name of a file, adds the extension .ahap, and passes the name to a callback.
 * @param {string} title
 * @param {string} verb the text of the confirmation button.
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
      $("name-error").textContent = "A name must not be empty, contain a slash, or begin with a period.";
      return;
    }
    if (/\.haptic$/i.test(text)) {
      $("name-error").textContent = "The studio writes AHAP: enter a name with the extension .ahap or none.";
      return;
    }
    dialog.close();
    onName(/\.ahap$/i.test(text) ? text : `${text}.ahap`);
  };
  $("name-done").onclick = done;
  field.onkeydown = (event) => {
    if (event.key !== "Enter") return;
    // Without this call, the same key press would also press the button that regains the focus.
    event.preventDefault();
    done();
  };
  if (!dialog.open) dialog.showModal();
  field.setSelectionRange(0, proposal.replace(/\.ahap$/, "").length);
  field.focus();
}

/**
 * Asks whether to save or discard unsaved changes.
 * @param {string|null} file
 * @param {() => void} onSave
 * @param {() => void} onDiscard
 */
export function askUnsaved(file, onSave, onDiscard) {
  $("unsaved-text").textContent = `${file} has changes that are not saved. `
    + `If you continue without saving, they are stored in the list under the name ${file}.unsaved.`;
  const answer = (/** @type {() => void} */ action) => () => {
    $dialog("unsaved").close();
    action();
  };
  $("unsaved-save").onclick = answer(onSave);
  $("unsaved-discard").onclick = answer(onDiscard);
  $dialog("unsaved").showModal();
}

/**
 * Asks for confirmation before a file is deleted.
 * @param {string} file
 * @param {() => void} onDelete
 */
export function askDelete(file, onDelete) {
  $("delete-text").textContent = `${file} is removed from the folder. This cannot be undone.`;
  $("delete-done").onclick = () => {
    $dialog("delete").close();
    onDelete();
  };
  $dialog("delete").showModal();
}

/**
 * Requests a choice between two versions of a file, and shows the text of the version on disk. The dialog cannot be
 * closed without an answer.
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
