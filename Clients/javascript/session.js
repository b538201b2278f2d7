// The protocol of a served board, without I/O: messages and times are arguments. The article
// ServerProtocol of the library describes the messages.
import { HapticError, HapticErrorCode as Code } from "./errors.js"

export const PROTOCOL_VERSION = 3
export const LENGTH_MAX = 65_536
// All times are in seconds.
export const ALIVE_INTERVAL = 0.06
export const SILENCE_LIMIT = 2
// The time without a message after which the server ends the players of a program, in seconds.
const PROGRAM_SILENCE = 0.25
const CLOCK_INTERVAL = 0.005
const CLOCK_ANSWERS = 8
const CLOCK_DRIFT = 200e-6
const INVALID = "invalid message from the process that serves the board"

function sorted(message) {
  return Object.fromEntries(Object.keys(message).sort().map(name => [name, message[name]]))
}

/** Returns a message as JSON, with the members sorted by name. */
export function encode(message) {
  return JSON.stringify(sorted(message))
}

/** Returns the message that a text contains. */
export function decode(text) {
  const message = JSON.parse(text)
  if (typeof message?.type !== "string") throw new RangeError("expected an object with the member `type`")
  return message
}

export function checkLength(length) {
  if (length > LENGTH_MAX) throw new RangeError(`the message has ${length} bytes; the maximum is ${LENGTH_MAX}`)
}

/** The wire of a session whose messages are strings, as in a WebSocket. */
export class TextWire {
  outgoing = []
  isOpen = true

  send(message) {
    const text = encode(message)
    checkLength(new TextEncoder().encode(text).length)
    this.outgoing.push(text)
  }

  receive(text) {
    return [decode(text)]
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
 * The client's side of a connection.
 *
 * The wire of a session converts messages: `send` adds a message to its list `outgoing`, `receive` returns the messages
 * in the received data, and `isOpen` is true as soon as the wire can send. Node and browsers offer no clock that
 * continues while the computer sleeps, so the clock of the server is also queried on the same computer.
 */
export class Session {
  isOver = false
  isAnswered = false
  isStarted = false
  isReset = false
  #wire
  #clock = new ServerClock()
  #sent
  #asked
  #received
  #ticked
  #player = 0
  // The queries for the output that have not been answered yet, oldest first.
  #questions = []

  constructor(now, wire, { locality = "default", program = "a JavaScript program" } = {}) {
    this.#sent = this.#asked = this.#received = this.#ticked = now
    this.#wire = wire
    this.#send([{ type: "hello", version: PROTOCOL_VERSION, purpose: "play", locality, program, output: true }])
  }

  #send(messages) {
    for (const message of messages) this.#wire.send(message)
  }

  get hasOutgoing() {
    return this.#wire.outgoing.length > 0
  }

  /** Returns the pieces to be sent, and removes them. */
  takeOutgoing() {
    return this.#wire.outgoing.splice(0)
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

  /** Queries the output, and returns an answer that is filled in later. Its member `output` is undefined if no
   * player plays at the given time. */
  askOutput(members, now) {
    this.perform([{ type: "output", ...members }], now)
    const answer = { isGiven: false, output: undefined }
    this.#questions.push(answer)
    return answer
  }

  restart(now) {
    this.#send([{ type: "restart" }])
    this.isReset = false
    this.#sent = now
  }

  end(now) {
    if (this.isOver || !this.#wire.isOpen) return
    this.#send([{ type: "end" }])
    this.#sent = now
  }

  /** Returns a time in the form in which it is sent; undefined for 0, which means "now". */
  serverTime(time, now) {
    return time === 0 ? undefined : Math.max(0, Math.round((time + this.#clock.offset(now)) * 1e6))
  }

  get isReady() {
    return this.isStarted && this.#clock.isKnown
  }

  /** The time at which `tick` must be called. */
  get deadline() {
    if (!this.#wire.isOpen) return this.#received + SILENCE_LIMIT
    const interval = this.#clock.isKnown ? ALIVE_INTERVAL : CLOCK_INTERVAL
    return Math.min(this.#sent, this.#asked) + interval
  }

  /** Sends the messages that are due at this time. Returns the events. */
  tick(now) {
    // After the event loop was blocked, the messages that have arrived are read first: they may contain the reason why
    // the server has ended the players.
    const wasBlocked = this.#wire.isOpen && now - this.#ticked > PROGRAM_SILENCE
    if (wasBlocked && now - this.#ticked > SILENCE_LIMIT / 2) this.#received = now
    this.#ticked = now
    if (this.isOver || wasBlocked) return []
    if (now - this.#received > SILENCE_LIMIT) return [this.#lost("the process that serves the board does not answer")]
    if (now >= this.deadline && this.#wire.isOpen) {
      this.#send([{ type: "clock", time: Math.round(now * 1e6) }])
      this.#sent = this.#asked = now
    }
    return []
  }

  /** Returns the events in the data that have arrived. */
  receive(data, now) {
    const events = []
    if (this.isOver) return events
    this.#received = now
    try {
      for (const message of this.#wire.receive(data)) {
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
    return [this.#lost(this.#wire.isOpen
      ? "the process that serves the board has ended"
      : "the server has closed the connection: it has a different key, or cannot accept more connections")]
  }

  // ---- Messages from the server ----

  #lost(reason) {
    return this.#stopped(Code.serverInterrupted, { reason })
  }

  #stopped(code, { reason = "the request was rejected", port, faults, advice }, isSuspended = false) {
    this.isOver = true
    if (!this.isStarted && code === Code.serverInterrupted) code = Code.serverInitFailed
    return { type: "stopped", error: new HapticError(code, reason, { port, faults, advice }), isSuspended }
  }

  /** Returns the event that a message reports; undefined if the message reports no event or has an unknown type. */
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
      case "output":
        Object.assign(this.#questions.shift() ?? {}, { isGiven: true, output: outputIn(message) })
        return undefined
      case "clock":
        this.#clock.record(message.sent / 1e6, message.time / 1e6, now)
    }
  }
}

function outputIn({ intensity, sharpness = 0 }) {
  return typeof intensity === "number" ? { intensity, sharpness } : undefined
}

const isObject = value => typeof value === "object" && value !== null

function checked(value, isValid, name) {
  if (!isValid(value)) throw new RangeError(`the member ${name} is missing or has the wrong type`)
  return value
}
