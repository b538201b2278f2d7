// The engine and its players, in Node and in browsers.
import { HapticError, HapticErrorCode as Code } from "./errors.js"
import { curveMessages, microseconds, parameterMessages } from "./pattern.js"
import { Session } from "./session.js"

const START_TIMEOUT = 8
const STOP_TIMEOUT = 2

const invalidPlayer = () => new HapticError(
  Code.invalidPatternPlayer, "the player was made before the engine stopped or the board was reset; make a new player")

function limitedRate(rate) {
  if (typeof rate !== "number" || Number.isNaN(rate)) {
    throw new HapticError(Code.badParameterEntry, "the playback rate is not a number")
  }
  return Math.min(Math.max(rate, 1 / 64), 64)
}

/** A player of a pattern. Times are in seconds on the clock of the engine's `currentTime`; 0 means now. */
export class HapticPatternPlayer {
  #engine
  #start
  #isPlaying = false
  #muted
  #loop
  #rate

  constructor(engine, number, start, { isMuted = false, loopEnabled = false, loopEnd = 0, playbackRate = 1 }) {
    this.#engine = engine
    this.number = number
    this.#start = start
    this.#muted = isMuted
    this.#loop = { enabled: loopEnabled, loop_end: microseconds(loopEnd) }
    this.#rate = playbackRate
  }

  get isPlaying() {
    return this.#isPlaying
  }

  /** Handles the end of the player; the engine calls this method. */
  ended() {
    this.#isPlaying = false
  }

  #send(messages, time = 0) {
    const due = this.#engine.serverTime(time)
    const at = due === undefined ? {} : { time: due }
    this.#engine.perform(messages.map(
      message => ({ ...message, player: this.number, ...(message.type === "points" ? {} : at) })), this.#start)
  }

  start(time = 0, { offset = 0 } = {}) {
    this.#send([{ type: "start", ...(offset ? { offset: microseconds(offset) } : {}) }], time)
    this.#isPlaying = true
  }

  stop(time = 0) {
    this.#send([{ type: "stop" }], time)
  }

  cancel() {
    this.#send([{ type: "cancel" }])
  }

  pause(time = 0) {
    this.#send([{ type: "pause" }], time)
  }

  resume(time = 0) {
    this.#send([{ type: "resume" }], time)
  }

  seek(offset) {
    this.#send([{ type: "seek", offset: microseconds(offset) }])
  }

  sendParameters(parameters, time = 0) {
    this.#send(parameterMessages(parameters, "parameters"), time)
  }

  scheduleParameterCurve(curve, time = 0) {
    this.#send(curveMessages(curve, "curve"), time)
  }

  get isMuted() {
    return this.#muted
  }

  set isMuted(value) {
    this.#send([{ type: "mute", muted: Boolean(value) }])
    this.#muted = Boolean(value)
  }

  get loopEnabled() {
    return this.#loop.enabled
  }

  set loopEnabled(value) {
    this.#loop.enabled = Boolean(value)
    this.#send([{ type: "loop", ...this.#loop }])
  }

  get loopEnd() {
    return this.#loop.loop_end / 1e6
  }

  set loopEnd(value) {
    this.#loop.loop_end = microseconds(value)
    this.#send([{ type: "loop", ...this.#loop }])
  }

  get playbackRate() {
    return this.#rate
  }

  set playbackRate(value) {
    const rate = limitedRate(value)
    this.#send([{ type: "rate", rate }])
    this.#rate = rate
  }

  /** Returns the output of this player alone; undefined if the player does not play at that time. */
  output(time = 0) {
    return this.#engine.outputOf(this.number, time)
  }

  /** Releases the player; the player still plays to the end of its pattern. */
  release() {
    this.#send([{ type: "abandon" }])
    this.#engine.forget(this)
  }
}

/** Registers functions, and calls them with events. */
class Emitter {
  #listeners = []

  on(name, listener) {
    this.#listeners.push({ name, listener, call: listener })
    return this
  }

