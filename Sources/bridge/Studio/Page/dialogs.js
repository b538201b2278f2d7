// The dialogs: a name for a file, changes that are not saved, and a file that changed elsewhere.

/** The most characters of a file that a dialog shows. */
const MOST_SHOWN = 20000;
const $ = (id) => document.getElementById(id);

for (const button of document.querySelectorAll("dialog [data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}

/**
 * Asks for the name of a file, and calls back with it; the ending .ahap is added.
 * @param {string} verb what the button that ends the dialog says.
 */
export function askName(title, verb, proposal, onName) {
  const dialog = $("name");
  const field = $("name-field");
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

/** Asks what becomes of changes that are not saved. */
export function askUnsaved(file, onSave, onDiscard) {
  $("unsaved-text").textContent = `${file} has changes that are not saved. If you go on without saving, they are kept in the list under the name ${file}.unsaved.`;
  const answer = (action) => () => {
    $("unsaved").close();
    action();
  };
  $("unsaved-save").onclick = answer(onSave);
  $("unsaved-discard").onclick = answer(onDiscard);
  $("unsaved").showModal();
}

/** Asks whether a file is to be deleted. */
export function askDelete(file, onDelete) {
  $("delete-text").textContent = `${file} is removed from the folder. That cannot be undone.`;
  $("delete-done").onclick = () => {
    $("delete").close();
    onDelete();
  };
  $("delete").showModal();
}

/** Asks which of two versions of a file counts, and shows the text of the other one. Cannot be left without an answer. */
export function askConflict(question, text, onDisk, onMine) {
  const dialog = $("conflict");
  $("conflict-text").textContent = question;
  $("other").textContent = text.slice(0, MOST_SHOWN);
  const answer = (action) => () => {
    dialog.close();
    action();
  };
  $("take-disk").onclick = answer(onDisk);
  $("keep-mine").onclick = answer(onMine);
  dialog.oncancel = (event) => event.preventDefault();
  if (!dialog.open) dialog.showModal();
}
