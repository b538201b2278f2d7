// Tests of the user's actions on the selection, and of the edits that the tool receives as a result.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Editor } from "../../Sources/Studio/Page/editing.js";
import { change } from "../../Sources/Studio/Page/edits.js";
import { nameOfKey } from "../../Sources/Studio/Page/keys.js";
import { Model, newBuzz, newCurve, newTap } from "../../Sources/Studio/Page/model.js";
import { Recorder } from "../../Sources/Studio/Page/record.js";

/**
 * Returns an editor for a pattern, its model, the edits that it sends, and the tool's copy of the document, to which
 * each edit is applied.
 */
function opened(...entries) {
  const document = { Pattern: structuredClone(entries) };
  const sent = [];
  const connection = {
    sendEdits(edits, isLive) {
      sent.push({ edits: structuredClone(edits), isLive });
      for (const edit of edits) change(document, edit);
    },
  };
  const model = new Model();
  model.load({ Pattern: entries });
  const editor = new Editor(model, connection, () => true, () => {});
  return { editor, model, sent, document };
}

/** Checks that the page and the tool have equal patterns. */
function expectSame({ model, document }) {
  assert.deepEqual(model.entries, document.Pattern);
}

const points = [{ time: 0, value: 0 }, { time: 1, value: 1 }, { time: 2, value: 0 }];
const curve = () => newCurve("HapticIntensityControl", points);

test("live edits are sent during a drag, and the drag ends with one edit that is not live", () => {
  const page = opened(newTap(1, 0.5), newTap(2));
  page.editor.select(["0"]);
  page.editor.begin();
  page.editor.preview({ time: 0.5, intensity: 0.2 });
  page.editor.preview({ time: 0.5, intensity: 0.2 });
  page.editor.preview({ time: 3 });
  page.editor.commit();
  assert.deepEqual(page.sent.map(({ isLive }) => isLive), [true, true, false]);
  assert.equal(page.model.items[0].time, 4);
  expectSame(page);
});

test("a cancelled drag does not change the pattern", () => {
  const page = opened(newTap(1, 0.5));
  const before = structuredClone(page.document);
  page.editor.select(["0"]);
  page.editor.begin();
  page.editor.preview({ time: 2, intensity: 0.3 });
  page.editor.cancel();
  assert.deepEqual(page.document, before);
  expectSame(page);
});

test("moved entries keep their distances and do not begin before time 0", () => {
  const page = opened(newTap(1), newTap(3));
  page.editor.selectAll();
  page.editor.nudge({ time: -5 });
  assert.deepEqual(page.model.items.map(({ time }) => time), [0, 2]);
  expectSame(page);
});

test("levels stay from 0 to 1, and a buzz keeps a minimum length", () => {
  const page = opened(newBuzz(0, 1, 0.9, 0.1));
  page.editor.select(["0"]);
  page.editor.nudge({ intensity: 0.5, sharpness: -0.5, duration: -9 });
  const [{ intensity, sharpness, duration }] = page.model.items;
  assert.deepEqual([intensity, sharpness, duration], [1, 0, 0.001]);
  expectSame(page);
});

test("a single moved point stays between its neighbors", () => {
  const page = opened(curve());
  page.editor.select(["0.1"]);
  page.editor.nudge({ time: 9, intensity: -0.25 });
  assert.deepEqual(page.model.items[0].points[1], { time: 2, value: 0.75 });
  expectSame(page);
});

test("inserted entries are ordered by time, and are selected", () => {
  const page = opened(newTap(1), newTap(3));
  page.editor.insert([newTap(4), newTap(2)]);
  assert.deepEqual(page.model.items.map(({ time }) => time), [1, 2, 3, 4]);
  assert.deepEqual([...page.editor.selection].sort(), ["1", "3"]);
  const operations = page.sent[0].edits.map(({ op, path }) => `${op} ${path}`);
  assert.deepEqual(operations, ["add /Pattern/1", "add /Pattern/3"]);
  expectSame(page);
});

test("a removal removes points and entries, and a curve without points", () => {
  const page = opened(newTap(1), curve(), curve());
  page.editor.select(["0", "1.0", "1.1", "1.2", "2.1"]);
  assert.equal(page.editor.remove(), 3);
  assert.equal(page.model.items.length, 1);
  assert.deepEqual(page.model.items[0].points.map(({ time }) => time), [0, 2]);
  expectSame(page);
});

