// The page: puts its parts together, and does what the tool and the user say.

import { Comparison } from "./abx.js";
import { followClipboard } from "./clipboard.js";
import { askConflict } from "./dialogs.js";
import { Editor } from "./editing.js";
import { Files } from "./files.js";
import { Gestures } from "./gestures.js";
import { fillHelp, followKeys } from "./keys.js";
import { Library } from "./library.js";
import { EventList, Inspector } from "./list.js";
import { difference, Model, newBuzz, newCurve, newTap } from "./model.js";
import { Losses, Notes, Problems, showLoss } from "./notes.js";
import { Player } from "./player.js";
import { followPresses, Recorder } from "./record.js";
import { Connection, STRANGER } from "./socket.js";
import { Timeline } from "./timeline.js";

const $ = (id) => document.getElementById(id);
const state = { file: null, isSaved: true, isReadOnly: false, isReadable: true, revision: 0, retry: null, afterSave: null };

/** Says something in the line below the time line. What changes many times a second is not read aloud. */
function say(text, isQuiet = false) {
  $("hint").textContent = isQuiet ? text : "";
  $("status").classList.toggle("hidden", isQuiet);
  if (!isQuiet) $("status").textContent = text;
}

const notes = new Notes();
const problems = new Problems();
const connection = new Connection(receive, connected);
const model = new Model();
const editor = new Editor(model, connection, mayEdit, changed);
const timeline = new Timeline($("timeline"), model, editor, showView);
const player = new Player(connection, timeline, say);
const library = new Library();
const files = new Files(state, connection, library);
const comparison = new Comparison(connection, say);
const list = new EventList(model, editor, say);
const inspector = new Inspector(model, editor);
const recorder = new Recorder();
const losses = new Losses(timeline, (time) => {
  timeline.view.reveal(time);
  player.setPlayhead(time);
  timeline.viewChanged();
});
const host = {
  tool: "edit", snap: 0.01, say, isLost,
  scrub: (time) => player.scrub(time), hold: (time) => player.hold(time), release: () => player.release(),
  setLoop: (start, end) => player.setLoop({ start, end }), setPlayhead: (time) => player.setPlayhead(time),
};
const gestures = new Gestures(timeline, model, editor, host);

// ---- What the user may do

/** Whether the tool is missing, which the user is told. */
function isLost() {
  if (connection.isLost) say("bridge studio does not answer: nothing can be changed or played until it does.");
  return connection.isLost;
}

/** Whether edits are possible. If not, the user gets a file of their own where there is none, and `retry` is called. */
function mayEdit(retry = null) {
  if (isLost()) return false;
  if (state.file === null) {
    state.retry = retry;
    connection.send({ type: "new", file: files.unusedName("untitled") });
  } else if (!state.isReadable) say("This file cannot be read as AHAP. The problems at the side say where; mend it with a text editor.");
  else if (state.isReadOnly) {
    state.retry = retry;
    say("This pattern is for reading. Save it under a name of your own to change it.");
    files.saveAs();
  } else return true;
  return false;
}

// ---- What the tool says

function receive(message) {
  ({
    hello, document: opened, closed, ack, board: showBoard, conflict, error, files: (message) => library.show({ files: message.files }),
    design: (design) => timeline.show(design),
    prediction: (prediction) => { timeline.predict(prediction); losses.show(); },
    position, rest: (rest) => player.rest(rest),
    abx: ({ state }) => comparison.score(state),
  })[message.type]?.(message);
}

function hello({ files: names, named, current, board }) {
  library.show({ files: names, named });
  showBoard(board);
  showEmpty();
  // A tool that was started anew has nothing open.
  if (current !== null || state.file === null) return;
  const { file } = state;
  close(`bridge studio was started anew, and ${file} is not open any more.`);
  if (names.includes(file) || named.some(({ name }) => name === file)) connection.send({ type: "open", file });
}

function position(message) {
  if (message.isPlaying) notes.settle("playing");
  player.position(message);
}

