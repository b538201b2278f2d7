// The table of the keyboard commands. The help dialog shows the contents of this table.

import { ZOOM } from "./commands.js";
import { $, closest, element } from "./elements.js";

/**
 * The keyboard commands. Each entry contains the name of a method of `Commands` and the argument for each key. The help
 * shows the keys in `keys`. `more` contains alternative names of keys, and keys with Shift. Commands with `isAlways`
 * also work in input fields and dialogs.
 * @type {{
 *   keys: Record<string, unknown>, more?: Record<string, unknown>, action?: string, words?: string, isAlways?: boolean,
 * }[]}
 */
const KEYS = [
  {
    keys: { Space: null }, action: "play",
    words: "Play from the playhead, or pause: the playhead then marks the playback position",
  },
  {
    keys: { Escape: null }, action: "stop", isAlways: true,
    words: "Stop: the actuator comes to rest; a drag or a recording is canceled",
  },
  {
    keys: { H: null }, action: "hold",
    words: "Hold: repeat the range around the selection; press the key again to end",
  },
  {
    keys: { ",": -1, ".": 1 }, action: "step",
    words: "Select the previous or next event; with Shift, add it to the selection",
  },
  { keys: {}, more: { "<": -1, ";": -1, ">": 1, ":": 1 }, action: "stepAdding" },
  {
    keys: { ArrowLeft: -0.001, ArrowRight: 0.001 },
    more: { "Shift+ArrowLeft": -0.01, "Shift+ArrowRight": 0.01 }, action: "moveTime",
    words: "Move the selection by 1 ms, with Shift by 10 ms; without a selection, move the playhead",
  },
  {
    keys: { ArrowUp: 0.01, ArrowDown: -0.01 },
    more: { "Shift+ArrowUp": 0.1, "Shift+ArrowDown": -0.1 }, action: "changeIntensity",
    words: "Change the intensity by 0.01, with Shift by 0.1",
  },
  {
    keys: { "Alt+ArrowUp": 0.01, "Alt+ArrowDown": -0.01 },
    more: { "Alt+Shift+ArrowUp": 0.1, "Alt+Shift+ArrowDown": -0.1 }, action: "changeSharpness",
    words: "Change the sharpness by 0.01, with Shift by 0.1",
  },
  {
    keys: { "Alt+ArrowLeft": -0.001, "Alt+ArrowRight": 0.001 },
    more: { "Alt+Shift+ArrowLeft": -0.01, "Alt+Shift+ArrowRight": 0.01 }, action: "changeDuration",
    words: "Change the duration by 1 ms, with Shift by 10 ms",
  },
  { keys: { T: null }, action: "addTap", words: "Add a tap at the playhead" },
  { keys: { B: null }, action: "addBuzz", words: "Add a buzz at the playhead" },
  {
    keys: { C: null }, action: "addCurve",
    words: "Add an intensity curve over the selection or the marked range, or at the playhead",
  },
  { keys: { R: null }, action: "record", words: "Record a rhythm that you tap" },
  { keys: { Delete: null, Backspace: null }, action: "remove", words: "Remove the selection" },
  { keys: { "Ctrl+A": null }, action: "selectAll", words: "Select everything" },
  { keys: { "Ctrl+D": null }, action: "duplicate", words: "Duplicate the selection directly after it" },
  { keys: { "Ctrl+C": null, "Ctrl+X": null, "Ctrl+V": null }, words: "Copy, cut, and paste at the playhead" },
  { keys: { "Ctrl+Z": null }, action: "undo", words: "Undo, without a limit" },
  { keys: { "Ctrl+Shift+Z": null, "Ctrl+Y": null }, action: "redo", words: "Redo" },
  { keys: { "Ctrl+S": null }, action: "save", words: "Save", isAlways: true },
  { keys: { "Ctrl+Shift+S": null }, action: "saveAs", words: "Save under another name", isAlways: true },
  { keys: { N: null }, action: "create", words: "Create a new pattern" },
  { keys: { E: "edit" }, action: "chooseTool", words: "Dragging on an empty area adds a buzz" },
  { keys: { V: "select" }, action: "chooseTool", words: "Dragging on an empty area selects" },
  { keys: { P: "pen" }, action: "chooseTool", words: "Dragging draws the level over time" },
  { keys: { X: null }, action: "swap", words: "Switch between the versions A and B" },
  { keys: { L: null }, action: "loop", words: "Repeat the playback" },
  {
    keys: { "[": "start", "]": "end" }, action: "mark",
    words: "Move the start, or the end, of the looped range to the playhead",
  },
  { keys: { M: null }, action: "mute", words: "Play without being felt" },
  { keys: { Home: "start", End: "end" }, action: "jump", words: "Move the playhead to the start, or the end" },
  { keys: { "+": ZOOM, "-": 1 / ZOOM }, more: { "=": ZOOM }, action: "zoom", words: "Zoom in, or out" },
  { keys: { 0: null }, action: "fit", words: "Show all" },
  { keys: { PageUp: -1, PageDown: 1 }, action: "scroll", words: "Scroll by a page" },
  { keys: { "/": null }, action: "search", words: "Search the patterns" },
  { keys: { "?": null }, action: "help", words: "Show this list" },
];

