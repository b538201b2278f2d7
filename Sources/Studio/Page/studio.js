// Starts the page, and connects the parts of the page to its controls, to the keyboard and to the tool.

import { App } from "./app.js";
import { followClipboard } from "./clipboard.js";
import { Commands, ZOOM } from "./commands.js";
import { $, $button, $input, $rows, $select, buttons } from "./elements.js";
import { fillHelp, followKeys } from "./keys.js";
import { Receiver } from "./receive.js";
import { followPresses } from "./record.js";

const app = new App();
const commands = new Commands(app);

/**
 * The actions of the buttons, with their arguments.
 * @type {Record<string, [action: string, argument?: unknown]>}
 */
const ACTIONS = {
  "add-tap": ["addTap"], "add-buzz": ["addBuzz"], "add-curve": ["addCurve"], record: ["record"],
  measure: ["measure"],
  undo: ["undo"], redo: ["redo"], save: ["save"], "save-as": ["saveAs"], new: ["create"], help: ["help"],
  "zoom-in": ["zoom", ZOOM], "zoom-out": ["zoom", 1 / ZOOM], fit: ["fit"],
};

for (const [id, [action, argument]] of Object.entries(ACTIONS)) {
  $button(id).addEventListener("click", () => commands.act(action, argument));
}

// Without this handler, the browser would replace the page with a dropped file.
for (const type of ["dragover", "drop"]) document.addEventListener(type, (event) => event.preventDefault());
document.addEventListener("drop", () => {
  app.announce("Files cannot be dropped here. AHAP files in the folder of the studio are in the list of patterns.");
});

$select("snap").addEventListener("change", () => { app.snap = Number($select("snap").value); });
$("scroll").addEventListener("input", () => {
  app.timeline.view.scroll(Number($input("scroll").value) - app.timeline.view.start);
  app.timeline.changed();
});

const tools = buttons("[data-tool]");
/** @type {Record<string, number>} */
const WAYS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
tools.forEach((button, at) => {
  const choose = () => commands.act("chooseTool", button.dataset.tool);
  button.addEventListener("click", choose);
  button.addEventListener("keydown", ({ key }) => {
    const way = WAYS[key];
    if (!way) return;
    const next = tools[(at + way + tools.length) % tools.length];
    next.click();
    next.focus();
  });
});

followPresses(app.recorder, app.timeline.canvas);
followClipboard(app);
followKeys((action, argument) => commands.act(action, argument));
fillHelp($rows("key-rows"));
app.changed();
app.connection.open(new Receiver(app));
