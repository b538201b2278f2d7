// Plays Core Haptics patterns (AHAP) in a page, on a board that `bridge serve --websocket` serves on this computer.
import { Engine } from "./engine.js"
import { HapticError, HapticErrorCode as Code } from "./errors.js"
import { Pattern } from "./pattern.js"
import { TextWire } from "./session.js"

export { HapticPatternPlayer } from "./engine.js"
export { HapticError, HapticErrorCode, faultNames } from "./errors.js"

const advice = [
  "run `bridge serve --websocket --websocket-origin ORIGIN` with the origin of this page, and use the address that it "
    + "prints"]

function connect({ address }) {
  return new Promise((fulfill, reject) => {
    const fail = reason => reject(new HapticError(Code.serverInitFailed, reason, { advice }))
    let socket
    try {
      socket = new WebSocket(address)
    } catch (error) {
      return fail(error.message)
    }
    // A browser does not reveal why a connection has failed.
    socket.onerror = () => fail("no board is served at this address, or this page is not allowed to use it")
    socket.onopen = () => fulfill({
      wire: new TextWire(),
      isRemote: true,
      send: texts => texts.forEach(text => socket.send(text)),
      close: () => socket.close(),
      listen(onData, onEnd) {
        socket.onmessage = ({ data }) => onData(data)
        socket.onclose = onEnd
        socket.onerror = null // `close` follows.
      },
    })
  })
}

const table = await (await fetch(new URL("named.json", import.meta.url))).json()

/** A pattern in AHAP. */
export class HapticPattern extends Pattern {
  static table = table

  /** Reads an AHAP file from a web server. */
  static async fromURL(url) {
    const response = await fetch(url).catch(error => ({ statusText: error.message }))
    if (!response.ok) throw new HapticError(Code.fileNotFound, `${url}: ${response.statusText}`)
    return new HapticPattern(await response.text())
  }
}

/** An engine for a web page. `address` is the address that `bridge serve --websocket` prints. */
export class HapticEngine extends Engine {
  constructor({ address, locality, program = document.title || location.host }) {
    super({ connect, currentTime: () => performance.now() / 1000 }, { address, locality, program })
  }
}