/**
 * Returns the name that the table uses for a key press.
 * @param {{ key: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean, shiftKey: boolean }} event
 */
export function nameOfKey(event) {
  const name = event.key === " " ? "Space" : event.key;
  const key = name.length === 1 ? name.toUpperCase() : name;
  // The keyboard layout determines whether a character requires Shift. Shift is part of the name only for letters and
  // for keys without a character.
  const isShiftMeant = event.shiftKey && (key.length > 1 || /[A-Z]/.test(key));
  const parts = [(event.ctrlKey || event.metaKey) && "Ctrl", event.altKey && "Alt", isShiftMeant && "Shift", key];
  return parts.filter(Boolean).join("+");
}

/**
 * Returns true if an element handles a key itself. After a click on a button, the space bar still starts or pauses the
 * playback.
 * @param {Element} target
 * @param {string} name
 */
function isNeededBy(target, name) {
  if (target.closest("[role='radiogroup']") && name.startsWith("Arrow")) return true;
  if (target.matches("button, summary, [role='radio']")) {
    return name === "Enter" || (name === "Space" && target.matches(":focus-visible"));
  }
  if (target.matches("input[type='range'], input[type='checkbox']")) return /^(Space|Home|End|Arrow|Page)/.test(name);
  return target.matches("input, select, textarea");
}

/**
 * Maps key presses to actions.
 * @param {(action: string, argument: unknown) => void} act performs the action with a name.
 */
export function followKeys(act) {
  /** @type {Map<string, { action: string, isAlways: boolean, argument: unknown }>} */
  const bindings = new Map();
  for (const { keys, more, action, isAlways = false } of KEYS) {
    if (!action) continue;
    for (const [key, argument] of Object.entries({ ...keys, ...more })) {
      bindings.set(key, { action, isAlways, argument });
    }
  }
  // After a click on a button, the timeline receives the focus, so that keys apply to the pattern. The focus moves
  // before the button's action opens a dialog, which returns the focus to the timeline when it is closed.
  document.addEventListener("click", (event) => {
    if (event.detail > 0 && closest(event, "header button, #tools button")) $("timeline").focus();
  }, { capture: true });
  document.addEventListener("keydown", (event) => {
    const name = nameOfKey(event);
    const binding = bindings.get(name);
    if (!binding || event.isComposing) return;
    const { target } = event;
    const isNeeded = target instanceof Element && isNeededBy(target, name);
    const isBusy = document.querySelector("dialog[open]") !== null || isNeeded;
    if (isBusy && !binding.isAlways) return;
    if (name !== "Escape") event.preventDefault();
    act(binding.action, binding.argument);
  });
}

/** @type {Record<string, string>} */
const ARROWS = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };

/**
 * Fills the help table.
 * @param {HTMLElement} body
 */
export function fillHelp(body) {
  const plain = (/** @type {string} */ key) => key.replace(/Arrow\w+/, (name) => ARROWS[name]);
  for (const { keys, words } of KEYS) {
    if (!words) continue;
    const names = Object.keys(keys).flatMap((key) => [element("kbd", { textContent: plain(key) }), " "]);
    body.append(element("tr", {}, element("th", { scope: "row" }, ...names), element("td", { textContent: words })));
  }
}
