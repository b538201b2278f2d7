// Performs the actions of keys and buttons, one method for each action.

import { $, $button, $dialog, buttons } from "./elements.js";
import { newBuzz, newCurve, newTap } from "./model.js";

/** The actions that need no connection to the tool, because they neither change the pattern nor start a playback. */
const HARMLESS = new Set(["stop", "step", "stepAdding", "selectAll", "jump", "zoom", "fit", "scroll", "help"]);
/** The factor of one zoom step. */
export const ZOOM = 1.5;

/** Performs actions. Some actions have an argument, which is a signed step or an edge. */
export class Commands {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    const { player, editor, files, comparison, timeline } = app;
    /** @type {Record<string, (argument: any) => void>} */
    this.actions = {
      play: () => player.toggle(), stop: () => this.stop(),
      hold: () => player.toggleHold(editor.startOfSelection() ?? player.playhead),
      step: (direction) => this.step(direction, false), stepAdding: (direction) => this.step(direction, true),
      moveTime: (seconds) => this.moveTime(seconds), changeIntensity: (step) => this.nudge({ intensity: step }),
      changeSharpness: (step) => this.nudge({ sharpness: step }),
      changeDuration: (step) => this.nudge({ duration: step }),
      addTap: () => this.add(newTap(player.playhead)), addBuzz: () => this.add(newBuzz(player.playhead, 0.3)),
      addCurve: () => this.addCurve(), record: () => this.record(),
      remove: () => app.announce(`${editor.remove()} removed.`), selectAll: () => this.selectAll(),
      duplicate: () => this.duplicate(), undo: () => this.travel("undo"), redo: () => this.travel("redo"),
      save: () => files.save(), saveAs: () => files.saveAs(), create: () => files.create(),
      chooseTool: (tool) => this.chooseTool(tool), swap: () => comparison.swap(), loop: () => player.toggleLoop(),
      mark: (edge) => player.mark(edge), mute: () => player.toggleMute(), measure: () => app.measuring.toggle(),
      jump: (edge) => this.jump(edge === "end" ? timeline.length : 0),
      zoom: (factor) => this.zoom(factor), fit: () => timeline.fit(), scroll: (pages) => this.scroll(pages),
      search: () => $("search").focus(), help: () => $dialog("keys").showModal(),
    };
  }

  /**
   * Performs the action with the given name.
   * @param {string} action
   * @param {unknown} [argument]
   */
  act(action, argument) {
    if (HARMLESS.has(action) || !this.app.isLost()) this.actions[action](argument);
  }

  // ---- Selecting and editing

  /**
   * @param {-1|1} direction
   * @param {boolean} isAdded
   */
  step(direction, isAdded) {
    const { editor, timeline } = this.app;
    this.app.announce(editor.step(direction, isAdded) ?? "There is nothing to select.");
    const start = editor.startOfSelection();
    if (start !== null && timeline.view.reveal(start)) timeline.viewChanged();
  }

  selectAll() {
    this.app.editor.selectAll();
    this.app.announceSelection("There is nothing to select.");
  }

  /**
   * Moves the selection. If nothing is selected, moves the playhead ten times as far.
   * @param {number} seconds
   */
  moveTime(seconds) {
    if (this.app.editor.selection.size > 0) this.nudge({ time: seconds });
    else this.jump(this.app.player.playhead + seconds * 10);
  }

  /** @param {import("./editing.js").Delta} delta */
  nudge(delta) {
    if (this.app.editor.selection.size === 0) return;
    this.app.editor.nudge(delta);
    this.app.announceSelection();
  }

  duplicate() {
    this.app.editor.duplicate();
    this.app.announceSelection();
  }

  /** @param {import("./model.js").Entry} entry */
  add(entry) {
    this.app.editor.insert([entry]);
    this.app.announceSelection();
  }

  /**
   * Adds a curve, initially without effect, over the selection or the marked range, or at the playhead.
   */
  addCurve() {
    const { player: { playhead }, editor, model, timeline } = this.app;
    const chosen = editor.selectedRefs().map(({ index }) => model.items[index]);
    const items = chosen.length > 0 ? chosen : model.between(playhead, playhead).filter(({ kind }) => kind === "buzz");
    const [start, end] = [Math.min(...items.map(({ time }) => time)), Math.max(...items.map((item) => item.end))];
    const span = end > start ? { start, end } : timeline.loop ?? { start: playhead, end: playhead + 1 };
    const times = [span.start, (span.start + span.end) / 2, span.end];
    this.add(newCurve("HapticIntensityControl", times.map((time) => ({ time, value: 1 }))));
  }

  /**
   * Undoes the last step, or redoes the most recently undone step.
   * @param {"undo"|"redo"} type
   */
  travel(type) {
    const { connection } = this.app;
    if ($button(type).disabled && connection.isIdle) this.app.announce(`There is nothing to ${type}.`);
    else connection.send({ type });
  }

  /** @param {"edit"|"select"|"pen"} tool */
  chooseTool(tool) {
    this.app.tool = tool;
    for (const button of buttons("[data-tool]")) {
      const isChosen = button.dataset.tool === tool;
      button.setAttribute("aria-checked", String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
      if (isChosen) this.app.announce(`${button.textContent}: ${button.title}`);
    }
  }

  // ---- Playing and recording

  /**
   * Moves the playhead, and shows the designed levels at the new time as text.
   * @param {number} time
   */
  jump(time) {
    const { player, timeline } = this.app;
    player.setPlayhead(time);
    this.app.announce(`Playhead at ${timeline.inWords(player.playhead)}.`);
  }

  /** Starts a recording, or ends it and inserts the recorded events. */
  record() {
    const { recorder, player, editor } = this.app;
    if (recorder.isOn) {
      const entries = recorder.finish(player.playhead, performance.now());
      editor.insert(entries);
      this.app.showRecording(`${entries.length} recorded.`);
    } else if (this.app.mayEdit()) {
      recorder.start();
      this.app.showRecording("Recording: tap with the space bar, a letter or on the timeline; a long press is a buzz. "
        + "R ends the recording; Escape cancels it.");
    }
  }

  stop() {
    const { gestures, editor, player } = this.app;
    this.app.cancelRecording();
    const isReleased = editor.selection.size > 0 && !player.isPlaying && !player.isHolding;
    if (!gestures.cancel() && isReleased) editor.select([]);
    player.stop();
  }

  // ---- Visible range

  /** @param {number} factor */
  zoom(factor) {
    this.app.timeline.view.zoom(factor);
    this.app.timeline.viewChanged();
  }

  /** @param {number} pages the number of pages; a negative number scrolls backwards. */
  scroll(pages) {
    const { view } = this.app.timeline;
    view.scroll(pages * 0.9 * (view.end - view.start));
    this.app.timeline.viewChanged();
  }
}
