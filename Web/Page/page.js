// The page: opens patterns, connects to a board, plays, and shows the state. Text from files and boards is inserted as
// plain text, never as HTML.

import { $, $button, $canvas, $input, $select, element } from "./elements.js";
import { HapticBridge, PatternError } from "./haptic-bridge.js";
import { linkTo, nameOf, readLink } from "./links.js";
import { Picture } from "./picture.js";
import { Sound } from "./sound.js";
import { boardInWords, counted, endInWords, inWords, updateInWords } from "./words.js";

/** @typedef {import("./haptic-bridge.js").Report} Report */

/** The largest file that is read, in bytes. */
const LARGEST = 16 << 20;

const bridge = new HapticBridge();
const picture = new Picture($canvas("picture"), /** @type {HTMLMeterElement} */ ($("level")));
const sound = new Sound(bridge);
/**
 * The bytes of the open pattern, its duration, the duration that is shown, and the lead of its stream.
 * @type {{ bytes: Uint8Array, duration: number, shown: number, lead: number }|null}
 */
let opened = null;
/** @type {string[]} */
let names = [];
/** Identifies the actuators for which the picture and the losses are shown. */
let shownActuators = "";
/** True if the latest playback is a loop. */
let isLoop = false;
let isSettingUp = false;
/** The number of presses of Play and Stop. Only the last press takes effect. */
let presses = 0;

/**
 * Shows a problem, or hides it if the text is empty.
 * @param {string} text
 */
function complain(text) {
  $("problem").textContent = text;
  $("problem").hidden = text === "";
}

/**
 * Runs an action that the user has requested. If the action fails, shows the error and the advice.
 * @param {() => Promise<unknown>|undefined} action
 */
async function attempt(action) {
  complain("");
  try {
    await action();
  } catch (error) {
    // The user has closed the browser's list of ports, or ended the connection in progress.
    if (error instanceof DOMException && ["NotFoundError", "AbortError"].includes(error.name)) return;
    complain(inWords(error));
  }
}

/** @param {boolean} virtual */
async function connect(virtual) {
  const connecting = bridge.connect({ virtual });
  update();
  await connecting.finally(update);
}

/** Forgets the open pattern, which may have been the reason why the worker failed. */
function closePattern() {
  opened = null;
  $("title").textContent = "No pattern is open";
  $("status").textContent = "";
}

/** Enables the controls that can be used. */
function update() {
  const { board } = bridge;
  $button("play").disabled = opened === null;
  $button("link").disabled = opened === null;
  // Nobody else could open such a link.
  $("link").hidden = location.protocol === "file:";
  $("connect").hidden = board !== null;
  $("virtual").hidden = board !== null;
  $("disconnect").hidden = board === null && bridge.connecting === null;
  const without = bridge.connecting ? "Connecting…" : "No board is connected.";
  $("board").textContent = board ? boardInWords(board) : without;
  $("setup").hidden = board === null;
  $("update").hidden = !board?.update;
  $("update-text").textContent = board?.update ? updateInWords(board.firmware, board.update) : "";
  $("download").hidden = !board?.update?.drive;
  const output = board?.actuators[$select("actuator").selectedIndex];
  $button("configure").disabled = output?.isLocked ?? true;
  $button("calibrate").disabled = !output?.canPlay;
}

/**
 * Shows the outputs of a board so that they can be set up. An output that has no actuator yet is selected first.
 * @param {Extract<Report, { type: "board" }>} board
 */
function showOutputs({ actuators }) {
  const chosen = Math.max(0, $select("actuator").selectedIndex);
  const missing = actuators.findIndex(({ kind, isLocked }) => kind === "none" && !isLocked);
  $("actuator").replaceChildren(...actuators.map(({ index, kind, name, isLocked }) => element("option", {
    textContent: `${index}: ${kind === "none" ? "not configured" : name || kind}${isLocked ? ", locked" : ""}`,
  })));
  $select("actuator").selectedIndex = missing >= 0 ? missing : Math.min(chosen, actuators.length - 1);
  if (missing >= 0) $("setup").setAttribute("open", "");
}

/** Configures the chosen output, after asking the user if the output already has an actuator. */
async function configure() {
  const output = bridge.board?.actuators[$select("actuator").selectedIndex];
  if (!output) return;
  const question = `Output ${output.index} is configured as ${output.name || output.kind}. Replace its values?`;
  if (output.kind !== "none" && !confirm(question)) return;
  await bridge.configure(output.index, $select("known").selectedIndex);
}

async function calibrate() {
  const output = bridge.board?.actuators[$select("actuator").selectedIndex];
  if (!output) return;
  $("status").textContent = "Calibrating; Esc stops";
  await bridge.calibrate(output.index);
}

