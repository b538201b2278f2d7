// The protocol core, compared with the literal bytes of the vectors.
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import test from "node:test"
import { HapticErrorCode as Code, HapticPattern, faultNames } from "../index.js"
import { HapticPatternPlayer } from "../engine.js"
import { encode } from "../session.js"
import { Framing, StreamSession as Session } from "../stream.js"

const vectors = readFileSync(new URL("../../../Tests/Vectors/server/messages.txt", import.meta.url), "utf8").split("\n")
const lines = speaker => vectors.filter(line => line.startsWith(`${speaker} `))
  .map(line => line.slice(speaker.length + 1))

function framed(text) {
  const body = Buffer.from(text)
  const data = Buffer.concat([Buffer.alloc(4), body])
  data.writeUInt32BE(body.length)
  return data
}

const STARTED = framed('{"type":"started"}')

function begun() {
  const session = new Session(0)
  session.takeOutgoing()
  session.receive(STARTED, 0)
  return session
}

const sent = session => [...new Framing().receive(session.takeOutgoing())].map(encode)

const event = (type, time, parameters, more = {}) => ({
  Event: {
    EventType: type, Time: time, ...more,
    EventParameters: Object.entries(parameters).map(([id, value]) => ({ ParameterID: id, ParameterValue: value })),
  },
})

const taps = new HapticPattern({
  Pattern: [
    event("HapticTransient", 0, { HapticIntensity: 1, HapticSharpness: 0.5 }),
    event("HapticTransient", 0.25, { HapticIntensity: 0.25, HapticSharpness: 1 }, { EventDuration: 0.1 }),
    { Parameter: { ParameterID: "HapticIntensityControl", Time: 0, ParameterValue: 0.5 } },
    {
      ParameterCurve: {
        ParameterID: "HapticSharpnessControl", Time: 0.001,
        ParameterCurveControlPoints: [{ Time: 0, ParameterValue: -1 }, { Time: 0.5, ParameterValue: 1 }],
      },
    },
  ],
})
const levels = new HapticPattern({
  Pattern: [
    event("HapticContinuous", 0, { HapticIntensity: 0.5, HapticSharpness: 0.25 }, { EventDuration: 0.5 }),
    event("HapticContinuous", 10e-6, {
      HapticIntensity: 1, HapticSharpness: 0, AttackTime: 0.25, DecayTime: 0.5, ReleaseTime: 0.75, Sustained: 0,
    }),
    event("AudioContinuous", 20e-6, {}, { EventDuration: 0.7 }),
  ],
})

test("messages of the client have the bytes of the vectors", () => {
  for (const line of lines("client")) assert.equal(encode(JSON.parse(line)), line)
})

test("each command sends its vector", () => {
  const session = begun()
  const engine = {
    serverTime: time => time === 0 ? undefined : Math.round(time * 1e6),
    perform: messages => session.perform(messages, 0), forget() {},
  }
  const members = { enabled: true, limited: true, loop_end: 250_000, muted: true, rate: 2 }
  assert.equal(session.makePlayer(taps.messages, members, 0), 1)
  assert.equal(session.makePlayer(levels.messages, { loop_end: 700_020 }, 0), 2)
  const player = new HapticPatternPlayer(engine, 1, 0, {})
  player.start()
  player.start(123.456789, { offset: 0.0025 })
  player.stop(123.456789)
  player.cancel()
  assert.throws(() => { player.playbackRate = NaN }, error => error.code === Code.badParameterEntry)
  player.pause()
  player.resume(123.456789)
  player.seek(1)
  player.sendParameters([
    { id: "HapticIntensityControl", value: 0.25, time: 0.001 }, { id: "HapticDecayTimeControl", value: -0.5 }], 5e-6)
  player.scheduleParameterCurve({ id: "HapticIntensityControl", points: [[0, 0], [0.001, 1]] }, 5e-6)
  player.playbackRate = 0.5
  player.loopEnabled = true
  player.isMuted = true
  player.release()
  session.perform([{ type: "mute", muted: false }], 0)
  const leftOut = ["hello", "shut_down", "restart", "end", "frames", "alive", "clock", "output"]
  assert.deepEqual(sent(session), lines("client").filter(line => !leftOut.includes(JSON.parse(line).type)))
})

