// A slider that can be felt: each line of the standard input contains a value from 0 to 1, which becomes the level.
import { createInterface } from "node:readline"
import { HapticEngine, HapticPattern } from "../index.js"

// Without a duration, the event plays until it is stopped.
const level = new HapticPattern({
  Pattern: [{
    Event: {
      EventType: "HapticContinuous", Time: 0,
      EventParameters: [{ ParameterID: "HapticIntensity", ParameterValue: 1 }],
    },
  }],
})
const engine = new HapticEngine()
try {
  await engine.start()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
const player = engine.makePlayer(level)
player.sendParameters([{ id: "HapticIntensityControl", value: 0 }])
player.start()
for await (const line of createInterface({ input: process.stdin })) {
  player.sendParameters([{ id: "HapticIntensityControl", value: Number(line) }])
}
await engine.stop()
