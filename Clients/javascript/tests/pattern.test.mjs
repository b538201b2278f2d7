// The reader of AHAP. `make test-clients` compares the results of the reader with the results of `bridge`.
import assert from "node:assert/strict"
import test from "node:test"
import { HapticErrorCode as Code, HapticPattern } from "../index.js"
import { curveMessages, parameterMessages } from "../pattern.js"

const rejects = (call, code) => assert.throws(call, error => error.code === code)

test("invalid patterns are rejected with the codes of Core Haptics", () => {
  const event = { EventType: "HapticTransient", Time: 0 }
  const invalid = [
    ["{", Code.invalidPatternData], [[], Code.invalidPatternDictionary], [null, Code.invalidPatternDictionary],
    [{ Pattern: [] }, Code.invalidPatternDictionary], [{ Pattern: [3] }, Code.invalidPatternDictionary],
    [{ Pattern: [{ Event: {} }] }, Code.invalidEventType],
    [{ Pattern: [{ Event: { EventType: "toString" } }] }, Code.invalidEventType],
    [{ Pattern: [{ Event: { ...event, Time: -1 } }] }, Code.invalidTime],
    [{ Pattern: [{ Event: { ...event, EventParameters: 3 } }] }, Code.badEventEntry],
  ]
  for (const [ahap, code] of invalid) rejects(() => new HapticPattern(ahap), code)
  rejects(() => HapticPattern.fromFile("missing.ahap"), Code.fileNotFound)
  rejects(() => HapticPattern.named("toString"), Code.fileNotFound)
})

test("parameters and curves in code are checked", () => {
  rejects(() => parameterMessages([{ id: "Volume", value: 1 }], "parameters"), Code.invalidParameterType)
  rejects(() => parameterMessages([{ id: "HapticIntensityControl", value: NaN }], "parameters"), Code.badParameterEntry)
  rejects(() => curveMessages({ id: "HapticIntensityControl", points: [[-1, 0]] }, "curve"), Code.invalidTime)
})

test("long patterns and curves are divided", () => {
  const points = Array.from({ length: 251 }, (_, index) => [index / 100, 1])
  const [first, last] = curveMessages({ id: "HapticIntensityControl", points }, "curve")
  assert.deepEqual([first.type, first.points.length, last.type, last.curves[0][2].length], ["points", 250, "curve", 1])
  const events = Array.from({ length: 501 }, () => ({ Event: { EventType: "HapticTransient", Time: 0 } }))
  assert.deepEqual(new HapticPattern({ Pattern: events }).messages.map(({ events }) => events.length), [250, 250, 1])
})

test("every named pattern can be read", () => {
  assert.ok(HapticPattern.names().length >= 22)
  for (const name of HapticPattern.names()) assert.ok(HapticPattern.named(name).messages.length >= 1)
})