test("queries for the output are answered", () => {
  const session = begun()
  const answers = [session.askOutput({ player: 1, time: 123_456_789 }, 0), session.askOutput({}, 0)]
  const isOutput = line => JSON.parse(line).type === "output"
  assert.deepEqual(sent(session), lines("client").filter(isOutput))
  const [playing, silence] = lines("server").filter(isOutput).map(framed)
  session.receive(silence, 0)
  assert.deepEqual(answers.map(({ isGiven }) => isGiven), [true, false])
  session.receive(playing, 0)
  assert.deepEqual(answers.map(({ output }) => output), [undefined, { intensity: 0.5, sharpness: 0.25 }])
  assert.deepEqual(session.receive(playing, 0), []) // An answer without a query is skipped.
})

test("the connection begins and ends with its vectors", () => {
  const session = new Session(0, { locality: "leftHandle", program: "one tap" })
  assert.deepEqual(session.takeOutgoing(), framed(lines("client")[0]))
  session.receive(Buffer.concat([STARTED, framed('{"type":"reset"}')]), 0)
  session.restart(0)
  session.end(0)
  session.tick(0.06)
  assert.deepEqual(sent(session), ['{"type":"restart"}', '{"type":"end"}', '{"time":60000,"type":"clock"}'])
})

test("messages of the server become events", () => {
  const events = lines("server").map(line => begun().receive(framed(line), 0))
  const types = ["stopped", "connected", "started", "finished", "measured", "faults", "reset", "stopped", "stopped",
    "stopped", "stopped", "stopped"]
  assert.deepEqual(events.flat().map(({ type }) => type), types)
  const [, connected, , finished, measured, faults, , stopped, failed, unplugged, shorted, suspended] = events.flat()
  assert.deepEqual([connected.port, connected.identity], ["/dev/ttyACM0", "usb:1"])
  assert.deepEqual(finished.players, [1, 2])
  assert.equal(measured.statistics.round_trip, 1500)
  assert.deepEqual(faultNames(faults.faults), ["tap skipped"])
  assert.match(faults.advice[0], /`bridge info` shows more/)
  assert.equal(stopped.error, undefined)
  assert.equal(failed.error.code, Code.notSupported)
  assert.equal(unplugged.error.message, "/dev/ttyACM0: unplugged\nplug the board in again")
  assert.deepEqual(shorted.error.faultNames, ["over-current"])
  assert.equal(shorted.error.advice.length, 2)
  assert.equal(suspended.isSuspended, true)
})

test("bytes may arrive one at a time", () => {
  const session = new Session(0)
  const data = Buffer.concat([STARTED, framed('{"players":[7],"type":"finished"}')])
  const events = [...data].flatMap(byte => session.receive(Buffer.from([byte]), 0))
  assert.deepEqual(events, [{ type: "started" }, { type: "finished", players: [7] }])
})

const reason = events => {
  assert.equal(events.length, 1)
  return events[0].error.reason
}

test("a truncated message waits and then ends", () => {
  const session = begun()
  assert.deepEqual(session.receive(Buffer.from('\0\0\0\x10{"type"'), 0), [])
  assert.match(reason(session.receivedEnd()), /has ended/)
  assert.equal(session.isOver, true)
})

test("an oversized message ends the connection when its length has arrived", () => {
  assert.match(reason(begun().receive(Buffer.from([0, 1, 0, 1]), 0)), /65537 bytes/)
  const largest = `{"type":"alive","pad":"${"x".repeat(65_536 - 25)}"}`
  assert.equal(Buffer.byteLength(largest), 65_536)
  assert.deepEqual(begun().receive(framed(largest), 0), [])
})

