// The list of events and the fields of the selection, which show all values of the timeline as editable text.

import { $, $button, $details, $rows, closest, element, fields } from "./elements.js";
import { rangeOf } from "./model.js";
import { keyOf } from "./selection.js";
import { describe, nameOf } from "./words.js";

const ROWS_PER_PAGE = 50;
/** @typedef {import("./model.js").Item} Item */
/** @typedef {import("./model.js").Kind} Kind */

/** @type {Record<Kind, string>} */
const NAMES = { tap: "Tap", buzz: "Buzz", audio: "Sound", curve: "Curve", parameter: "Parameter", unknown: "Unknown" };
/** @type {Record<Kind, string[]>} */
const FIELDS = {
  tap: ["time", "intensity", "sharpness"],
  buzz: ["time", "duration", "intensity", "sharpness", "AttackTime", "DecayTime", "ReleaseTime", "Sustained"],
  audio: ["time"], curve: ["time"], parameter: ["time", "value"], unknown: [],
};
/** @type {Record<string, string>} */
const LABELS = {
  time: "Time (s)", duration: "Duration (s)", intensity: "Intensity", sharpness: "Sharpness", value: "Value",
  AttackTime: "Attack", DecayTime: "Decay", ReleaseTime: "Release", Sustained: "Sustained",
};

/** @type {(label: string, value: number, field: string, range: [number, number|""]) => HTMLInputElement} */
function numberField(label, value, field, range) {
  const input = element("input", { type: "number", value: shown(value) });
  input.setAttribute("aria-label", label);
  input.dataset.field = field;
  input.step = field === "time" || field === "duration" ? "0.001" : "0.01";
  [input.min, input.max] = range.map(String);
  return input;
}

/** @type {(value: unknown) => string} */
function shown(value) {
  return typeof value === "number" && Number.isFinite(value) ? String(Number(value.toFixed(6))) : "";
}

/** @type {(field: string) => boolean} */
function isTime(field) {
  return field === "time" || field === "duration";
}

/**
 * Returns the value of a field of an item.
 * @type {(item: Item, field: string) => number|undefined}
 */
function valueOf(item, field) {
  const value = item.parameters?.[field] ?? Object.entries(item).find(([name]) => name === field)?.[1];
  return typeof value === "number" ? value : undefined;
}

/** The table of all entries, divided into pages. The table is filled only while it is open. */
export class EventList {
  /**
   * @param {import("./model.js").Model} model
   * @param {import("./editing.js").Editor} editor
   * @param {(text: string) => void} announce
   */
  constructor(model, editor, announce) {
    this.model = model;
    this.editor = editor;
    this.announce = announce;
    this.from = 0;
    this.shape = "";
    this.details = $details("list");
    this.rows = $rows("rows");
    this.details.addEventListener("toggle", () => this.update());
    $("earlier").addEventListener("click", () => this.turn(-ROWS_PER_PAGE));
    $("later").addEventListener("click", () => this.turn(ROWS_PER_PAGE));
    this.rows.addEventListener("change", ({ target }) => {
      if (target instanceof HTMLInputElement) this.typed(target);
    });
    this.rows.addEventListener("focusin", ({ target }) => { if (target instanceof HTMLElement) this.entered(target); });
    this.rows.addEventListener("click", (event) => this.removed(closest(event, "button")));
  }

  /** @param {number} rows */
  turn(rows) {
    this.from = Math.max(this.from + rows, 0);
    this.update();
  }

  update() {
    if (!this.details.open) return;
    const { items } = this.model;
    const last = Math.floor(Math.max(items.length - 1, 0) / ROWS_PER_PAGE) * ROWS_PER_PAGE;
    this.from = Math.min(this.from, last);
    const page = items.slice(this.from, this.from + ROWS_PER_PAGE);
    this.build(page);
    page.forEach((item, at) => this.fill(this.rows.rows[at], item));
    $("pages").hidden = items.length <= ROWS_PER_PAGE;
    $button("earlier").disabled = this.from === 0;
    $button("later").disabled = this.from + ROWS_PER_PAGE >= items.length;
    $("page").textContent = `${this.from + 1} to ${this.from + page.length} of ${items.length}`;
  }

  /**
   * Creates the rows. Existing rows with the same fields remain, so that a clicked field keeps the focus.
   * @param {Item[]} page
   */
  build(page) {
    const shape = JSON.stringify(page.map(({ index, kind, parameter, points: { length } }) => [
      index, kind, parameter, length,
    ]));
    if (shape === this.shape) return;
    this.shape = shape;
    const active = document.activeElement;
    const focused = active instanceof HTMLElement && this.rows.contains(active) ? cellOf(active) : null;
    this.rows.replaceChildren(...page.map((item) => this.row(item)));
    if (!focused) return;
    const again = this.rows.querySelector(`tr[data-index="${focused.index}"] [data-field="${focused.field}"]`);
    if (again instanceof HTMLElement) again.focus();
  }

