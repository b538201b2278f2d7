// The list of events and the fields of what is selected: everything of the time line as text that can be typed.

import { keyOf } from "./editing.js";
import { describe, nameOf, rangeOf } from "./model.js";

const ROWS_PER_PAGE = 50;
const NAMES = { tap: "Tap", buzz: "Buzz", audio: "Sound", curve: "Curve", parameter: "Parameter", unknown: "Unknown" };
const FIELDS = {
  tap: ["time", "intensity", "sharpness"],
  buzz: ["time", "duration", "intensity", "sharpness", "AttackTime", "DecayTime", "ReleaseTime", "Sustained"],
  audio: ["time"], curve: ["time"], parameter: ["time", "value"], unknown: [],
};
const LABELS = {
  time: "Time (s)", duration: "Duration (s)", intensity: "Intensity", sharpness: "Sharpness", value: "Value",
  AttackTime: "Attack", DecayTime: "Decay", ReleaseTime: "Release", Sustained: "Sustained",
};

/** Makes an element with properties and children. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function numberField(label, value, field, range) {
  const input = element("input", { type: "number", value: shown(value) });
  input.setAttribute("aria-label", label);
  input.dataset.field = field;
  input.step = field === "time" || field === "duration" ? "0.001" : "0.01";
  [input.min, input.max] = range;
  return input;
}

function shown(value) {
  return Number.isFinite(value) ? String(Number(value.toFixed(6))) : "";
}

/** The table of all entries, a page of rows at a time. It is filled while it is open. */
export class EventList {
  constructor(model, editor, say) {
    Object.assign(this, { model, editor, say, from: 0, shape: null });
    this.details = document.getElementById("list");
    this.rows = document.getElementById("rows");
    this.details.addEventListener("toggle", () => this.update());
    document.getElementById("earlier").addEventListener("click", () => this.turn(-ROWS_PER_PAGE));
    document.getElementById("later").addEventListener("click", () => this.turn(ROWS_PER_PAGE));
    this.rows.addEventListener("change", (event) => this.typed(event.target));
    this.rows.addEventListener("focusin", (event) => this.entered(event.target));
    this.rows.addEventListener("click", (event) => this.removed(event.target));
  }

  turn(rows) {
    this.from = Math.max(this.from + rows, 0);
    this.update();
  }

  update() {
    if (!this.details.open) return;
    const { items } = this.model;
    if (this.from >= items.length) this.from = Math.floor(Math.max(items.length - 1, 0) / ROWS_PER_PAGE) * ROWS_PER_PAGE;
    const page = items.slice(this.from, this.from + ROWS_PER_PAGE);
    this.build(page);
    page.forEach((item, at) => this.fill(this.rows.rows[at], item));
    document.getElementById("pages").hidden = items.length <= ROWS_PER_PAGE;
    document.getElementById("earlier").disabled = this.from === 0;
    document.getElementById("later").disabled = this.from + ROWS_PER_PAGE >= items.length;
    document.getElementById("page").textContent = `${this.from + 1} to ${this.from + page.length} of ${items.length}`;
  }

  /** Makes the rows, unless those that there are will do: a field that is clicked on stays the one that has the focus. */
  build(page) {
    const shape = JSON.stringify(page.map(({ index, kind, parameter, points }) => [index, kind, parameter, points?.length]));
    if (shape === this.shape) return;
    this.shape = shape;
    const focused = this.rows.contains(document.activeElement) ? placeOf(document.activeElement) : null;
    this.rows.replaceChildren(...page.map((item) => this.row(item)));
    if (focused) this.rows.querySelector(`tr[data-index="${focused.index}"] [data-field="${focused.field}"]`)?.focus();
  }

  /** Shows in a row what its item is now. */
  fill(row, item) {
    row.classList.toggle("selected", this.editor.selection.has(keyOf(item.index)));
    for (const input of row.querySelectorAll("input")) {
      const value = shown(item[input.dataset.field]);
      if (input.value === "" || Number(input.value) !== Number(value)) input.value = value;
    }
  }

  row(item) {
    const name = `${NAMES[item.kind]} ${item.index + 1}`;
    const row = element("tr");
    row.dataset.index = item.index;
    const title = item.kind === "curve" ? `${name}: ${nameOf(item.parameter)}, ${item.points.length} points` : name;
    row.append(element("th", { scope: "row", textContent: title }));
    for (const field of ["time", "duration", "intensity", "sharpness"]) {
      const cell = element("td");
      if (FIELDS[item.kind].includes(field)) {
        cell.append(numberField(`${LABELS[field]} of ${name}`, item[field], field, field === "time" || field === "duration" ? [0, ""] : [0, 1]));
      }
      row.append(cell);
    }
    const button = element("button", { textContent: "Remove" });
    button.setAttribute("aria-label", `Remove ${name}`);
    button.dataset.field = "remove";
    row.append(element("td", {}, button));
    return row;
  }

  typed(input) {
    const { index, field } = placeOf(input);
    if (input.value === "") return this.update();
    this.editor.selection = new Set([keyOf(index)]);
    this.editor.type(field, Number(input.value));
    return this.say(describe(this.model.items[index]));
  }

  entered(target) {
    const { index } = placeOf(target);
    const key = keyOf(index);
    if (this.editor.selection.size === 1 && this.editor.selection.has(key)) return;
    this.editor.select([key]);
  }

  removed(target) {
    if (target.dataset.field !== "remove") return;
    const { index } = placeOf(target);
    const words = describe(this.model.items[index]);
    this.editor.selection = new Set([keyOf(index)]);
    if (this.editor.remove() > 0) this.say(`Removed: ${words}`);
  }
}

function placeOf(target) {
  return { index: Number(target.closest("tr").dataset.index), field: target.dataset.field };
}

/** The fields of what is selected. */
export class Inspector {
  constructor(model, editor) {
    Object.assign(this, { model, editor, shape: "" });
    this.fields = document.getElementById("fields");
    this.words = document.getElementById("selected");
    this.fields.addEventListener("change", ({ target }) => {
      const value = target.type === "checkbox" ? Number(target.checked) : target.value === "" ? NaN : Number(target.value);
      this.editor.type(target.dataset.field, value);
    });
  }

  update() {
    const places = this.editor.places();
    this.words.textContent = this.editor.inWords() ?? "Nothing. Click on an event to change its values here.";
    const first = places[0];
    const item = first ? this.model.items[first.index] : null;
    const names = !item ? [] : first.point !== null ? ["time", "value"] : FIELDS[item.kind];
    const shape = `${first?.point !== null && item?.parameter}:${names}`;
    if (shape !== this.shape) this.build(names, item, shape);
    if (!item) return;
    const values = first.point !== null ? item.points[first.point] : { ...item.parameters, ...item };
    for (const input of this.fields.querySelectorAll("input")) {
      const value = values?.[input.dataset.field];
      if (input.type === "checkbox") input.checked = value >= 0.5;
      else if (input !== document.activeElement || !this.editor.move) input.value = shown(value);
    }
  }

  build(names, item, shape) {
    this.shape = shape;
    this.fields.replaceChildren(...names.map((name) => {
      const isTime = name === "time" || name === "duration";
      const range = isTime ? [0, ""] : name === "value" ? rangeOf(item.parameter ?? "") : [0, 1];
      const input = numberField(LABELS[name], 0, name, range);
      if (name === "Sustained") input.type = "checkbox";
      return element("label", {}, LABELS[name], input);
    }));
  }
}
