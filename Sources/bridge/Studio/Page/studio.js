// The page: puts its parts together, and does what the tool and the user say.

import { Comparison } from "./abx.js";
import { followClipboard } from "./clipboard.js";
import { askConflict, askDelete, askName, askUnsaved } from "./dialogs.js";
import { Editor } from "./editing.js";
import { Gestures } from "./gestures.js";
import { fillHelp, followKeys } from "./keys.js";
import { KEPT, Library } from "./library.js";
import { element, EventList, Inspector } from "./list.js";
import { Model, newBuzz, newCurve, newTap } from "./model.js";
import { Player } from "./player.js";
import { followPresses, Recorder } from "./record.js";
import { Connection } from "./socket.js";
import { Timeline } from "./timeline.js";

const $ = (id) => document.getElementById(id);
const state = { file: null, isSaved: true, isReadOnly: false, isReadable: true, retry: null, afterSave: null, problems: null };

/** Says something in the line below the time line. What changes many times a second is not read aloud. */
function say(text, isQuiet = false) {
  $("hint").textContent = isQuiet ? text : "";
  $("status").classList.toggle("hidden", isQuiet);
  if (!isQuiet) $("status").textContent = text;
}

const connection = new Connection(receive, connected);
const model = new Model();
const editor = new Editor(model, connection, mayEdit, changed);
const timeline = new Timeline($("timeline"), model, editor, showView);
const player = new Player(connection, timeline, say);
const library = new Library({ open, rename, remove });
const comparison = new Comparison(connection, say);
const list = new EventList(model, editor, say);
const inspector = new Inspector(model, editor);
const recorder = new Recorder();
const host = {
  tool: "edit", snap: 0.01, say,
  scrub: (time) => player.scrub(time), hold: (time) => player.hold(time), release: () => player.release(),
  setLoop: (start, end) => player.setLoop({ start, end }), setPlayhead: (time) => player.setPlayhead(time),
};
const gestures = new Gestures(timeline, model, editor, host);

// ---- What the user may do

/** Whether edits are possible. If not, the user gets a file of their own where there is none, and `retry` is called. */
function mayEdit(retry = null) {
  if (state.file === null) {
    state.retry = retry;
    connection.send({ type: "new", file: unusedName("untitled") });
  } else if (!state.isReadable) say("This file cannot be read as AHAP. The problems at the side say where; mend it with a text editor.");
  else if (state.isReadOnly) {
    state.retry = retry;
    say("This pattern is for reading. Save it under a name of your own to change it.");
    saveAs();
  } else return true;
  return false;
}

/**
 * Does something that leaves the open file, after asking if it has changes. What is to be saved before is left once it is
 * saved; if that fails, the file stays open. The action is told whether the changes may be lost.
 */
function leaving(action) {
  state.afterSave = null;
  if (state.isSaved) action(false);
  else askUnsaved(state.file, () => { state.afterSave = () => action(false); connection.send({ type: "save" }); }, () => action(true));
}

function create() {
  leaving((mayLose) => askName("New pattern", "Make it", unusedName("untitled"), (file) => connection.send({ type: "new", file, mayLose })));
}

function saveAs() {
  const name = stem(state.file ?? "untitled");
  askName("Save as", "Save", unusedName(name), (file) => connection.send({ type: "saveAs", file }));
}

function open(name) {
  leaving((mayLose) => {
    $("note").hidden = true;
    connection.send({ type: "open", file: name, mayLose });
  });
}

/** The name of a pattern without its ending, or of the pattern of which a text is kept. */
function stem(name) {
  return name.replace(KEPT, "").replace(/\.ahap$/, "");
}

function rename(name) {
  const proposal = name.endsWith(".ahap") ? stem(name) : stem(unusedName(stem(name)));
  askName(`Rename ${name}`, "Rename", proposal, (to) => {
    if (to !== name) connection.send({ type: "rename", file: name, to });
  });
}

function remove(name) {
  askDelete(name, () => connection.send({ type: "delete", file: name }));
}

function save() {
  if (state.isReadOnly || state.file === null) saveAs(); else connection.send({ type: "save" });
}

/** Returns a name that no file of the folder has. */
function unusedName(name) {
  for (let number = 1; ; number += 1) {
    const file = number === 1 ? `${name}.ahap` : `${name}-${number}.ahap`;
    if (!library.files.includes(file)) return file;
  }
}