/**
 * Runs a setup, unless a setup is in progress: otherwise, the second click of a double click would stop the setup.
 * @param {() => Promise<void>} action
 */
async function setUp(action) {
  if (isSettingUp) return;
  isSettingUp = true;
  await attempt(action);
  isSettingUp = false;
}

/** Saves the firmware for the board as a file. */
async function download() {
  const drive = bridge.board?.update?.drive;
  const address = URL.createObjectURL(new Blob([await bridge.firmware()]));
  element("a", { href: address, download: `haptic-bridge-${drive}.uf2` }).click();
  URL.revokeObjectURL(address);
}

/**
 * Returns the properties of the board that determine how a pattern is compiled.
 * @param {Extract<Report, { type: "board" }>} board
 */
function actuatorsOf({ actuators }) {
  return JSON.stringify(actuators.map(({ kind, name }) => [kind, name]));
}

// ---- Patterns ----------------------------------------------------------------------------------------------------

/**
 * Opens the bytes of a file.
 * @param {Uint8Array} bytes
 * @param {string} title
 */
async function open(bytes, title) {
  const facts = await bridge.open(bytes).catch((error) => {
    if (error instanceof PatternError) error.message = `${title}: ${error.message}`;
    throw error;
  });
  opened = { bytes, duration: facts.duration, shown: facts.shown, lead: 0 };
  $("title").textContent = title;
  const sounds = facts.sounds > 0 ? `, ${counted(facts.sounds, "sound")} that a board cannot play` : "";
  const format = facts.format ? `, converted from ${facts.format}` : "";
  $("status").textContent = `${facts.duration.toFixed(2)} s, ${counted(facts.events, "event")}${sounds}${format}`;
  list("remarks", facts.remarks.map(({ line, column, message, advice }) => (
    `${line === null ? "" : `line ${line}, column ${column}: `}${message}; ${advice}`)));
  update();
  await showStream();
}

/** Shows the losses and the picture for the connected board. */
async function showStream() {
  if (!opened) return;
  const { losses, exact, degraded, notPlayed, lead } = await bridge.losses();
  opened.lead = lead;
  list("losses", [
    `${counted(exact, "event")} as designed, ${degraded} not exactly, ${notPlayed} not played`,
    ...losses.map(({ time, line, message }) => (
      `${time.toFixed(3)} s${line === null ? "" : ` (line ${line})`}: ${message}`)),
  ]);
  await picture.show(bridge, opened.shown);
}

/**
 * Shows texts as a list.
 * @param {string} id
 * @param {string[]} texts
 */
function list(id, texts) {
  const entries = texts.length === 0 ? ["None"] : texts;
  $(id).replaceChildren(...entries.map((textContent) => element("li", { textContent })));
}

/** @param {string} path */
async function openNamed(path) {
  await open(await bridge.named(path), nameOf(path));
}

/** Lists the patterns of the library under the names of their folders. */
function listNamed() {
  const folders = [...new Set(names.map((path) => path.split("/")[0]))];
  $("patterns").replaceChildren(...folders.flatMap((folder) => [
    element("h3", { textContent: folder }),
    element("ul", {}, ...names.filter((path) => path.startsWith(`${folder}/`)).map((path) => {
      const button = element("button", { textContent: nameOf(path) });
      button.addEventListener("click", () => attempt(() => openNamed(path)));
      return element("li", {}, button);
    })),
  ]));
}

/** @param {File|undefined} file */
async function openFile(file) {
  if (!file) return;
  if (file.size > LARGEST) throw new Error(`${file.name}: larger than ${LARGEST >> 20} MB, which is the limit`);
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Error(`${file.name}: cannot be read; choose a file, not a folder, that has not been changed since`);
  });
  await open(new Uint8Array(bytes), file.name);
}

/** Opens the pattern in the address. The pattern does not play until the user requests playback. */
async function openLinked() {
  const linked = readLink(location.hash, names);
  if (!linked) return;
  if ("name" in linked) await openNamed(linked.name);
  else await open(linked.bytes, "Pattern from the link");
}

/** Copies a link to this page with the open pattern. */
async function copyLink() {
  if (!opened) return;
  const address = new URL(linkTo(opened.bytes), location.href).href;
  await navigator.clipboard.writeText(address);
  $("status").textContent = `The link has been copied: ${address.length} characters.`;
}

// ---- Playing -----------------------------------------------------------------------------------------------------

/** Plays the open pattern. If no board is connected, the virtual board plays it. */
async function play() {
  if (!opened) return;
  presses += 1;
  const press = presses;
  await sound.open();
  if (!bridge.board) await (bridge.connecting ?? connect(true));
  if (press !== presses) return;
  isLoop = $("loop").getAttribute("aria-pressed") === "true";
  await bridge.playOpen({ loop: isLoop });
}

