// Tests of the visible part of a pattern, and of the items at a position on the canvas.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Model, newBuzz, newCurve, newTap } from "../../Sources/Studio/Page/model.js";
import { hit, lowerBound, sampleAt, simplified, valueAt, View } from "../../Sources/Studio/Page/view.js";

function shown(...entries) {
  const model = new Model();
  model.load({ Pattern: entries });
  const view = new View();
  view.resize(1000, 600);
  view.fit(model.end);
  return { model, view };
}

const NONE = new Set();

test("a position on the canvas is converted to a time and a level, and back", () => {
  const { view } = shown(newBuzz(0, 2));
  assert.ok(Math.abs(view.time(view.x(1.25)) - 1.25) < 1e-9);
  for (const lane of ["intensity", "sharpness"]) {
    assert.ok(Math.abs(view.level(view.y(0.3, lane), lane) - 0.3) < 1e-9);
    assert.equal(view.laneAt(view.y(0.3, lane)), lane);
  }
  assert.equal(view.laneAt(5), "ruler");
  assert.equal(view.laneAt(1e6), "energy");
});

test("a zoom keeps the time under the pointer, and scrolling stops before time 0", () => {
  const { view } = shown(newBuzz(0, 2));
  const time = view.time(400);
  view.zoom(2, 400);
  assert.ok(Math.abs(view.time(400) - time) < 1e-9);
  view.scroll(-100);
  assert.equal(view.start, view.earliest);
});

test("a time is brought into view only if it is not visible", () => {
  const { view } = shown(newBuzz(0, 2));
  assert.equal(view.reveal(1), false);
  assert.equal(view.reveal(50), true);
  assert.ok(view.start < 50 && view.end > 50);
});

test("the head of a tap, the edge of a buzz and the line of a curve are hit", () => {
  const line = [{ time: 0.2, value: 0.2 }, { time: 1.8, value: 0.2 }];
  const { model, view } = shown(newTap(0.5, 0.9), newBuzz(1, 0.5, 0.6), newCurve("HapticIntensityControl", line));
  const at = (time, level) => hit(model, view, view.x(time), view.y(level, "intensity"), NONE);
  assert.deepEqual([at(0.5, 0.9)?.index, at(0.5, 0.9)?.part], [0, "head"]);
  assert.deepEqual([at(1.5, 0.5)?.index, at(1.5, 0.5)?.part], [1, "edge"]);
  assert.deepEqual([at(0.8, 0.2)?.index, at(0.8, 0.2)?.part], [2, "line"]);
  assert.deepEqual([at(1.8, 0.2)?.index, at(1.8, 0.2)?.point], [2, 1]);
  assert.equal(at(0.8, 0.9), null);
  assert.equal(hit(model, view, view.x(0.5), 5, NONE), null);
});

test("if several taps are at a position, the selected tap is hit", () => {
  const { model, view } = shown(newTap(0.5, 0.9), newTap(0.5, 0.9));
  const [x, y] = [view.x(0.5), view.y(0.9, "intensity")];
  assert.equal(hit(model, view, x, y, new Set(["1"]))?.index, 1);
  assert.equal(hit(model, view, x, y, new Set(["0"]))?.index, 0);
});

test("values between samples and points are interpolated linearly", () => {
  assert.equal(lowerBound([1, 2, 2, 3], 2), 1);
  assert.equal(sampleAt([0, 1], [0, 10], 0.25), 2.5);
  assert.equal(sampleAt([0, 1], [4, 10], 9), 10);
  const points = [{ time: 0, value: 0 }, { time: 1, value: 1 }, { time: 1, value: 0.5 }];
  assert.equal(valueAt(points, 0.25), 0.25);
  assert.equal(valueAt(points, 9), 0.5);
  assert.equal(valueAt([], 1), 0);
});

test("a pen line keeps the relevant points", () => {
  const line = [0, 1, 2, 3, 4].map((time) => ({ time, value: time < 3 ? time : 6 - time }));
  assert.deepEqual(simplified(line, 0.01).map(({ time }) => time), [0, 3, 4]);
  assert.deepEqual(simplified(line, 10).map(({ time }) => time), [0, 4]);
});