// ---- What the tool says

function receive(message) {
  ({
    hello, document: opened, closed, ack, board: showBoard, conflict, error, files: ({ files }) => library.show({ files }),
    design: (design) => timeline.show(design),
    prediction: (prediction) => { timeline.predict(prediction); showLosses(); },
    position: (position) => player.position(position), rest: (rest) => player.rest(rest),
    abx: ({ state }) => comparison.score(state),
  })[message.type]?.(message);
}

function hello({ files, named, board }) {
  library.show({ files, named });
  showBoard(board);
  showEmpty();
}

function opened(message) {
  const isOther = message.file !== state.file;
  gestures.forget();
  editor.move = null;
  const count = model.items.length;
  if ("document" in message) model.load(message.document);
  if ("document" in message) state.isReadable = timeline.isReadable = message.document !== null;
  // With other entries, their numbers mean something else.
  if (model.items.length !== count) editor.selection.clear();
  if (message.cause === "open") {
    editor.selection.clear();
    comparison.forget();
    timeline.forget();
    showLosses();
    timeline.playhead = 0;
    // The next key is about the pattern, not about the library.
    if ($("library").contains(document.activeElement)) $("timeline").focus();
    timeline.loop = null;
  }
  if (message.cause === "save") $("note").hidden = true;
  Object.assign(state, { file: message.file, isReadOnly: message.isReadOnly });
  library.show({ current: message.file, isNew: !message.isReadOnly });
  ack(message);
  if (message.cause === "open" || timeline.view.isFitted) timeline.fit();
  changed();
  timeline.changed();
  const words = { open: state.isReadable ? "is open" : "cannot be read: the problems at the side say where", undo: "", disk: "was changed elsewhere and is shown as it is now", save: state.isReadable ? "is saved; bridge play plays it from a terminal" : "is saved as it is, with its errors", rename: "is its name now", lost: "was deleted or renamed elsewhere; Save makes it again" };
  if (words[message.cause]) say(`${message.file} ${words[message.cause]}.`);
  const { retry, afterSave } = state;
  state.retry = null;
  if (message.cause === "save" && afterSave) {
    state.afterSave = null;
    afterSave();
  }
  if (retry && isOther && !state.isReadOnly) {
    retry();
    say(editor.inWords() ?? "");
  }
}

/** The file that was open is deleted: nothing is open. */
function closed() {
  say(`${state.file} is deleted.`);
  gestures.forget();
  model.load({ Pattern: [] });
  editor.selection.clear();
  comparison.forget();
  timeline.forget();
  Object.assign(timeline, { duration: 0, playhead: 0, loop: null });
  Object.assign(state, { file: null, isSaved: true, isReadOnly: false, isReadable: true });
  timeline.isReadable = true;
  library.show({ current: null, isNew: false });
  for (const id of ["undo", "redo", "save"]) $(id).disabled = true;
  write("title", "No pattern is open");
  write("saved", "");
  document.title = "bridge studio";
  showProblems([]);
  showLosses();
  timeline.fit();
  changed();
  $("timeline").focus();
}

function ack({ isSaved, canUndo, canRedo, duration, diagnostics }) {
  state.isSaved = isSaved;
  timeline.duration = duration;
  $("undo").disabled = !canUndo;
  $("redo").disabled = !canRedo;
  $("save").disabled = isSaved && !state.isReadOnly;
  write("title", state.file);
  write("saved", state.isReadOnly ? "for reading; Save as makes a copy of yours" : isSaved ? "saved" : "not saved");
  $("saved").classList.toggle("dirty", !isSaved);
  const title = `${isSaved ? "" : "• "}${state.file} – bridge studio`;
  if (document.title !== title) document.title = title;
  showProblems(diagnostics ?? []);
}

function showBoard({ name, actuator, felt, why }) {
  const words = [name, actuator].filter(Boolean).join(", ");
  $("board").textContent = felt ? `Felt on ${words || "the board"}` : `Not felt: ${why ?? "no board is connected"}`;
  $("board").classList.toggle("unfelt", !felt);
}

function conflict({ file, text }) {
  state.afterSave = null;
  askConflict(`${file} was saved by another program, and has changes here that are not saved.`, text,
    () => connection.send({ type: "reload", file }), () => connection.send({ type: "keep", file }));
}