test("a point is inserted at its time", () => {
  const page = opened(curve());
  page.editor.insertPoint(0, 1.5, 0.25);
  assert.deepEqual(page.model.items[0].points.map(({ value }) => value), [0, 1, 0.25, 0]);
  assert.deepEqual([...page.editor.selection], ["0.2"]);
  expectSame(page);
});

test("a typed value is set in all selected entries that have this value", () => {
  const page = opened(newTap(1), newBuzz(2, 1), curve());
  page.editor.selectAll();
  page.editor.type("intensity", 2);
  page.editor.type("duration", 0.5);
  page.editor.type("time", NaN);
  assert.deepEqual(page.model.items.map(({ intensity }) => intensity), [1, 1, 0]);
  assert.deepEqual(page.model.items.map(({ duration }) => duration), [0, 0.5, 0]);
  expectSame(page);
});

test("values that the file omits are added without the loss of another value", () => {
  const page = opened({ Event: { EventType: "HapticTransient" } });
  page.editor.select(["0"]);
  page.editor.nudge({ time: 1, intensity: 0.1, sharpness: 0.2 });
  const [{ time, intensity, sharpness }] = page.model.items;
  assert.deepEqual([time, intensity, sharpness], [1, 0.85, 0.7]);
  expectSame(page);
});

test("copies are pasted at a time, and entries of unknown kinds are omitted", () => {
  const page = opened(newTap(1), newTap(1.5));
  page.editor.selectAll();
  const copies = page.editor.copies();
  page.editor.paste([...copies, {}, null], 5);
  assert.deepEqual(page.model.items.map(({ time }) => time), [1, 1.5, 5, 5.5]);
  page.editor.duplicate();
  assert.deepEqual(page.model.items.map(({ time }) => time), [1, 1.5, 5, 5.5, 5.5, 6]);
  expectSame(page);
});

test("steps select events and points in the order of time, and stop at the ends", () => {
  const { editor } = opened(newTap(3), curve());
  const walk = [1, 1, 1, 1, 1, 1].map((direction) => {
    editor.step(direction, false);
    return [...editor.selection][0];
  });
  assert.deepEqual(walk, ["1", "1.0", "1.1", "1.2", "0", "0"]);
  editor.select([]);
  editor.step(-1, false);
  assert.deepEqual([...editor.selection], ["0"]);
});

test("nothing is edited while editing is disabled", () => {
  const page = opened(newTap(1));
  let retry = null;
  page.editor.mayEdit = (again) => {
    retry = again ?? null;
    return false;
  };
  page.editor.select(["0"]);
  page.editor.nudge({ time: 1 });
  page.editor.insert([newTap(2)]);
  assert.deepEqual(page.sent, []);
  page.editor.mayEdit = () => true;
  retry?.();
  assert.equal(page.model.items.length, 2);
});

test("a tapped rhythm becomes taps and buzzes from a time on", () => {
  const recorder = new Recorder();
  recorder.start();
  recorder.press("Space", 1000);
  recorder.release("Space", 1050);
  recorder.press("pen", 1500, 0.4);
  recorder.pressHarder("pen", 0.9);
  const entries = recorder.finish(2, 2000);
  assert.deepEqual(entries.map(({ Event }) => [Event.EventType, Event.Time, Event.EventDuration]), [
    ["HapticTransient", 2, undefined], ["HapticContinuous", 2.5, 0.5],
  ]);
  assert.equal(entries[1].Event.EventParameters[0].ParameterValue, 0.9);
});

test("Shift is part of a key's name only if it makes a difference", () => {
  const press = (key, more = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });
  assert.equal(nameOfKey(press(" ")), "Space");
  assert.equal(nameOfKey(press("z", { ctrlKey: true })), "Ctrl+Z");
  assert.equal(nameOfKey(press("Z", { metaKey: true, shiftKey: true })), "Ctrl+Shift+Z");
  assert.equal(nameOfKey(press("?", { shiftKey: true })), "?");
  assert.equal(nameOfKey(press("ArrowUp", { altKey: true, shiftKey: true })), "Alt+Shift+ArrowUp");
});
