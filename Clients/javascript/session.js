// The protocol of a served board, without I/O: bytes and times are arguments. The article
// ServerProtocol of the library describes the messages.
import { createHmac, timingSafeEqual } from "node:crypto"
import { HapticError, HapticErrorCode as Code } from "./errors.js"

export const PROTOCOL_VERSION = 3
export const LENGTH_MAX = 65_536
// All times are in seconds.
export const ALIVE_INTERVAL = 0.06
export const SILENCE_LIMIT = 2
const CLOCK_INTERVAL = 0.005
const CLOCK_ANSWERS = 8
const CLOCK_DRIFT = 200e-6
const CODE_LENGTH = 32
const GREETING = "haptic-bridge 1 "
const INVALID = "invalid message from the process that serves the board"

const hmac = (key, ...parts) => parts.reduce((code, part) => code.update(part), createHmac("sha256", key)).digest()

function sorted(message) {
  return Object.fromEntries(Object.keys(message).sort().map(name => [name, message[name]]))
}

/** Returns a message as JSON, with the members sorted by name. */
export function encode(message) {
  return JSON.stringify(sorted(message))
}

function check(length) {
  if (length > LENGTH_MAX) throw new RangeError(`the message has ${length} bytes; the maximum is ${LENGTH_MAX}`)
}

/** Divides a stream of bytes into messages. */
export class Framing {
  #received = Buffer.alloc(0)
  #keys
  #counts = [0n, 0n]

  /** Protects all later messages with codes. */
  seal(sending, receiving) {
    this.#keys = [sending, receiving]
  }

