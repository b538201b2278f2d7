// Connects the parts of the page, and contains the state that these parts share.

import { Comparison } from "./abx.js";
import { Editor } from "./editing.js";
import { $, $canvas, $input } from "./elements.js";
import { Files } from "./files.js";
import { Gestures } from "./gestures.js";
import { Library } from "./library.js";
import { EventList, Inspector } from "./list.js";
import { Measuring } from "./measuring.js";
import { Model } from "./model.js";
import { Losses, Notes, Problems } from "./notes.js";
import { Player } from "./player.js";
import { Recorder } from "./record.js";
import { Connection } from "./socket.js";
import { Timeline } from "./timeline.js";

/**
 * The state of the open file. `retry` is called after an editable file has been opened, and `afterSave` after the file
 * has been saved.
 * @typedef {{
 *   file: string|null, isSaved: boolean, isReadOnly: boolean, isReadable: boolean, revision: number,
 *   retry: (() => void)|null, afterSave: (() => void)|null,
 * }} FileState
 */

/** The page. */
export class App {
  constructor() {
    /** @type {FileState} */
    this.state = {
      file: null, isSaved: true, isReadOnly: false, isReadable: true, revision: 0, retry: null, afterSave: null,
    };
    /** @type {"edit"|"select"|"pen"} */
    this.tool = "edit";
    /** The grid interval for snapping, in seconds; 0 if times are not snapped. */
    this.snap = 0.01;
    this.isTextStale = false;
    const announce = this.announce.bind(this);
    this.connection = new Connection();
    this.model = new Model();
    this.editor = new Editor(this.model, this.connection, (retry) => this.mayEdit(retry), () => this.changed());
    this.timeline = new Timeline($canvas("timeline"), this.model, this.editor, (view) => this.showView(view));
    this.player = new Player(this.connection, this.timeline, announce);
    this.library = new Library();
    this.files = new Files(this.state, this.connection, this.library);
    this.comparison = new Comparison(this.connection, announce);
    this.list = new EventList(this.model, this.editor, announce);
    this.inspector = new Inspector(this.model, this.editor);
    this.recorder = new Recorder();
    this.notes = new Notes();
    this.problems = new Problems();
    this.losses = new Losses(this.timeline, (time) => this.reveal(time));
    this.measuring = new Measuring(this.player, this.timeline, announce, (time) => this.reveal(time));
    this.gestures = new Gestures(this.timeline, this.model, this.editor, this.player, this);
  }

  /**
   * Shows text below the timeline. If `isQuiet` is true, screen readers do not read the text aloud; a quiet text may
   * change many times per second.
   * @param {string} text
   * @param {boolean} [isQuiet]
   */
  announce(text, isQuiet = false) {
    $("hint").textContent = isQuiet ? text : "";
    $("status").classList.toggle("hidden", isQuiet);
    if (!isQuiet) $("status").textContent = text;
  }

  /**
   * Describes the selection below the timeline.
   * @param {string} [otherwise] the text if nothing is selected.
   */
  announceSelection(otherwise = "") {
    this.announce(this.editor.inWords() ?? otherwise);
  }

  /** Returns true and informs the user if the tool is disconnected. */
  isLost() {
    const { isLost } = this.connection;
    if (isLost) this.announce("bridge studio does not answer: nothing can be changed or played until it does.");
    return isLost;
  }

  /**
   * Returns true if edits are possible. If no editable file is open, asks the user to create one, and calls `retry`
   * afterwards.
   * @param {(() => void)|null} [retry]
   */
  mayEdit(retry = null) {
    const { state } = this;
    if (this.isLost()) return false;
    if (state.file === null) {
      state.retry = retry;
      this.connection.send({ type: "new", file: this.files.unusedName("untitled") });
      return false;
    }
    if (!state.isReadable) {
      this.announce("This file cannot be read as AHAP. Fix the listed problems with a text editor.");
      return false;
    }
    if (!state.isReadOnly) return true;
    state.retry = retry;
    this.announce("This pattern is read-only. Save it under a new name to change it.");
    this.files.saveAs();
    return false;
  }

  /**
   * Scrolls to a time, and moves the playhead to that time.
   * @param {number} time
   */
  reveal(time) {
    this.timeline.view.reveal(time);
    this.player.setPlayhead(time);
    this.timeline.viewChanged();
  }

  cancelRecording() {
    if (!this.recorder.isOn) return;
    this.recorder.finish(0, performance.now());
    this.showRecording("The recording was canceled.");
  }

  // ---- Display

  /**
   * Updates the state of the recording button and shows text.
   * @param {string} words
   */
  showRecording(words) {
    this.announce(words);
    this.player.press("record", this.recorder.isOn);
    $("record").textContent = this.recorder.isOn ? "End recording" : "Record";
  }

  /** Displays a change to the pattern or to the selection. Texts are updated in the next frame, not during a drag. */
  changed() {
    this.timeline.eventsChanged();
    if (this.editor.move || this.isTextStale) return;
    this.isTextStale = true;
    requestAnimationFrame(() => {
      this.isTextStale = false;
      this.inspector.update();
      this.list.update();
      this.showEmpty();
      this.showView(this.timeline.view);
    });
  }

  showEmpty() {
    $("empty").hidden = this.model.items.length > 0 || !this.state.isReadable;
  }

  /** @param {import("./view.js").View} view */
  showView(view) {
    const length = Math.max(this.timeline.length, view.end);
    $input("scroll").max = String(Math.max(length - (view.end - view.start), 0.001));
    $input("scroll").value = String(view.start);
    $("shown").textContent = `${Math.max(view.start, 0).toFixed(2)} to ${view.end.toFixed(2)} s`;
  }
}
