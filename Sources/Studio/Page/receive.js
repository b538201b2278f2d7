// Shows the messages from the tool, and whether the connection to the tool was lost.

import { askConflict } from "./dialogs.js";
import { $, $button, write } from "./elements.js";
import { showLoss } from "./notes.js";
import { STRANGER } from "./socket.js";
import { difference } from "./words.js";

/** @typedef {import("./messages.js").ToolMessage} ToolMessage */
/** @typedef {import("./messages.js").Document} DocumentMessage */
/** @typedef {import("./words.js").Version} Version */

const UNREADABLE = "see the list of problems";
const RESTARTED = "bridge studio was restarted and does not accept this page yet. Open the latest address that it has "
  + "printed in the terminal; this page then also continues.";
const SILENT = "bridge studio does not answer: nothing can be changed or played until it does. If it has ended, "
  + "start it again and open the address that it prints.";

/** Displays the messages from the tool. */
export class Receiver {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
  }

  /** @param {ToolMessage} message */
  receive(message) {
    const { library, timeline, losses, player, comparison, measuring } = this.app;
    switch (message.type) {
      case "hello": return this.showHello(message);
      case "files": return library.show({ files: message.files });
      case "document": return this.showDocument(message);
      case "ack": return this.showState(message);
      case "closed":
        // The tool sends the message `rest` next.
        player.ended = `${this.app.state.file} is deleted. `;
        return this.close(player.ended);
      case "conflict": return this.showConflict(message);
      case "error": return this.showProblem(message);
      case "board": return this.showBoard(message);
      case "position": return this.showPosition(message);
      case "rest": return player.rest(message);
      case "design": return timeline.show(message);
      case "prediction":
        timeline.predict(message);
        return losses.show();
      case "measurement": return measuring.show(message);
      case "abx": return comparison.score(message.state);
      default: return undefined;
    }
  }

  /** @param {import("./messages.js").Hello} message */
  showHello({ files, named, current }) {
    const { state, library, connection } = this.app;
    library.show({ files, named });
    this.app.showEmpty();
    // After a restart, the tool has no open file.
    if (current !== undefined || state.file === null) return;
    const { file } = state;
    this.close(`bridge studio was restarted, and ${file} is no longer open.`);
    const isKnown = files.includes(file) || named.some(({ name }) => name === file);
    if (isKnown) connection.send({ type: "open", file });
  }

  /** @param {import("./messages.js").Position} message */
  showPosition(message) {
    if (message.isPlaying) this.app.notes.settle("playing");
    this.app.player.position(message);
  }

  // ---- The document

  /** @param {DocumentMessage} message */
  showDocument(message) {
    const { state, model, editor, timeline, library, notes } = this.app;
    const isOther = message.file !== state.file;
    const before = { items: model.items, entries: model.entries };
    this.app.gestures.forget();
    editor.move = null;
    if ("document" in message) {
      model.load(message.document);
      state.isReadable = timeline.isReadable = message.document !== null;
    }
    // The indices in the selection are invalid if the number of entries has changed.
    if (model.items.length !== before.items.length) editor.selection.clear();
    if (message.cause === "open") this.begin();
    if (["open", "save", "rename", "disk"].includes(message.cause)) notes.settle();
    Object.assign(state, { file: message.file, isReadOnly: message.isReadOnly });
    library.show({ current: message.file, isNew: !message.isReadOnly });
    this.showState(message);
    if (message.cause === "open" || timeline.view.isFitted) timeline.fit();
    this.app.changed();
    timeline.changed();
    const words = this.causeInWords(message, before);
    if (words !== null) this.app.announce(words);
    this.resume(message, isOther);
  }

  /** Resets the selection, the playback and the comparison for another pattern. */
  begin() {
    const { editor, comparison, timeline, losses } = this.app;
    editor.selection.clear();
    comparison.forget();
    timeline.forget();
    losses.show();
    timeline.playhead = 0;
    timeline.loop = null;
    // The focus leaves the library, so that the next key applies to the pattern.
    if ($("library").contains(document.activeElement)) $("timeline").focus();
  }

  /**
   * Returns a description of the change to the document; null if the change needs no description.
   * @param {DocumentMessage} message
   * @param {Version} before
   */
  causeInWords({ cause, file }, before) {
    const { state: { isReadable }, model } = this.app;
    switch (cause) {
      case "open": return isReadable ? `${file} is open.` : `${file} cannot be read: ${UNREADABLE}.`;
      case "disk":
        if (isReadable) return `${file} was changed by another program and was reloaded.`;
        return `${file} was changed by another program and cannot be read as AHAP: ${UNREADABLE}.`;
      case "save":
        if (!isReadable) return `${file} is saved as it is, with its errors.`;
        if (model.items.length === 0) return `${file} is saved; it is still empty.`;
        return `${file} is saved; to play it from a terminal, use bridge play.`;
      case "rename": return `The file is now called ${file}.`;
      case "lost": return `${file} was deleted or renamed by another program; Save creates it again.`;
      case "emptied": return `${file} was emptied by another program; Save writes it again.`;
      case "unreadable": return `${file} can no longer be read; Save as writes it under another name.`;
      case "undo": return `Undone: ${difference(before, model)}.`;
      case "redo": return `Redone: ${difference(before, model)}.`;
      default: return null;
    }
  }

  /**
   * Performs the action that was deferred until the tool sent this document.
   * @param {DocumentMessage} message
   * @param {boolean} isOther
   */
  resume({ cause }, isOther) {
    const { state } = this.app;
    const { retry, afterSave } = state;
    state.retry = null;
    if (cause === "save" && afterSave) {
      state.afterSave = null;
      afterSave();
    }
    if (retry && isOther && !state.isReadOnly) {
      retry();
      this.app.announceSelection();
    }
  }

  /**
   * Shows that no file is open, and the reason.
   * @param {string} why
   */
  close(why) {
    const { state, notes, gestures, model, editor, comparison, timeline, library, problems, losses } = this.app;
    this.app.announce(why);
    notes.settle();
    gestures.forget();
    model.load({ Pattern: [] });
    editor.selection.clear();
    comparison.forget();
    timeline.forget();
    Object.assign(timeline, { duration: 0, playhead: 0, loop: null, isReadable: true });
    Object.assign(state, { file: null, isSaved: true, isReadOnly: false, isReadable: true });
    library.show({ current: null, isNew: false });
    for (const id of ["undo", "redo", "save"]) $button(id).disabled = true;
    write("title", "No pattern is open");
    write("saved", "");
    document.title = "bridge studio";
    problems.show([]);
    losses.show();
    timeline.fit();
    this.app.changed();
    $("timeline").focus();
  }

  /** @param {import("./messages.js").Acknowledgement | DocumentMessage} message */
  showState({ revision, isSaved, canUndo, canRedo, duration, diagnostics }) {
    const { state, notes, timeline, problems } = this.app;
    if (revision > state.revision) notes.settle("edit");
    Object.assign(state, { revision, isSaved });
    timeline.duration = duration;
    $button("undo").disabled = !canUndo;
    $button("redo").disabled = !canRedo;
    $button("save").disabled = isSaved && !state.isReadOnly;
    write("title", state.file ?? "");
    const words = isSaved ? "saved" : "not saved";
    write("saved", state.isReadOnly ? "read-only; Save as creates a copy" : words);
    $("saved").classList.toggle("dirty", !isSaved);
    const title = `${isSaved ? "" : "• "}${state.file} – bridge studio`;
    if (document.title !== title) document.title = title;
    problems.show(diagnostics);
  }

  // ---- The board and errors

  /** @param {import("./messages.js").Board} board */
  showBoard({ name, actuator, felt, why, unmeasured }) {
    const words = [name, actuator].filter(Boolean).join(", ");
    const absence = `Not felt: ${why ?? "no board is connected"}`;
    $("board").textContent = felt ? `Felt on ${words || "the board"}` : absence;
    $("board").classList.toggle("unfelt", !felt);
    if (felt) this.app.notes.settle("playing");
    this.app.measuring.enable(unmeasured);
  }

  /** @param {import("./messages.js").Conflict} message */
  showConflict({ file, text }) {
    const { state, connection } = this.app;
    state.afterSave = null;
    askConflict(`${file} was saved by another program, and has changes here that are not saved.`, text,
      () => connection.send({ type: "reload", file }), () => connection.send({ type: "keep", file }));
  }

  /** @param {import("./messages.js").Problem} problem */
  showProblem({ message, advice, about }) {
    this.app.state.afterSave = null;
    this.app.notes.show(advice ? `${message}: ${advice}.` : `${message}.`, about ?? "file");
  }

  /**
   * Shows that the tool is disconnected, with the reason, or that it is connected again. Pending actions are discarded
   * after a disconnection, because their results are unknown.
   * @param {import("./socket.js").Loss|null} loss
   */
  showConnection(loss) {
    const { state, gestures, player } = this.app;
    if (loss === null) {
      showLoss(null);
      this.app.announce("bridge studio answers again. The pattern shows its current state.");
      return;
    }
    this.app.cancelRecording();
    gestures.cancel();
    player.lost();
    Object.assign(state, { retry: null, afterSave: null });
    showLoss(loss === STRANGER ? RESTARTED : SILENT);
    write("board", "Not felt: bridge studio does not answer");
    $("board").classList.add("unfelt");
  }
}