function error({ message, advice }) {
  state.afterSave = null;
  note(advice ? `${message}: ${advice}.` : `${message}.`);
}

function connected(isOpen) {
  if (isOpen) $("note").hidden = true;
  else {
    player.lost();
    note("bridge studio does not answer. If it has ended, start it again and open the URL that it prints.");
  }
}

// ---- What is shown

/** Shows a text, if it is another one: the page is not laid out anew for each answer during a drag. */
function write(id, text) {
  if ($(id).textContent !== text) $(id).textContent = text;
}

/** Shows a problem until it is closed or there is another one. */
function note(text) {
  write("note-text", text);
  $("note").hidden = false;
}

let isTextStale = false;

/** The pattern or the selection has changed. Texts follow with the next frame, and not while a drag goes on. */
function changed() {
  timeline.eventsChanged();
  if (editor.move || isTextStale) return;
  isTextStale = true;
  requestAnimationFrame(() => {
    isTextStale = false;
    inspector.update();
    list.update();
    showEmpty();
    showView(timeline.view);
  });
}

function showEmpty() {
  $("empty").hidden = model.items.length > 0 || !state.isReadable;
}

function showView(view) {
  const length = Math.max(timeline.length, view.end);
  $("scroll").max = String(Math.max(length - (view.end - view.start), 0.001));
  $("scroll").value = String(view.start);
  $("shown").textContent = `${Math.max(view.start, 0).toFixed(2)} to ${view.end.toFixed(2)} s`;
}

function showProblems(diagnostics) {
  const shape = JSON.stringify(diagnostics);
  if (shape === state.problems) return;
  state.problems = shape;
  $("problems").replaceChildren(...diagnostics.slice(0, 100).map(({ line, severity, message }) =>
    element("li", { textContent: `${line ? `Line ${line}, ` : ""}${severity}: ${message}` })));
  if (diagnostics.length === 0) $("problems").append(element("li", { textContent: "None." }));
}

let lossTimer = null;

/** Lists the losses when the predictions have settled. */
function showLosses() {
  clearTimeout(lossTimer);
  lossTimer = setTimeout(() => {
    $("losses").replaceChildren(...timeline.losses.map(({ time, message }) => {
      const button = element("button", { textContent: `${time.toFixed(3)} s: ${message}` });
      button.addEventListener("click", () => {
        timeline.view.reveal(time);
        player.setPlayhead(time);
        timeline.viewChanged();
      });
      return element("li", {}, button);
    }));
    if (timeline.losses.length === 0) $("losses").append(element("li", { textContent: "Nothing that is known." }));
  }, 200);
}

// ---- Actions

function add(entry) {
  editor.insert([entry]);
  say(editor.inWords() ?? "");
}

function addCurve() {
  const chosen = editor.places().map(({ index }) => model.items[index]).find((item) => item.kind === "buzz")
    ?? model.between(player.playhead, player.playhead).find((item) => item.kind === "buzz");
  const [start, end] = chosen ? [chosen.time, chosen.end] : [player.playhead, player.playhead + 1];
  add(newCurve("HapticIntensityControl", [
    { time: start, value: 1 }, { time: (start + end) / 2, value: 0.5 }, { time: end, value: 1 },
  ]));
}

function nudge(field, step) {
  if (editor.selection.size === 0) {
    if (field === "time") player.setPlayhead(player.playhead + step * 10);
    return;
  }
  editor.nudge({ [field]: step });
  say(editor.inWords() ?? "");
}

function chooseTool(tool) {
  host.tool = tool;
  for (const button of document.querySelectorAll("[data-tool]")) {
    const isChosen = button.dataset.tool === tool;
    button.setAttribute("aria-checked", String(isChosen));
    button.tabIndex = isChosen ? 0 : -1;
    if (isChosen) say(`${button.textContent}: ${button.title}`);
  }
}

function record(isKept = true) {
  if (recorder.isOn) {
    const entries = recorder.finish(player.playhead, performance.now());
    if (isKept) editor.insert(entries);
    say(isKept ? `${entries.length} recorded.` : "The recording was cancelled.");
  } else if (mayEdit()) {
    recorder.start();
    say("Recording: tap with the space bar, a letter or on the time line; a long press is a buzz. R ends it, Escape gives it up.");
  }
  player.press("record", recorder.isOn);
  $("record").textContent = recorder.isOn ? "End recording" : "Record";
}