function opened(message) {
  const isOther = message.file !== state.file;
  gestures.forget();
  editor.move = null;
  const { items, entries } = model;
  if ("document" in message) model.load(message.document);
  if ("document" in message) state.isReadable = timeline.isReadable = message.document !== null;
  // With other entries, their numbers mean something else.
  if (model.items.length !== items.length) editor.selection.clear();
  if (message.cause === "open") {
    editor.selection.clear();
    comparison.forget();
    timeline.forget();
    losses.show();
    timeline.playhead = 0;
    // The next key is about the pattern, not about the library.
    if ($("library").contains(document.activeElement)) $("timeline").focus();
    timeline.loop = null;
  }
  if (["open", "save", "rename", "disk"].includes(message.cause)) notes.settle();
  Object.assign(state, { file: message.file, isReadOnly: message.isReadOnly });
  library.show({ current: message.file, isNew: !message.isReadOnly });
  ack(message);
  if (message.cause === "open" || timeline.view.isFitted) timeline.fit();
  changed();
  timeline.changed();
  const words = { open: state.isReadable ? "is open" : "cannot be read: the problems at the side say where", disk: state.isReadable ? "was changed elsewhere and is shown as it is now" : "was changed elsewhere and cannot be read as AHAP: the problems at the side say where", save: !state.isReadable ? "is saved as it is, with its errors" : model.items.length > 0 ? "is saved; bridge play plays it from a terminal" : "is saved; nothing is in it yet", rename: "is its name now", lost: "was deleted or renamed elsewhere; Save makes it again", emptied: "was emptied elsewhere; Save writes it again", unreadable: "cannot be read any more; Save as writes it under another name" };
  if (words[message.cause]) say(`${message.file} ${words[message.cause]}.`);
  const step = { undo: "Undone", redo: "Redone" }[message.cause];
  if (step) say(`${step}: ${difference({ items, entries }, model)}.`);
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
  // What is said of rest follows.
  player.ended = `${state.file} is deleted. `;
  close(player.ended);
}

/** Shows that nothing is open, and says why. */
function close(why) {
  say(why);
  notes.settle();
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
  problems.show([]);
  losses.show();
  timeline.fit();
  changed();
  $("timeline").focus();
}

function ack({ revision, isSaved, canUndo, canRedo, duration, diagnostics }) {
  if (revision > state.revision) notes.settle("edit");
  Object.assign(state, { revision, isSaved });
  timeline.duration = duration;
  $("undo").disabled = !canUndo;
  $("redo").disabled = !canRedo;
  $("save").disabled = isSaved && !state.isReadOnly;
  write("title", state.file);
  write("saved", state.isReadOnly ? "for reading; Save as makes a copy of yours" : isSaved ? "saved" : "not saved");
  $("saved").classList.toggle("dirty", !isSaved);
  const title = `${isSaved ? "" : "• "}${state.file} – bridge studio`;
  if (document.title !== title) document.title = title;
  problems.show(diagnostics ?? []);
}

function showBoard({ name, actuator, felt, why }) {
  const words = [name, actuator].filter(Boolean).join(", ");
  $("board").textContent = felt ? `Felt on ${words || "the board"}` : `Not felt: ${why ?? "no board is connected"}`;
  $("board").classList.toggle("unfelt", !felt);
  if (felt) notes.settle("playing");
}

function conflict({ file, text }) {
  state.afterSave = null;
  askConflict(`${file} was saved by another program, and has changes here that are not saved.`, text,
    () => connection.send({ type: "reload", file }), () => connection.send({ type: "keep", file }));
}

function error({ message, advice, about }) {
  state.afterSave = null;
  notes.show(advice ? `${message}: ${advice}.` : `${message}.`, about ?? "file");
}

/** What was begun with a tool that is missing now is given up: nobody knows what became of it. */
function connected(loss) {
  if (loss === null) {
    showLoss(null);
    return say("bridge studio answers again. The pattern is shown as it is there.");
  }
  if (recorder.isOn) record(false);
  gestures.cancel();
  player.lost();
  Object.assign(state, { retry: null, afterSave: null });
  showLoss(loss === STRANGER
    ? "bridge studio was started anew and does not know this page yet. Open the address that it has printed last in its terminal; then this page goes on, too."
    : "bridge studio does not answer: nothing can be changed or played until it does. If it has ended, start it again and open the address that it prints.");
  write("board", "Not felt: bridge studio does not answer");
  $("board").classList.add("unfelt");
  return undefined;
}

