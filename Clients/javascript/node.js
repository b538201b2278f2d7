// The engine and the patterns for Node.
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { Engine } from "./engine.js"
import { HapticError, HapticErrorCode as Code } from "./errors.js"
import { Pattern } from "./pattern.js"
import { connect as connectSocket, currentTime } from "./server.js"
import { StreamWire } from "./stream.js"

async function connect({ port, keyFile }) {
  const { socket, key } = await connectSocket(port, keyFile)
  return {
    wire: new StreamWire(key, randomBytes(32)),
    isRemote: key !== undefined,
    send: pieces => { if (!socket.destroyed) socket.write(Buffer.concat(pieces)) },
    close: () => socket.destroy(),
    listen(onData, onEnd) {
      socket.on("data", onData)
      socket.on("error", () => {}) // `close` follows.
      socket.on("close", onEnd)
    },
  }
}

let table

/** A pattern in AHAP. */
export class HapticPattern extends Pattern {
  static get table() {
    table ??= JSON.parse(readFileSync(new URL("named.json", import.meta.url), "utf8"))
    return table
  }

  /** Reads an AHAP file. */
  static fromFile(path) {
    let text
    try {
      text = readFileSync(path, "utf8")
    } catch (error) {
      throw new HapticError(Code.fileNotFound, `${path}: ${error.message}`)
    }
    try {
      return new HapticPattern(text)
    } catch (error) {
      throw new HapticError(error.code, `${path}: ${error.reason}`, { advice: error.advice })
    }
  }
}

/** An engine that plays on a board of this computer, or on a board at `tcp://HOST:PORT`. */
export class HapticEngine extends Engine {
  constructor({ port, locality, keyFile, program } = {}) {
    super({ connect, currentTime }, { port, locality, keyFile, program })
  }

  /** Plays a pattern, or the AHAP file at a path. Events without an end are ended after 30 s. */
  playPattern(pattern, time = 0) {
    return super.playPattern(typeof pattern === "string" ? HapticPattern.fromFile(pattern) : pattern, time)
  }
}