function stop() {
  if (recorder.isOn) record(false);
  if (!gestures.cancel() && editor.selection.size > 0 && !player.isPlaying && !player.isHolding) editor.select([]);
  player.stop();
}

function step(isLater, isAdded = false) {
  say(editor.step(isLater ? 1 : -1, isAdded) ?? "There is nothing to select.");
  const start = editor.startOfSelection();
  if (start !== null && timeline.view.reveal(start)) timeline.viewChanged();
}

const sign = (isSecond) => (isSecond ? 1 : -1);
const zoom = (factor) => { timeline.view.zoom(factor); timeline.viewChanged(); };
const actions = {
  play: () => player.toggle(), stop,
  hold: () => player.toggleHold(editor.startOfSelection() ?? player.playhead),
  step, stepAdding: (isLater) => step(isLater, true),
  earlier: (isSecond) => nudge("time", 0.001 * sign(isSecond)), muchEarlier: (isSecond) => nudge("time", 0.01 * sign(isSecond)),
  stronger: (isSecond) => nudge("intensity", -0.01 * sign(isSecond)), muchStronger: (isSecond) => nudge("intensity", -0.1 * sign(isSecond)),
  sharper: (isSecond) => nudge("sharpness", -0.01 * sign(isSecond)), muchSharper: (isSecond) => nudge("sharpness", -0.1 * sign(isSecond)),
  shorter: (isSecond) => nudge("duration", 0.001 * sign(isSecond)), muchShorter: (isSecond) => nudge("duration", 0.01 * sign(isSecond)),
  addTap: () => add(newTap(player.playhead)), addBuzz: () => add(newBuzz(player.playhead, 0.3)), addCurve,
  record: () => record(), remove: () => say(`${editor.remove()} removed.`),
  selectAll: () => { editor.selectAll(); say(editor.inWords() ?? "There is nothing to select."); },
  duplicate: () => { editor.duplicate(); say(editor.inWords() ?? ""); },
  undo: () => connection.send({ type: "undo" }), redo: () => connection.send({ type: "redo" }), save, saveAs, create,
  toolEdit: () => chooseTool("edit"), toolSelect: () => chooseTool("select"), toolPen: () => chooseTool("pen"),
  swap: () => comparison.swap(), loop: () => player.toggleLoop(), mark: (isEnd) => player.mark(isEnd), mute: () => player.toggleMute(),
  jump: (isEnd) => player.setPlayhead(isEnd ? timeline.length : 0),
  zoom: (isOut) => zoom(isOut ? 1 / 1.5 : 1.5), zoomOut: () => zoom(1 / 1.5), fit: () => timeline.fit(),
  scroll: (isLater) => { timeline.view.scroll(sign(isLater) * 0.9 * (timeline.view.end - timeline.view.start)); timeline.viewChanged(); },
  search: () => $("search").focus(), help: () => $("keys").showModal(),
};

// ---- Controls

for (const [id, action] of Object.entries({
  "add-tap": "addTap", "add-buzz": "addBuzz", "add-curve": "addCurve", record: "record", undo: "undo", redo: "redo", save: "save",
  "save-as": "saveAs", new: "create", help: "help", "zoom-in": "zoom", "zoom-out": "zoomOut", fit: "fit",
})) $(id).addEventListener("click", () => actions[action](false));

$("note-close").addEventListener("click", () => {
  $("note").hidden = true;
  $("timeline").focus();
});

$("snap").addEventListener("change", () => { host.snap = Number($("snap").value); });
$("scroll").addEventListener("input", () => {
  timeline.view.scroll(Number($("scroll").value) - timeline.view.start);
  timeline.changed();
});

const tools = [...document.querySelectorAll("[data-tool]")];
tools.forEach((button, at) => {
  button.addEventListener("click", () => chooseTool(button.dataset.tool));
  button.addEventListener("keydown", ({ key }) => {
    const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
    if (!way) return;
    const next = tools[(at + way + tools.length) % tools.length];
    chooseTool(next.dataset.tool);
    next.focus();
  });
});

followPresses(recorder, timeline.canvas);
followClipboard(editor, player, say);
followKeys(actions);
fillHelp($("key-rows"));
showProblems([]);
showLosses();
changed();