// ---- What is shown

/** Shows a text, if it is another one: the page is not laid out anew for each answer during a drag. */
function write(id, text) {
  if ($(id).textContent !== text) $(id).textContent = text;
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

// ---- Actions

function add(entry) {
  editor.insert([entry]);
  say(editor.inWords() ?? "");
}

/** Adds a curve that changes nothing before its points are moved: over what is selected, marked, or at the playhead. */
function addCurve() {
  const { playhead } = player;
  const chosen = editor.places().map(({ index }) => model.items[index]);
  const items = chosen.length > 0 ? chosen : model.between(playhead, playhead).filter(({ kind }) => kind === "buzz");
  const [start, end] = [Math.min(...items.map(({ time }) => time)), Math.max(...items.map((item) => item.end))];
  const span = end > start ? { start, end } : timeline.loop ?? { start: playhead, end: playhead + 1 };
  const times = [span.start, (span.start + span.end) / 2, span.end];
  add(newCurve("HapticIntensityControl", times.map((time) => ({ time, value: 1 }))));
}

/** Moves the playhead, and says what is designed there. */
function jump(time) {
  player.setPlayhead(time);
  say(`Playhead at ${timeline.inWords(player.playhead)}.`);
}

/** Takes a step of the history back, or makes it again. */
function travel(type) {
  if ($(type).disabled && connection.isIdle) say(`There is nothing to ${type}.`);
  else connection.send({ type });
}

function nudge(field, step) {
  if (editor.selection.size === 0) {
    if (field === "time") jump(player.playhead + step * 10);
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
    say("Recording: tap with the space bar, a letter or on the time line; a long press is a buzz. R ends it, Escape cancels it.");
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
  undo: () => travel("undo"), redo: () => travel("redo"),
  save: () => files.save(), saveAs: () => files.saveAs(), create: () => files.create(),
  toolEdit: () => chooseTool("edit"), toolSelect: () => chooseTool("select"), toolPen: () => chooseTool("pen"),
  swap: () => comparison.swap(), loop: () => player.toggleLoop(), mark: (isEnd) => player.mark(isEnd), mute: () => player.toggleMute(),
  jump: (isEnd) => jump(isEnd ? timeline.length : 0),
  zoom: (isOut) => zoom(isOut ? 1 / 1.5 : 1.5), zoomOut: () => zoom(1 / 1.5), fit: () => timeline.fit(),
  scroll: (isLater) => { timeline.view.scroll(sign(isLater) * 0.9 * (timeline.view.end - timeline.view.start)); timeline.viewChanged(); },
  search: () => $("search").focus(), help: () => $("keys").showModal(),
};
/** The actions that need no tool: they change nothing and play nothing. */
const HARMLESS = new Set(["stop", "step", "stepAdding", "selectAll", "jump", "zoom", "zoomOut", "fit", "scroll", "help"]);

function act(action, isSecond = false) {
  if (HARMLESS.has(action) || !isLost()) actions[action](isSecond);
}

// ---- Controls

for (const [id, action] of Object.entries({
  "add-tap": "addTap", "add-buzz": "addBuzz", "add-curve": "addCurve", record: "record", undo: "undo", redo: "redo", save: "save",
  "save-as": "saveAs", new: "create", help: "help", "zoom-in": "zoom", "zoom-out": "zoomOut", fit: "fit",
})) $(id).addEventListener("click", () => act(action));

// A file that is dropped would take the place of the page.
for (const type of ["dragover", "drop"]) document.addEventListener(type, (event) => event.preventDefault());
document.addEventListener("drop", () => say("Files are not dropped here. An AHAP file in the folder of the studio is in the list of patterns."));

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
followClipboard(editor, player, host);
followKeys(act);
fillHelp($("key-rows"));
changed();