  once(name, listener) {
    const call = event => {
      this.off(name, listener)
      listener(event)
    }
    this.#listeners.push({ name, listener, call })
    return this
  }

  off(name, listener) {
    this.#listeners = this.#listeners.filter(entry => entry.name !== name || entry.listener !== listener)
    return this
  }

  emit(name, event) {
    for (const entry of this.#listeners) if (entry.name === name) entry.call(event)
  }
}

/**
 * An engine that plays on a board that `bridge serve` serves. It emits `event`.
 *
 * The platform of an engine has two functions: `currentTime` returns the time in seconds, and `connect` returns a
 * promise of a connection. A connection has a `wire` (see Session) and three functions: `send` sends pieces of the
 * wire, `close` closes the connection, and `listen` accepts a function that handles received data and a function that
 * handles the end. `isRemote` is true for a server that the engine cannot start.
 */
export class Engine extends Emitter {
  #platform
  #options
  #session
  #connection
  #timer
  // The number of the current start, which ends with a stop or a reset.
  #starts = 0
  // Weak references to the players: when the program no longer holds a reference to a player, the server releases the
  // player.
  #players = new Map()
  #dropped = new FinalizationRegistry(({ number, start }) => {
    if (start !== this.#starts || !this.isRunning) return
    this.#players.delete(number)
    this.perform([{ type: "abandon", player: number }], start)
  })
  #waiters = new Set()
  #stopped
  #muted = false

  constructor(platform, options = {}) {
    super()
    this.#platform = platform
    this.#options = options
  }

  get currentTime() {
    return this.#platform.currentTime()
  }

  get isRunning() {
    return this.#session !== undefined && this.#session.isReady && !this.#session.isOver
  }

