// Creates, opens, saves, renames and deletes files. Before closing a file with unsaved changes, asks the user whether
// to save or discard them.

import { askDelete, askName, askUnsaved } from "./dialogs.js";
import { KEPT } from "./library.js";

/**
 * Returns the name of a pattern without the extension; for a file of unsaved text, the name of the pattern that the
 * text belongs to.
 * @param {string} name
 */
function stem(name) {
  return name.replace(KEPT, "").replace(/\.ahap$/, "");
}

/** Sends requests to the tool to open, save, rename and delete files. */
export class Files {
  /**
   * @param {import("./app.js").FileState} state
   * @param {import("./socket.js").Connection} connection
   * @param {import("./library.js").Library} library
   */
  constructor(state, connection, library) {
    this.state = state;
    this.connection = connection;
    this.library = library;
    library.actions.open = (name) => this.open(name);
    library.actions.rename = (name) => this.rename(name);
    library.actions.remove = (name) => this.remove(name);
  }

  /**
   * Performs an action that closes the open file, after asking about unsaved changes. If the user chooses to save, the
   * action is performed after the save; if the save fails, the file stays open.
   * @param {(mayLose: boolean) => void} action called with true if the unsaved changes may be lost.
   */
  leaving(action) {
    this.state.afterSave = null;
    if (this.state.isSaved) {
      action(false);
      return;
    }
    askUnsaved(this.state.file, () => {
      this.state.afterSave = () => action(false);
      this.connection.send({ type: "save" });
    }, () => action(true));
  }

  create() {
    this.leaving((mayLose) => askName("New pattern", "Create", this.unusedName("untitled"),
      (file) => this.connection.send({ type: "new", file, mayLose })));
  }

  /** @param {string} name */
  open(name) {
    this.leaving((mayLose) => this.connection.send({ type: "open", file: name, mayLose }));
  }

  save() {
    if (this.state.isReadOnly || this.state.file === null) this.saveAs(); else this.connection.send({ type: "save" });
  }

  saveAs() {
    const name = stem(this.state.file ?? "untitled");
    askName("Save as", "Save", this.unusedName(name), (file) => this.connection.send({ type: "saveAs", file }));
  }

  /** @param {string} name */
  rename(name) {
    const proposal = name.endsWith(".ahap") ? stem(name) : stem(this.unusedName(stem(name)));
    askName(`Rename ${name}`, "Rename", proposal, (to) => {
      if (to !== name) this.connection.send({ type: "rename", file: name, to });
    });
  }

  /** @param {string} name */
  remove(name) {
    askDelete(name, () => this.connection.send({ type: "delete", file: name }));
  }

  /**
   * Returns a name that is not used in the folder.
   * @param {string} name
   */
  unusedName(name) {
    for (let number = 1; ; number += 1) {
      const file = number === 1 ? `${name}.ahap` : `${name}-${number}.ahap`;
      if (!this.library.files.includes(file)) return file;
    }
  }
}