/** Stops the pattern, even before it begins. */
function stop() {
  presses += 1;
  return bridge.stop();
}

/**
 * Switches an option, and returns whether it is on.
 * @param {string} id
 */
function toggle(id) {
  const isOn = $(id).getAttribute("aria-pressed") !== "true";
  $(id).setAttribute("aria-pressed", String(isOn));
  return isOn;
}

async function toggleSound() {
  sound.isOn = toggle("sound");
  if (!sound.isOn) sound.end();
  await sound.open();
  if (picture.isPlaying) await sound.begin(picture.start, isLoop, picture.elapsed);
}

/** Shows that no pattern is playing and no actuator is being set up. */
function rest() {
  picture.end();
  sound.end();
  $("status").textContent = "";
}

/** @param {Report} report */
function receive(report) {
  switch (report.type) {
    case "board":
      if (shownActuators !== actuatorsOf(report)) attempt(showStream);
      shownActuators = actuatorsOf(report);
      showOutputs(report);
      break;
    case "ended":
      rest();
      if (report.wasReplaced) closePattern();
      complain(report.message);
      break;
    case "setUp":
      $("status").textContent = report.message;
      break;
    case "faults":
      complain([`the board reports: ${report.message}`, ...report.advice].join("; "));
      break;
    case "playing":
      picture.begin(report.time / 1e6 + (opened?.lead ?? 0), isLoop ? Math.max(0.01, opened?.duration ?? 0) : Infinity);
      sound.begin(picture.start, isLoop).catch((error) => complain(inWords(error)));
      $("status").textContent = "Playing";
      break;
    case "played": case "stopped":
      picture.end();
      // The sound of a whole pattern ends on its own, because it may be later than the pattern.
      if (report.type === "stopped") sound.end();
      $("status").textContent = endInWords(report);
      break;
    case "failed":
      rest();
      complain([report.message ?? "", ...report.advice].join("; "));
      break;
    case "levels":
      picture.add(report.values);
      break;
    default:
  }
  update();
}

// ---- Events ------------------------------------------------------------------------------------------------------

/** @type {Record<string, () => void>} */
const KEYS = {
  " ": () => attempt(play),
  Escape: () => attempt(stop),
  l: () => toggle("loop"),
  s: () => attempt(toggleSound),
};

bridge.addEventListener("report", (event) => receive(/** @type {CustomEvent<Report>} */ (event).detail));
$("connect").addEventListener("click", () => attempt(() => connect(false)));
$("virtual").addEventListener("click", () => attempt(() => connect(true)));
$("disconnect").addEventListener("click", () => attempt(async () => {
  await bridge.disconnect();
  update();
}));
$("play").addEventListener("click", () => attempt(play));
$("stop").addEventListener("click", () => attempt(stop));
$("loop").addEventListener("click", () => toggle("loop"));
$("sound").addEventListener("click", () => attempt(toggleSound));
$("download").addEventListener("click", () => attempt(download));
$("gain").addEventListener("input", () => attempt(() => {
  const gain = $input("gain").valueAsNumber;
  sound.setVolume(gain);
  return bridge.setGain(gain);
}));
$("choose").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", () => attempt(async () => {
  const { files } = $input("file");
  await openFile(files?.[0]);
  // The same file can be chosen again after it has changed.
  $input("file").value = "";
}));
$("link").addEventListener("click", () => attempt(copyLink));
$("setup-form").addEventListener("submit", (event) => {
  event.preventDefault();
  setUp(configure);
});
$("calibrate").addEventListener("click", () => setUp(calibrate));
$("actuator").addEventListener("change", update);
addEventListener("hashchange", () => attempt(openLinked));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  attempt(() => openFile(event.dataTransfer?.files[0]));
});
addEventListener("keydown", (event) => {
  const control = event.target instanceof Element ? event.target.closest("button, select, input, summary") : null;
  // On the button of the open pattern, Space plays it.
  const isOpen = event.key === " " && control?.closest("#patterns") && control.textContent === $("title").textContent;
  const isControl = control && !isOpen;
  if (event.ctrlKey || event.metaKey || event.altKey || (isControl && event.key !== "Escape")) return;
  const action = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  if (!event.repeat) action();
});
// A page that is left or suspended stops playback immediately; otherwise, playback would continue until the board's
// dead-man timeout.
for (const [target, name] of /** @type {[EventTarget, string][]} */ ([[window, "pagehide"], [document, "freeze"]])) {
  target.addEventListener(name, () => {
    if (bridge.board) stop();
  });
}

attempt(async () => {
  const { names: found, actuators } = await bridge.load();
  names = found;
  listNamed();
  $("known").replaceChildren(...actuators.map(({ name, description }) => (
    element("option", { textContent: `${name}: ${description}` }))));
  await openLinked();
});
update();
