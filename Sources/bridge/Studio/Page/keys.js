// The keys of the page: one table, which the keyboard follows and the help shows.

import { element } from "./list.js";

/** What each key does. `action` is a name in the actions of the page; `isAlways` keys work in fields too. */
const KEYS = [
  { keys: ["Space"], action: "play", words: "Play from the playhead, or pause: the playhead then stands where playing has come to" },
  { keys: ["Escape"], action: "stop", words: "Stop: the actuator comes to rest; a drag or a recording is cancelled", isAlways: true },
  { keys: ["H"], action: "hold", words: "Hold: what is around the selection is felt again and again; again to end" },
  { keys: [",", "."], action: "step", words: "Select the event before, or after; with Shift added to the selection" },
  { keys: ["<", ">", ";", ":"], action: "stepAdding" },
  { keys: ["ArrowLeft", "ArrowRight"], action: "earlier", words: "Move the selection by 1 ms, with Shift by 10 ms; without a selection, the playhead" },
  { keys: ["Shift+ArrowLeft", "Shift+ArrowRight"], action: "muchEarlier" },
  { keys: ["ArrowUp", "ArrowDown"], action: "stronger", words: "Change the intensity by 0.01, with Shift by 0.1" },
  { keys: ["Shift+ArrowUp", "Shift+ArrowDown"], action: "muchStronger" },
  { keys: ["Alt+ArrowUp", "Alt+ArrowDown"], action: "sharper", words: "Change the sharpness by 0.01, with Shift by 0.1" },
  { keys: ["Alt+Shift+ArrowUp", "Alt+Shift+ArrowDown"], action: "muchSharper" },
  { keys: ["Alt+ArrowLeft", "Alt+ArrowRight"], action: "shorter", words: "Change the duration by 1 ms, with Shift by 10 ms" },
  { keys: ["Alt+Shift+ArrowLeft", "Alt+Shift+ArrowRight"], action: "muchShorter" },
  { keys: ["T"], action: "addTap", words: "Add a tap at the playhead" },
  { keys: ["B"], action: "addBuzz", words: "Add a buzz at the playhead" },
  { keys: ["C"], action: "addCurve", words: "Add a curve of the intensity over what is selected or marked, or at the playhead" },
  { keys: ["R"], action: "record", words: "Record a rhythm that you tap" },
  { keys: ["Delete", "Backspace"], action: "remove", words: "Remove the selection" },
  { keys: ["Ctrl+A"], action: "selectAll", words: "Select everything" },
  { keys: ["Ctrl+D"], action: "duplicate", words: "Duplicate the selection right after it" },
  { keys: ["Ctrl+C", "Ctrl+X", "Ctrl+V"], words: "Copy, cut, and paste at the playhead" },
  { keys: ["Ctrl+Z"], action: "undo", words: "Undo, without end" },
  { keys: ["Ctrl+Shift+Z", "Ctrl+Y"], action: "redo", words: "Redo" },
  { keys: ["Ctrl+S"], action: "save", words: "Save", isAlways: true },
  { keys: ["Ctrl+Shift+S"], action: "saveAs", words: "Save under another name", isAlways: true },
  { keys: ["N"], action: "create", words: "A new pattern" },
  { keys: ["E"], action: "toolEdit", words: "Dragging on an empty place adds a buzz" },
  { keys: ["V"], action: "toolSelect", words: "Dragging on an empty place selects" },
  { keys: ["P"], action: "toolPen", words: "The pen draws how the level changes" },
  { keys: ["X"], action: "swap", words: "Change between the versions A and B" },
  { keys: ["L"], action: "loop", words: "Repeat what is played" },
  { keys: ["[", "]"], action: "mark", words: "The part to loop begins, or ends, at the playhead" },
  { keys: ["M"], action: "mute", words: "Play without being felt" },
  { keys: ["Home", "End"], action: "jump", words: "The playhead goes to the beginning, or the end" },
  { keys: ["+", "-", "="], action: "zoom", words: "Zoom in, or out" },
  { keys: ["0"], action: "fit", words: "Show all" },
  { keys: ["PageUp", "PageDown"], action: "scroll", words: "Scroll by a page" },
  { keys: ["/"], action: "search", words: "Search the patterns" },
  { keys: ["?"], action: "help", words: "Show this" },
];

/** Returns the name of a key press as the table has it. */
export function nameOfKey(event) {
  const key = event.key === " " ? "Space" : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  // Which characters need Shift depends on the keyboard; for letters it is a choice.
  const isShiftMeant = event.shiftKey && (key.length > 1 || /[A-Z]/.test(key));
  const parts = [(event.ctrlKey || event.metaKey) && "Ctrl", event.altKey && "Alt", isShiftMeant && "Shift", key];
  return parts.filter(Boolean).join("+");
}

/** Whether an element needs a key for itself. After a click on a button, the space bar plays all the same. */
function isNeededBy(target, name) {
  if (target.closest("[role='radiogroup']") && name.startsWith("Arrow")) return true;
  if (target.matches("button, summary, [role='radio']")) return name === "Enter" || (name === "Space" && target.matches(":focus-visible"));
  if (target.matches("input[type='range'], input[type='checkbox']")) return /^(Space|Home|End|Arrow|Page)/.test(name);
  return target.matches("input, select, textarea");
}

/**
 * Lets the keyboard do the actions.
 * @param {(action: string, isSecond: boolean) => void} act does the action of a name, which learns whether the second key
 *     of a pair was pressed.
 */
export function followKeys(act) {
  const bindings = new Map();
  for (const { keys, action, isAlways } of KEYS) {
    if (!action) continue;
    keys.forEach((key, at) => bindings.set(key, { action, isAlways, isSecond: at % 2 === 1 }));
  }
  // After a click, the keys are about the pattern, and not about the button. A dialog that it opens gives
  // the focus back to where it is now.
  document.addEventListener("click", (event) => {
    if (event.detail > 0 && event.target.closest("header button, #tools button")) document.getElementById("timeline").focus();
  }, { capture: true });
  document.addEventListener("keydown", (event) => {
    const name = nameOfKey(event);
    const binding = bindings.get(name);
    if (!binding || event.isComposing) return;
    const isBusy = document.querySelector("dialog[open]") !== null || isNeededBy(event.target, name);
    if (isBusy && !binding.isAlways) return;
    if (name !== "Escape") event.preventDefault();
    act(binding.action, binding.isSecond);
  });
}

/** Fills the table of the help. */
export function fillHelp(body) {
  const words = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };
  const plain = (key) => key.replace(/Arrow\w+/, (name) => words[name]);
  for (const { keys, words } of KEYS) {
    if (!words) continue;
    const names = keys.filter((key) => key !== "=").flatMap((key) => [element("kbd", { textContent: plain(key) }), " "]);
    body.append(element("tr", {}, element("th", { scope: "row" }, ...names), element("td", { textContent: words })));
  }
}
