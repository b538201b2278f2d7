// @ts-check
// The keys of the page: one table, which the keyboard follows and the help shows.

import { ZOOM } from "./commands.js";
import { $, closest, element } from "./elements.js";

/**
 * The action of each key: a name in `Commands`, and for each key its argument. The help shows `keys`; `more` are other
 * names of them, and those with Shift. `isAlways` keys work in fields too.
 * @type {{
 *   keys: Record<string, unknown>, more?: Record<string, unknown>, action?: string, words?: string, isAlways?: boolean,
 * }[]}
 */
const KEYS = [
  {
    keys: { Space: null }, action: "play",
    words: "Play from the playhead, or pause: the playhead then stands where playing has come to",
  },
  {
    keys: { Escape: null }, action: "stop", isAlways: true,
    words: "Stop: the actuator comes to rest; a drag or a recording is cancelled",
  },
  {
    keys: { H: null }, action: "hold",
    words: "Hold: what is around the selection is felt again and again; again to end",
  },
  {
    keys: { ",": -1, ".": 1 }, action: "step",
    words: "Select the event before, or after; with Shift added to the selection",
  },
  { keys: {}, more: { "<": -1, ";": -1, ">": 1, ":": 1 }, action: "stepAdding" },
  {
    keys: { ArrowLeft: -0.001, ArrowRight: 0.001 },
    more: { "Shift+ArrowLeft": -0.01, "Shift+ArrowRight": 0.01 }, action: "moveTime",
    words: "Move the selection by 1 ms, with Shift by 10 ms; without a selection, the playhead",
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
    words: "Add a curve of the intensity over what is selected or marked, or at the playhead",
  },
  { keys: { R: null }, action: "record", words: "Record a rhythm that you tap" },
  { keys: { Delete: null, Backspace: null }, action: "remove", words: "Remove the selection" },
  { keys: { "Ctrl+A": null }, action: "selectAll", words: "Select everything" },
  { keys: { "Ctrl+D": null }, action: "duplicate", words: "Duplicate the selection right after it" },
  { keys: { "Ctrl+C": null, "Ctrl+X": null, "Ctrl+V": null }, words: "Copy, cut, and paste at the playhead" },
  { keys: { "Ctrl+Z": null }, action: "undo", words: "Undo, without end" },
  { keys: { "Ctrl+Shift+Z": null, "Ctrl+Y": null }, action: "redo", words: "Redo" },
  { keys: { "Ctrl+S": null }, action: "save", words: "Save", isAlways: true },
  { keys: { "Ctrl+Shift+S": null }, action: "saveAs", words: "Save under another name", isAlways: true },
  { keys: { N: null }, action: "create", words: "A new pattern" },
  { keys: { E: "edit" }, action: "chooseTool", words: "Dragging on an empty place adds a buzz" },
  { keys: { V: "select" }, action: "chooseTool", words: "Dragging on an empty place selects" },
  { keys: { P: "pen" }, action: "chooseTool", words: "The pen draws how the level changes" },
  { keys: { X: null }, action: "swap", words: "Change between the versions A and B" },
  { keys: { L: null }, action: "loop", words: "Repeat what is played" },
  { keys: { "[": "start", "]": "end" }, action: "mark", words: "The part to loop begins, or ends, at the playhead" },
  { keys: { M: null }, action: "mute", words: "Play without being felt" },
  { keys: { Home: "start", End: "end" }, action: "jump", words: "The playhead goes to the beginning, or the end" },
  { keys: { "+": ZOOM, "-": 1 / ZOOM }, more: { "=": ZOOM }, action: "zoom", words: "Zoom in, or out" },
  { keys: { 0: null }, action: "fit", words: "Show all" },
  { keys: { PageUp: -1, PageDown: 1 }, action: "scroll", words: "Scroll by a page" },
  { keys: { "/": null }, action: "search", words: "Search the patterns" },
  { keys: { "?": null }, action: "help", words: "Show this" },
];

/**
 * Returns the name of a key press as the table has it.
 * @param {{ key: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean, shiftKey: boolean }} event
 */
export function nameOfKey(event) {
  const name = event.key === " " ? "Space" : event.key;
  const key = name.length === 1 ? name.toUpperCase() : name;
  // Which characters need Shift depends on the keyboard; for letters it is a choice.
  const isShiftMeant = event.shiftKey && (key.length > 1 || /[A-Z]/.test(key));
  const parts = [(event.ctrlKey || event.metaKey) && "Ctrl", event.altKey && "Alt", isShiftMeant && "Shift", key];
  return parts.filter(Boolean).join("+");
}

/**
 * Returns whether an element needs a key for itself. After a click on a button, the space bar plays all the same.
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
 * Lets the keyboard do the actions.
 * @param {(action: string, argument: unknown) => void} act does the action of a name.
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
  // After a click, the keys are about the pattern, and not about the button. A dialog that it opens gives
  // the focus back to where it is now.
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
 * Fills the table of the help.
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