  /**
   * Starts the engine, or continues after a reset. The players of the engine can play when the promise is fulfilled.
   */
  async start() {
    if (this.isRunning) return
    if (this.#session?.isReset && !this.#session.isOver) {
      this.#session.restart(this.currentTime)
      this.#flush()
    } else {
      await this.#connect()
    }
    await this.#until(() => this.isRunning || this.#stopped, START_TIMEOUT)
    if (this.isRunning) return
    const error = this.#stopped?.error ?? new HapticError(
      Code.engineStartTimeout, "the engine did not start in time",
      { advice: ["run `bridge info`, which shows the state of the board"] })
    this.#close()
    throw error
  }

  /** Brings all players to rest. All players are at rest when the promise is fulfilled. */
  async stop() {
    const session = this.#session
    if (session && !session.isOver) {
      session.end(this.currentTime)
      this.#flush()
      await this.#until(() => session.isOver, STOP_TIMEOUT)
    }
    this.#close()
  }

  makePlayer(pattern, options = {}) {
    const { isMuted, isLimited, loopEnabled, loopEnd, playbackRate } = options
    const members = {
      ...(loopEnabled ? { enabled: true } : {}), ...(isLimited ? { limited: true } : {}),
      ...(loopEnd ? { loop_end: microseconds(loopEnd) } : {}), ...(isMuted ? { muted: true } : {}),
      ...(playbackRate !== undefined && playbackRate !== 1 ? { rate: limitedRate(playbackRate) } : {}),
    }
    const number = this.#running().makePlayer(pattern.messages, members, this.currentTime)
    const player = new HapticPatternPlayer(this, number, this.#starts, options)
    this.#players.set(number, new WeakRef(player))
    this.#dropped.register(player, { number, start: this.#starts }, player)
    this.#flush()
    return player
  }

  /** Plays a pattern. Events without an end are ended after 30 s. */
  playPattern(pattern, time = 0) {
    const player = this.makePlayer(pattern, { isLimited: true })
    player.start(time)
    return player
  }

  /** Waits until a player has ended. The promise is rejected if the engine cannot continue to play. */
  async finished(player) {
    await this.#until(() => !player.isPlaying)
    if (this.#stopped?.error) throw this.#stopped.error
    if (this.#players.get(player.number)?.deref() !== player) throw invalidPlayer()
  }

  /** Returns the combined intensity and sharpness of all players at a time. */
  async output(time = 0) {
    return await this.outputOf(undefined, time) ?? { intensity: 0, sharpness: 0 }
  }

  get isMuted() {
    return this.#muted
  }

  set isMuted(value) {
    this.#muted = value
    if (this.isRunning) this.perform([{ type: "mute", muted: value }], this.#starts)
  }

  // ---- Functions that players call ----

  perform(messages, start) {
    if (start !== this.#starts) throw invalidPlayer()
    this.#running().perform(messages, this.currentTime)
    this.#flush()
  }

  /**
   * Returns the output of a player, or of all players if no number is given; undefined if no player plays at that time.
   */
  async outputOf(player, time) {
    const session = this.#running()
    const due = this.serverTime(time)
    const answer = session.askOutput(
      { ...(player === undefined ? {} : { player }), ...(due === undefined ? {} : { time: due }) }, this.currentTime)
    this.#flush()
    await this.#until(() => answer.isGiven || session.isOver)
    return answer.output
  }

  serverTime(time) {
    if (time !== 0) microseconds(time)
    return this.#running().serverTime(time, this.currentTime)
  }

  forget(player) {
    this.#players.delete(player.number)
    this.#dropped.unregister(player)
  }

  // ---- The connection ----

  #running() {
    if (!this.#session) {
      throw new HapticError(Code.engineNotRunning, "the engine has not been started; call start() first")
    }
    return this.#session
  }

  /** Connects, and connects again if a server that is about to end has accepted the connection without answering. */
  async #connect() {
    const end = this.currentTime + START_TIMEOUT / 2
    const { locality, program } = this.#options
    do {
      const connection = await this.#platform.connect(this.#options)
      this.#close()
      this.#starts += 1
      this.#players.clear()
      this.#stopped = undefined
      const session = new Session(this.currentTime, connection.wire, { locality, program })
      this.#session = session
      this.#connection = connection
      connection.listen(
        data => this.#handle(session, session.receive(data, this.currentTime)),
        () => this.#handle(session, session.receivedEnd()))
      this.#flush()
      this.#keepAlive(session)
      await this.#until(() => session.isAnswered || session.isOver, START_TIMEOUT)
      if (session.isAnswered || connection.isRemote || !session.isOver) return
    } while (this.currentTime < end)
  }

  #keepAlive(session) {
    if (session !== this.#session || session.isOver) return
    this.#handle(session, session.tick(this.currentTime))
    this.#timer = setTimeout(() => this.#keepAlive(session), Math.max(0, (session.deadline - this.currentTime) * 1000))
  }

  #flush() {
    if (this.#session.hasOutgoing) this.#connection.send(this.#session.takeOutgoing())
  }

  #handle(session, events) {
    if (session !== this.#session) return
    for (const event of events) {
      if (event.type === "finished") event.players.forEach(number => this.#players.get(number)?.deref()?.ended())
      if (event.type === "started" && this.#muted) session.perform([{ type: "mute", muted: true }], this.currentTime)
      if (event.type === "reset" || event.type === "stopped") {
        this.#starts += 1
        for (const player of this.#players.values()) player.deref()?.ended()
        this.#players.clear()
      }
      if (event.type === "stopped") this.#stopped = event
    }
    this.#flush()
    if (session.isOver) this.#close()
    for (const check of [...this.#waiters]) check()
    for (const event of events) this.emit("event", event)
  }

  #close() {
    clearTimeout(this.#timer)
    if (this.#session) this.#session.isOver = true
    this.#connection?.close()
  }

  #until(condition, timeout) {
    return new Promise(fulfill => {
      let timer
      const check = isLate => {
        if (!condition() && isLate !== true) return
        clearTimeout(timer)
        this.#waiters.delete(check)
        fulfill()
      }
      this.#waiters.add(check)
      if (timeout !== undefined) timer = setTimeout(check, timeout * 1000, true)
      check()
    })
  }
}
