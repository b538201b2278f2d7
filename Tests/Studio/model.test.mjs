// Tests of the page's model of the pattern: items, edits of items, and descriptions of items.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Model, newBuzz, newCurve, newTap, rangeOf } from "../../Sources/Studio/Page/model.js";
import { describe, difference, laneNames, nameOf } from "../../Sources/Studio/Page/words.js";

export function modelOf(...entries) {
  const model = new Model();
  model.load({ Version: 1, Pattern: entries });
  return model;
}

test("values that a file omits have the defaults of Haptic Bridge", () => {
  const model = modelOf({ Event: { EventType: "HapticTransient" } }, { Event: { EventType: "HapticContinuous" } }, {});
  const [tap, buzz, unknown] = model.items;
  assert.deepEqual([tap.kind, tap.time, tap.intensity, tap.sharpness], ["tap", 0, 0.75, 0.5]);
  assert.deepEqual([buzz.kind, buzz.duration, buzz.parameters?.Sustained], ["buzz", 0, 1]);
  assert.equal(unknown.kind, "unknown");
});

test("a text that is not a pattern has no items", () => {
  for (const document of [null, 7, {}, { Pattern: 7 }]) {
    const model = new Model();
    model.load(document);
    assert.deepEqual(model.items, []);
  }
});

test("the times of a curve's points are relative to the start of the pattern", () => {
  const points = [{ time: 1, value: 0.5 }, { time: 2.5, value: 1 }];
  const model = modelOf(newCurve("HapticIntensityControl", points));
  assert.deepEqual(model.items[0].points, points);
  assert.deepEqual([model.curves.length, model.sorted.length, model.end], [1, 0, 2.5]);
});

test("items that are active between two times are found even if an early item is long", () => {
  const model = modelOf(newBuzz(0, 10), newTap(1), newTap(4), newTap(6));
  assert.deepEqual(model.between(3, 5).map(({ index }) => index), [0, 2]);
  assert.deepEqual([model.indexForTime(4), model.indexForTime(9)], [3, 4]);
});

test("an edit of one entry does not change the other entries", () => {
  const model = modelOf(newTap(1), newTap(2));
  const before = model.items[1];
  model.apply(model.memberEdits(0, "Time", 3));
  assert.equal(model.items[0].time, 3);
  assert.equal(model.items[1], before);
  assert.deepEqual(model.sorted.map(({ index }) => index), [1, 0]);
});

test("a value is replaced if the file contains it, and added otherwise", () => {
  const model = modelOf(newTap(1), { Event: { EventType: "HapticTransient", Time: 2, EventParameters: [] } });
  assert.deepEqual(model.parameterEdits(0, "HapticSharpness", 0.9), [
    { op: "replace", path: "/Pattern/0/Event/EventParameters/1/ParameterValue", value: 0.9 },
  ]);
  assert.deepEqual(model.parameterEdits(1, "HapticSharpness", 0.9), [
    { op: "add", path: "/Pattern/1/Event/EventParameters/0",
      value: { ParameterID: "HapticSharpness", ParameterValue: 0.9 } },
  ]);
  model.apply(model.parameterEdits(1, "HapticSharpness", 0.9));
  assert.equal(model.items[1].sharpness, 0.9);
});

test("if a parameter occurs twice in the file, the last one is valid and is edited", () => {
  const twice = [0.1, 0.2].map((value) => ({ ParameterID: "HapticIntensity", ParameterValue: value }));
  const model = modelOf({ Event: { EventType: "HapticTransient", EventParameters: twice } });
  assert.equal(model.items[0].intensity, 0.2);
  assert.match(model.parameterEdits(0, "HapticIntensity", 1)[0].path, /\/1\/ParameterValue$/);
});

test("a moved point causes one edit for each value that changes", () => {
  const model = modelOf(newCurve("HapticIntensityControl", [{ time: 1, value: 0.5 }, { time: 2, value: 1 }]));
  const path = "/Pattern/0/ParameterCurve/ParameterCurveControlPoints/1";
  assert.deepEqual(model.pointEdits(0, 1, 2.5, 1), [{ op: "replace", path: `${path}/Time`, value: 1.5 }]);
  assert.deepEqual(model.pointEdits(0, 1, 0, 1), [{ op: "replace", path: `${path}/Time`, value: 0 }]);
});

test("only additive controls may be below 0", () => {
  assert.deepEqual(rangeOf("HapticIntensityControl"), [0, 1]);
  assert.deepEqual(rangeOf("HapticSharpnessControl"), [-1, 1]);
  assert.deepEqual(rangeOf("HapticIntensity"), [0, 1]);
});

test("items and differences between items are described in words", () => {
  const before = modelOf(newTap(0.2, 0.8, 0.5), newBuzz(1, 0.5));
  assert.equal(describe(before.items[0]), "Tap at 0.200 s, intensity 0.80, sharpness 0.50");
  const after = modelOf(newTap(0.3, 0.8, 0.5), newBuzz(1, 0.5));
  assert.equal(difference(before, after), "now tap at 0.300 s, intensity 0.80, sharpness 0.50");
  assert.match(difference(before, modelOf(newBuzz(1, 0.5))), /^tap at 0\.200 s.* is removed$/);
  assert.match(difference(modelOf(newBuzz(1, 0.5)), before), /^tap at 0\.200 s.* is restored$/);
  assert.equal(difference(modelOf(), before), "2 events are restored");
  assert.equal(nameOf("HapticIntensityControl"), "intensity");
});

test("the lanes name their actuator and its losses", () => {
  const none = { on: null, count: 0, of: 0, kinds: [], marks: [] };
  assert.equal(laneNames([], none).losses, "Losses: none are known");
  const kinds = [{ message: "weak", count: 3, places: [] }];
  const names = laneNames([{ actuator: "LRA" }, { actuator: "ERM" }], { on: "LRA", count: 3, of: 9, kinds, marks: [] });
  assert.equal(names.acceleration, "Acceleration (g), predicted for LRA (line) and ERM (dashed)");
  assert.equal(names.losses, "Losses on LRA: 3 of 9 events not felt as designed");
});
