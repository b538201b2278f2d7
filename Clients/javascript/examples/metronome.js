// A metronome in step with the clock of the computer: node metronome.js [BEATS-PER-MINUTE]
// On several computers whose clocks are synchronized, the beats are felt at the same time.
import { setTimeout as sleep } from "node:timers/promises"
import { HapticEngine, HapticPattern } from "../index.js"

const period = 60_000 / Number(process.argv[2] ?? 120)
const calendarTime = () => performance.timeOrigin + performance.now()
const engine = new HapticEngine()
try {
  await engine.start()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
const [strong, weak] = ["impact-rigid", "impact-light"].map(name => engine.makePlayer(HapticPattern.named(name)))
for (let beat = Math.floor(calendarTime() / period) + 1; engine.isRunning; beat++) {
  // Each beat is requested 0.1 s ahead, so that the board plays it exactly at its time.
  await sleep(Math.max(0, beat * period - calendarTime() - 100))
  const player = beat % 4 === 0 ? strong : weak
  player.start(engine.currentTime + (beat * period - calendarTime()) / 1000)
}