  /**
   * Updates a row with the values of its item.
   * @param {HTMLTableRowElement} row
   * @param {Item} item
   */
  fill(row, item) {
    row.classList.toggle("selected", this.editor.selection.has(keyOf(item.index)));
    for (const input of fields(row)) {
      const value = shown(valueOf(item, input.dataset.field ?? ""));
      if (input.value === "" || Number(input.value) !== Number(value)) input.value = value;
    }
  }

  /** @param {Item} item */
  row(item) {
    const name = `${NAMES[item.kind]} ${item.index + 1}`;
    const row = element("tr");
    row.dataset.index = String(item.index);
    const title = item.kind === "curve" ? `${name}: ${nameOf(item.parameter)}, ${item.points.length} points` : name;
    row.append(element("th", { scope: "row", textContent: title }));
    for (const field of ["time", "duration", "intensity", "sharpness"]) {
      const cell = element("td");
      if (FIELDS[item.kind].includes(field)) {
        const value = valueOf(item, field) ?? 0;
        cell.append(numberField(`${LABELS[field]} of ${name}`, value, field, isTime(field) ? [0, ""] : [0, 1]));
      }
      row.append(cell);
    }
    const button = element("button", { textContent: "Remove" });
    button.setAttribute("aria-label", `Remove ${name}`);
    button.dataset.field = "remove";
    row.append(element("td", {}, button));
    return row;
  }

  /** @param {HTMLInputElement} input */
  typed(input) {
    const { index, field } = cellOf(input);
    if (input.value === "") {
      this.update();
      return;
    }
    this.editor.selection = new Set([keyOf(index)]);
    this.editor.type(field, Number(input.value));
    this.announce(describe(this.model.items[index]));
  }

  /** @param {HTMLElement} target */
  entered(target) {
    const { index } = cellOf(target);
    const key = keyOf(index);
    if (this.editor.selection.size === 1 && this.editor.selection.has(key)) return;
    this.editor.select([key]);
  }

  /** @param {HTMLElement|null} target */
  removed(target) {
    if (target?.dataset.field !== "remove") return;
    const { index } = cellOf(target);
    const words = describe(this.model.items[index]);
    this.editor.selection = new Set([keyOf(index)]);
    if (this.editor.remove() > 0) this.announce(`Removed: ${words}`);
  }
}

/** @type {(target: HTMLElement) => { index: number, field: string }} */
function cellOf(target) {
  return { index: Number(target.closest("tr")?.dataset.index), field: target.dataset.field ?? "" };
}

/** The input fields of the selection. */
export class Inspector {
  /**
   * @param {import("./model.js").Model} model
   * @param {import("./editing.js").Editor} editor
   */
  constructor(model, editor) {
    this.model = model;
    this.editor = editor;
    this.shape = "";
    this.fields = $("fields");
    this.words = $("selected");
    this.fields.addEventListener("change", ({ target }) => {
      if (target instanceof HTMLInputElement) this.typed(target);
    });
  }

  /** @param {HTMLInputElement} input */
  typed({ type, checked, value, dataset }) {
    // An empty field or an invalid value does not change the pattern.
    const number = value === "" ? NaN : Number(value);
    this.editor.type(dataset.field ?? "", type === "checkbox" ? Number(checked) : number);
  }

  update() {
    const [first] = this.editor.selectedRefs();
    this.words.textContent = this.editor.inWords() ?? "Nothing is selected. Click an event to change its values here.";
    if (!first) {
      this.build([], "");
      return;
    }
    const item = this.model.items[first.index];
    const point = first.point === null ? null : item.points[first.point];
    this.build(point ? ["time", "value"] : FIELDS[item.kind], item.parameter);
    for (const input of fields(this.fields)) {
      const name = input.dataset.field ?? "";
      const value = valueOf(point ? { ...item, parameters: null, ...point } : item, name);
      if (input.type === "checkbox") input.checked = (value ?? 0) >= 0.5;
      else if (input !== document.activeElement || !this.editor.move) input.value = shown(value);
    }
  }

  /**
   * Creates the fields if they do not exist yet.
   * @param {string[]} names
   * @param {string} parameter
   */
  build(names, parameter) {
    const shape = `${parameter}:${names}`;
    if (shape === this.shape) return;
    this.shape = shape;
    this.fields.replaceChildren(...names.map((name) => {
      const levels = name === "value" ? rangeOf(parameter) : /** @type {[number, number]} */ ([0, 1]);
      const input = numberField(LABELS[name], 0, name, isTime(name) ? [0, ""] : levels);
      if (name === "Sustained") input.type = "checkbox";
      return element("label", {}, LABELS[name], input);
    }));
  }
}
