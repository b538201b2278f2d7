// Plays an AHAP file: node play.js FILE [PORT]
import { HapticEngine } from "../index.js"

const [file, port] = process.argv.slice(2)
if (!file) {
  console.error("usage: node play.js FILE [PORT]")
  process.exit(64)
}
const engine = new HapticEngine({ port, program: "play.js" })
try {
  await engine.start()
  await engine.finished(engine.playPattern(file))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
await engine.stop()