  #code(message, direction) {
    const number = Buffer.alloc(8)
    number.writeBigUInt64BE(this.#counts[direction]++)
    return hmac(this.#keys[direction], number, message)
  }

  encode(message) {
    const body = Buffer.from(encode(message))
    check(body.length)
    const data = Buffer.concat([Buffer.alloc(4), body])
    data.writeUInt32BE(body.length)
    return this.#keys ? Buffer.concat([data, this.#code(data, 0)]) : data
  }

  /** Returns the messages that are complete, one at a time. */
  * receive(data) {
    this.#received = Buffer.concat([this.#received, data])
    while (this.#received.length >= 4) {
      const end = 4 + this.#received.readUInt32BE()
      check(end - 4)
      const whole = end + (this.#keys ? CODE_LENGTH : 0)
      if (this.#received.length < whole) return
      const [framed, code] = [this.#received.subarray(0, end), this.#received.subarray(end, whole)]
      this.#received = this.#received.subarray(whole)
      if (this.#keys && !timingSafeEqual(code, this.#code(framed, 1))) {
        throw new RangeError("the authentication code of the message does not match the key")
      }
      const message = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(framed.subarray(4)))
      if (typeof message?.type !== "string") throw new RangeError("expected an object with the member `type`")
      yield message
    }
  }
}

/** The offset between the clock of this process and the clock of the server. */
export class ServerClock {
  #samples = []

  record(sent, answered, received) {
    const middle = (sent + received) / 2
    this.#samples.push({ middle, offset: answered - middle, error: (received - sent) / 2 })
    if (this.#samples.length > 64) this.#samples.shift()
  }

  get isKnown() {
    return this.#samples.length >= CLOCK_ANSWERS
  }

  offset(now) {
    let best = { offset: 0, bound: Infinity }
    for (const { middle, offset, error } of this.#samples) {
      const bound = error + Math.max(0, now - middle) * CLOCK_DRIFT
      if (bound < best.bound) best = { offset, bound }
    }
    return best.offset
  }
}

/**
 * The client's side of a connection, from its beginning to its end. `outgoing` collects the bytes to be sent.
 *
 * Node offers no clock that continues while the computer sleeps, so the clock of the server is queried on
 * the same computer, too.
 */
export class Session {
  outgoing = []
  isOver = false
  isAnswered = false
  isStarted = false
  isReset = false
  #framing = new Framing()
  #clock = new ServerClock()
  #hello
  #proof
  #line = Buffer.alloc(0)
  #sent
  #asked
  #received
  #ticked
  #player = 0

  /** A key makes the connection one to another computer; `number` consists of 32 random bytes. */
  constructor(now, { locality = "default", program = "a Node program", key, number } = {}) {
    this.#sent = this.#asked = this.#received = this.#ticked = now
    this.#hello = { type: "hello", version: PROTOCOL_VERSION, purpose: "play", locality, program }
    if (key) this.#proof = { key, number, server: undefined }
    else this.#send([this.#hello])
  }

  #send(messages) {
    for (const message of messages) this.outgoing.push(this.#framing.encode(message))
  }

  /** Returns the bytes to be sent, and removes them. */
  takeOutgoing() {
    const data = Buffer.concat(this.outgoing)
    this.outgoing = []
    return data
  }

  /** Sends messages that take effect together. */
  perform(messages, now) {
    if (this.isOver || !this.isStarted) {
      throw new HapticError(Code.engineNotRunning, "the engine is not running; call start() first")
    }
    this.#send(messages.map((message, index) => index < messages.length - 1 ? { ...message, more: true } : message))
    this.#sent = now
  }

  /** Makes a player for a pattern. Returns its number. */
  makePlayer(messages, members, now) {
    const player = this.#player + 1
    this.perform([...messages, { type: "add", ...members }].map(message => ({ ...message, player })), now)
    this.#player = player
    return player
  }

  restart(now) {
    this.#send([{ type: "restart" }])
    this.isReset = false
    this.#sent = now
  }

  end(now) {
    if (this.isOver || this.#proof) return
    this.#send([{ type: "end" }])
    this.#sent = now
  }

  /** Returns a time in the form in which it is sent; undefined for 0, which means now. */
  serverTime(time, now) {
    return time === 0 ? undefined : Math.max(0, Math.round((time + this.#clock.offset(now)) * 1e6))
  }

  get isReady() {
    return this.isStarted && this.#clock.isKnown
  }

  /** The time at which `tick` must be called. */
  get deadline() {
    if (this.#proof) return this.#received + SILENCE_LIMIT
    const interval = this.#clock.isKnown ? ALIVE_INTERVAL : CLOCK_INTERVAL
    return Math.min(this.#sent, this.#asked) + interval
  }

  /** Sends the messages that are due at this time. Returns the events. */
  tick(now) {
    // After the event loop was blocked, the bytes that have arrived are not read yet.
    if (now - this.#ticked > SILENCE_LIMIT / 2) this.#received = now
    this.#ticked = now
    if (this.isOver) return []
    if (now - this.#received > SILENCE_LIMIT) return [this.#lost("the process that serves the board does not answer")]
    if (now >= this.deadline && !this.#proof) {
      this.#send([{ type: "clock", time: Math.round(now * 1e6) }])
      this.#sent = this.#asked = now
    }
    return []
  }

  /** Returns the events in the bytes that have arrived. */
  receive(data, now) {
    const events = []
    if (this.isOver) return events
    this.#received = now
    try {
      for (const message of this.#framing.receive(this.#opened(data))) {
        this.isAnswered = true
        const event = this.#event(message, now)
        if (event) events.push(event)
        if (this.isOver) break
      }
    } catch (error) {
      events.push(this.#lost(`${INVALID}: ${error.message}`))
    }
    return events
  }

  /** Returns the events of a connection that the server has closed. */
  receivedEnd() {
    if (this.isOver) return []
    return [this.#lost(this.#proof
      ? "the server has closed the connection: it has a different key, or cannot accept more connections"
      : "the process that serves the board has ended")]
  }

  // ---- The proofs of the key ----

  #code(purpose) {
    return hmac(this.#proof.key, purpose, this.#proof.server, this.#proof.number)
  }

  /** Returns the bytes after the proofs. */
  #opened(data) {
    while (this.#proof) {
      this.#line = Buffer.concat([this.#line, data])
      const feed = this.#line.indexOf(10)
      if (feed < 0) {
        if (this.#line.length > 130) throw new RangeError("the program at this address does not serve a board")
        return Buffer.alloc(0)
      }
      const line = this.#line.subarray(0, feed).toString("latin1")
      data = this.#line.subarray(feed + 1)
      this.#line = Buffer.alloc(0)
      if (this.#proof.server) this.#end(line)
      else this.#begin(line)
    }
    return data
  }

  #begin(line) {
    const digits = line.slice(GREETING.length)
    if (!line.startsWith(GREETING) || !/^[0-9a-f]{64}$/i.test(digits)) {
      throw new RangeError("the program at this address does not serve a board")
    }
    this.#proof.server = Buffer.from(digits, "hex")
    const [number, code] = [this.#proof.number, this.#code("client proves")].map(bytes => bytes.toString("hex"))
    this.outgoing.push(Buffer.from(`${number} ${code}\n`))
  }

  #end(line) {
    const [given, expected] = [Buffer.from(line, "hex"), this.#code("server proves")]
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new RangeError("the server has a different key")
    }
    this.#framing.seal(this.#code("client speaks"), this.#code("server speaks"))
    this.#proof = undefined
    this.#send([this.#hello])
  }

  // ---- Messages of the server ----

  #lost(reason) {
    return this.#stopped(Code.serverInterrupted, { reason })
  }

  #stopped(code, { reason = "the request was rejected", port, faults, advice }, isSuspended = false) {
    this.isOver = true
    if (!this.isStarted && code === Code.serverInterrupted) code = Code.serverInitFailed
    return { type: "stopped", error: new HapticError(code, reason, { port, faults, advice }), isSuspended }
  }

  /** Returns the event of a message; undefined if it has none, or has an unknown type. */
  #event(message, now) {
    switch (message.type) {
      case "connected": return { type: "connected", port: message.port, identity: message.identity }
      case "started":
        this.isStarted = true
        return { type: "started" }
      case "finished": return { type: "finished", players: checked(message.players, Array.isArray, "players") }
      case "measured":
        return { type: "measured", statistics: checked(message.statistics, isObject, "statistics") }
      case "faults":
        checked(message.faults, Number.isInteger, "faults")
        return { type: "faults", faults: message.faults, advice: message.advice ?? [] }
      case "reset":
        this.isStarted = false
        this.isReset = true
        return { type: "reset" }
      case "failed": case "lost": case "suspended":
        return this.#stopped(checked(message.code, Number.isInteger, "code"), message, message.type === "suspended")
      case "refused": return this.#stopped(Code.serverInterrupted, message)
      case "stopped":
        this.isOver = true
        return { type: "stopped", error: undefined, isSuspended: false }
      case "clock":
        this.#clock.record(message.sent / 1e6, message.time / 1e6, now)
    }
  }
}

const isObject = value => typeof value === "object" && value !== null

function checked(value, isValid, name) {
  if (!isValid(value)) throw new RangeError(`the member ${name} is missing or has the wrong type`)
  return value
}