test("unknown types and members are skipped", () => {
  const session = begun()
  assert.deepEqual(session.receive(framed('{"type":"applause","volume":3}'), 0), [])
  const finished = session.receive(framed('{"colour":{"red":[1]},"players":[1],"type":"finished"}'), 0)
  assert.deepEqual(finished, [{ type: "finished", players: [1] }])
})

test("invalid messages end the connection", () => {
  for (const text of ["{", "[]", "3", "null", "{}", '{"type":3}', '{"type":"finished"}',
    '{"players":3,"type":"finished"}', '{"code":"x","reason":"","type":"lost"}', '{"faults":[],"type":"faults"}',
    "[".repeat(60_000)]) {
    assert.match(reason(begun().receive(framed(text), 0)), /invalid message/)
  }
  assert.match(reason(begun().receive(Buffer.from([0, 0, 0, 1, 0xff]), 0)), /invalid message/)
})

test("a server of another version is refused with its reason", () => {
  const text = "the program that serves this board uses version 4 of the server protocol"
  const [stopped] = new Session(0).receive(framed(`{"reason":"${text}","type":"refused"}`), 0)
  assert.deepEqual([stopped.error.code, stopped.error.reason], [Code.serverInitFailed, text])
})

test("a silent server is considered lost after two seconds", () => {
  const session = begun()
  session.tick(0.9)
  session.tick(1.8)
  assert.deepEqual(session.tick(2), [])
  assert.match(reason(session.tick(2.01)), /does not answer/)
})

test("a blocked event loop is not mistaken for a silent server", () => {
  assert.deepEqual(begun().tick(5), [])
})

test("after the event loop was blocked, messages are read before one is sent", () => {
  const session = begun()
  session.takeOutgoing()
  session.tick(0.5)
  assert.deepEqual(sent(session), [])
  session.tick(0.51)
  assert.deepEqual(sent(session), ['{"time":510000,"type":"clock"}'])
})

test("the client gives up after two seconds if the server never proves that it has the key", () => {
  const session = new Session(0, { key: Buffer.alloc(32, 3), number: Buffer.alloc(32, 2) })
  assert.deepEqual(session.tick(2), [])
  assert.match(reason(session.tick(2.01)), /does not answer/)
})

test("the proofs of a key precede sealed messages", () => {
  const [key, server, client] = [Buffer.alloc(32, 3), Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const code = purpose => createHmac("sha256", key).update(purpose).update(server).update(client).digest()
  const sealed = (text, count) => {
    const number = Buffer.alloc(8, 0)
    number[7] = count
    return Buffer.concat([
      framed(text), createHmac("sha256", code("server speaks")).update(number).update(framed(text)).digest()])
  }
  const session = new Session(0, { key, number: client })
  session.receive(Buffer.from(`haptic-bridge 1 ${server.toString("hex")}\n`), 0)
  const line = `${client.toString("hex")} ${code("client proves").toString("hex")}\n`
  assert.equal(session.takeOutgoing().toString(), line)
  const proof = Buffer.from(`${code("server proves").toString("hex")}\n`)
  const started = Buffer.concat([proof, sealed('{"type":"started"}', 0)])
  assert.deepEqual(session.receive(started, 0), [{ type: "started" }])
  const hello = session.takeOutgoing()
  assert.equal(hello.length, 4 + hello.readUInt32BE() + 32)
  assert.match(reason(session.receive(sealed('{"type":"alive"}', 0), 0)), /authentication code/)
  const other = new Session(0, { key, number: client })
  other.receive(Buffer.from(`haptic-bridge 1 ${server.toString("hex")}\n`), 0)
  assert.match(reason(other.receive(Buffer.from(`${"00".repeat(32)}\n`), 0)), /different key/)
})
