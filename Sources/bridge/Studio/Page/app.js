// @ts-check
// The parts of the page, and what they share: the state of the open file, and what the user is told.

import { Comparison } from "./abx.js";
import { Editor } from "./editing.js";
import { $, $canvas, $input } from "./elements.js";
import { Files } from "./files.js";
import { Gestures } from "./gestures.js";
import { Library } from "./library.js";
import { EventList, Inspector } from "./list.js";
import { Model } from "./model.js";
import { Losses, Notes, Problems } from "./notes.js";
import { Player } from "./player.js";
import { Recorder } from "./record.js";
import { Connection } from "./socket.js";
import { Timeline } from "./timeline.js";

/**
 * What the page knows of the open file. `retry` is called when a file is open that can be edited, and `afterSave` when
 * the file is saved.
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
    /** The distance of the times to which the pointer snaps, in seconds; 0 for none. */
    this.snap = 0.01;
    this.isTextStale = false;
    const say = this.say.bind(this);
    this.connection = new Connection();
    this.model = new Model();
    this.editor = new Editor(this.model, this.connection, (retry) => this.mayEdit(retry), () => this.changed());
    this.timeline = new Timeline($canvas("timeline"), this.model, this.editor, (view) => this.showView(view));
    this.player = new Player(this.connection, this.timeline, say);
    this.library = new Library();
    this.files = new Files(this.state, this.connection, this.library);
    this.comparison = new Comparison(this.connection, say);
    this.list = new EventList(this.model, this.editor, say);
    this.inspector = new Inspector(this.model, this.editor);
    this.recorder = new Recorder();
    this.notes = new Notes();
    this.problems = new Problems();
    this.losses = new Losses(this.timeline, (time) => this.reveal(time));
    this.gestures = new Gestures(this.timeline, this.model, this.editor, this.player, this);
  }

  /**
   * Says something in the line below the time line. What changes many times a second is not read aloud.
   * @param {string} text
   * @param {boolean} [isQuiet]
   */
  say(text, isQuiet = false) {
    $("hint").textContent = isQuiet ? text : "";
    $("status").classList.toggle("hidden", isQuiet);
    if (!isQuiet) $("status").textContent = text;
  }

  /**
   * Says what is selected.
   * @param {string} [otherwise] the text if nothing is.
   */
  saySelection(otherwise = "") {
    this.say(this.editor.inWords() ?? otherwise);
  }

  /** Returns whether the tool is missing, and tells the user if it is. */
  isLost() {
    const { isLost } = this.connection;
    if (isLost) this.say("bridge studio does not answer: nothing can be changed or played until it does.");
    return isLost;
  }

  /**
   * Returns whether edits are possible. If not, the user gets a file of their own where there is none, and `retry` is
   * called.
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
      this.say("This file cannot be read as AHAP. The problems at the side say where; fix it with a text editor.");
      return false;
    }
    if (!state.isReadOnly) return true;
    state.retry = retry;
    this.say("This pattern is for reading. Save it under a name of your own to change it.");
    this.files.saveAs();
    return false;
  }

  /**
   * Shows a time, and moves the playhead there.
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
    this.showRecording("The recording was cancelled.");
  }

  // ---- What is shown

  /**
   * Shows whether a recording is going on.
   * @param {string} words
   */
  showRecording(words) {
    this.say(words);
    this.player.press("record", this.recorder.isOn);
    $("record").textContent = this.recorder.isOn ? "End recording" : "Record";
  }

  /** Shows a change of the pattern or the selection. Texts follow with the next frame, and not during a drag. */
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
