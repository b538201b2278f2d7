// Tests of the description and of the drawing of a measurement.

import assert from "node:assert/strict";
import { test } from "node:test";

import { drawMeasured } from "../../Sources/Studio/Page/drawing.js";
import { View } from "../../Sources/Studio/Page/view.js";
import { laneNames, measuredInWords } from "../../Sources/Studio/Page/words.js";

test("a measured event is described with its differences", () => {
  const tap = {
    time: 0.5, isTap: true, designed: 1, predicted: 0.9, measured: 0.8, jnd: 1.2, predictionJND: 0.6, later: 0.25,
  };
  assert.equal(measuredInWords(tap),
    "Tap at 0.500 s: measured 0.80, designed 1.00 (1.2 JND), predicted 0.90 (0.6 JND), 0.25 ms later than predicted");
  assert.match(measuredInWords({ ...tap, isTap: false, later: -0.25 }), /^Buzz .* 0\.25 ms earlier than predicted$/);
  assert.match(measuredInWords({ ...tap, later: undefined }), /no onset found$/);
  assert.equal(measuredInWords({ time: 0, isTap: true }), "Tap at 0.000 s: not designed to be felt");
});

test("the name of the lane of the acceleration mentions a measurement", () => {
  const losses = { on: null, count: 0, of: 0, kinds: [], marks: [] };
  const prediction = { actuator: "LRA of 170 Hz" };
  assert.equal(laneNames([prediction], losses, true).acceleration,
    "Acceleration (g), predicted for LRA of 170 Hz; measured (thick line)");
  assert.equal(laneNames([prediction], losses, false).acceleration, "Acceleration (g), predicted for LRA of 170 Hz");
});

/** Records the rectangles of a drawing with their colors. */
class RecordingContext {
  rectangles = [];
  getTransform() { return { a: 1 }; }
  fillRect(x, y, width, height) { this.rectangles.push({ x, y, width, height, color: this.fillStyle }); }
  save() {}
  restore() {}
  beginPath() {}
  rect() {}
  clip() {}
}

test("the measured acceleration is drawn at its times, on the scale of the predictions", () => {
  const view = new View();
  view.resize(1000, 600);
  view.fit(2);
  const context = new RecordingContext();
  drawMeasured(context, view, { times: [0.5, 1, 1.5], acceleration: [0, 2, 0] }, 4, { measured: "purple" });
  const { rectangles } = context;
  assert.ok(rectangles.length > 0 && rectangles.every(({ color }) => color === "purple"));
  const highest = rectangles.reduce((one, other) => (other.y < one.y ? other : one));
  assert.ok(Math.abs(highest.x - view.x(1)) <= 1);
  assert.ok(Math.abs(highest.y - view.y(0.5, "acceleration")) <= 3);
  assert.ok(rectangles.every(({ x }) => x >= view.x(0.5) - 1 && x <= view.x(1.5) + 1));
});
