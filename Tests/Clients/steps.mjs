// Performs the steps of a file with the JavaScript client in Node: node steps.mjs FILE
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { HapticEngine, HapticPattern } from "../../Clients/javascript/index.js"
import { perform } from "./perform.mjs"

const path = process.argv[2]
const pattern = (kind, name) =>
  kind === "named" ? HapticPattern.named(name) : HapticPattern.fromFile(join(dirname(path), name))
const engine = new HapticEngine()
await engine.start()
await perform(readFileSync(path, "utf8"), engine, pattern, console.log)
await engine.stop()
