// Patterns: the reader of AHAP, and the messages that transfer a pattern.
import { HapticError, HapticErrorCode as Code } from "./errors.js"

const ENTRIES_OF_MESSAGE = 250
// The maximum time in a file, in seconds: one day. A duration of at least ENDLESS is endless.
const LATEST_SECOND = 86_400
const ENDLESS = 3.4028234663852886e38

// The default intensity and sharpness of each type of haptic event.
const defaults = {
  HapticTransient: [0.75, 0.5], HapticContinuous: [0.6, 0.422601], AudioContinuous: [], AudioCustom: [],
}
// The dynamic parameters whose values are factors from 0 to 1. The values of all other parameters are summands from -1
// to 1.
const factors = ["HapticIntensityControl", "AudioVolumeControl"]
const dynamicParameters = [
  ...factors, "HapticSharpnessControl", "HapticAttackTimeControl", "HapticDecayTimeControl",
  "HapticReleaseTimeControl", "AudioPanControl", "AudioBrightnessControl", "AudioPitchControl",
  "AudioAttackTimeControl", "AudioDecayTimeControl", "AudioReleaseTimeControl",
]

/** Returns a time in seconds as the nearest number of microseconds. */
export function microseconds(seconds) {
  if (!(seconds >= 0 && seconds < 1e12)) {
    throw new HapticError(Code.invalidTime, `a time of ${seconds} s; expected 0 s to 1e12 s`)
  }
  return Math.round(seconds * 1e6)
}

const clamped = (value, low = 0) => Math.min(Math.max(value, low), 1)

function checkedValue(id, value) {
  if (!dynamicParameters.includes(id)) {
    throw new HapticError(
      Code.invalidParameterType, `"${id}" is not a dynamic parameter; use ${dynamicParameters.join(", ")}`)
  }
  if (typeof value !== "number" || Number.isNaN(value)) {
    throw new HapticError(Code.badParameterEntry, `the value of ${id} is not a number`)
  }
  return clamped(value, factors.includes(id) ? 0 : -1)
}

function parts(entries) {
  const found = []
  for (let index = 0; index < entries.length; index += ENTRIES_OF_MESSAGE) {
    found.push(entries.slice(index, index + ENTRIES_OF_MESSAGE))
  }
  return found
}

/** Returns the messages that transfer parameters, each of the form `{ id, value, time }`. */
export function parameterMessages(parameters, type) {
  const entries = parameters.map(({ id, value, time = 0 }) => [id, microseconds(time), checkedValue(id, value)])
  return parts(entries).map(part => ({ type, parameters: part }))
}

/** Returns the messages that transfer a curve, `{ id, time, points: [[time, value], …] }`. */
export function curveMessages({ id, time = 0, points }, type) {
  const entries = [...points].sort((one, other) => one[0] - other[0])
    .map(([at, value]) => [microseconds(at), checkedValue(id, value)])
  const all = parts(entries)
  return all.map((part, index) => index < all.length - 1
    ? { type: "points", points: part }
    : { type, curves: [[id, microseconds(time), part]] })
}

/** A pattern in AHAP. The static member `table` of each subclass contains the named patterns. */
export class Pattern {
  /** Reads AHAP: the text of a file, or the object that it contains. */
  constructor(ahap) {
    if (typeof ahap === "string") {
      try {
        ahap = JSON.parse(ahap)
      } catch (error) {
        throw new HapticError(Code.invalidPatternData, `not JSON: ${error.message}`, {
          advice: ["run `bridge lint --fix` on the file, which repairs minor errors"] })
      }
    }
    this.messages = messagesOf(ahap)
  }

  /** Returns a named pattern, such as `success`. */
  static named(name) {
    const entries = Object.hasOwn(this.table, name) ? this.table[name] : undefined
    if (!entries) {
      throw new HapticError(
        Code.fileNotFound, `"${name}" is not a named pattern; use ${this.names().join(", ")}`)
    }
    return new this({ Pattern: entries })
  }

  /** Returns the names of the named patterns. */
  static names() {
    return Object.keys(this.table)
  }
}

// ---- AHAP ----

const isObject = value => typeof value === "object" && value !== null && !Array.isArray(value)

function reject(where, code, reason) {
  throw new HapticError(code, `${where}: ${reason}`, {
    advice: ["to list all errors, run `bridge lint` on the file"] })
}

function number(where, owner, key, code, otherwise) {
  const value = Object.hasOwn(owner, key) ? owner[key] : otherwise
  if (typeof value !== "number") reject(where, code, `${key} must be a number`)
  return value
}

function time(where, owner, key, code = Code.invalidTime) {
  const value = number(where, owner, key, code, 0)
  if (!(value >= 0 && value <= LATEST_SECOND)) {
    reject(where, code, `${key} is ${value} s; expected 0 to ${LATEST_SECOND}`)
  }
  return value
}

function list(where, owner, key, code) {
  const value = owner[key] ?? []
  if (!Array.isArray(value)) reject(where, code, `${key} must be a list`)
  for (const element of value) if (!isObject(element)) reject(where, code, `${key} must contain objects`)
  return value
}

function eventEntry(where, body) {
  const type = body.EventType
  if (typeof type !== "string" || !Object.hasOwn(defaults, type)) {
    reject(where, Code.invalidEventType, `${JSON.stringify(type)} is not an EventType`)
  }
  const start = microseconds(time(where, body, "Time"))
  let duration = -1
  if (Object.hasOwn(body, "EventDuration") && number(where, body, "EventDuration", Code.invalidTime, 0) < ENDLESS) {
    duration = microseconds(time(where, body, "EventDuration"))
  }
  const values = {}
  for (const parameter of list(where, body, "EventParameters", Code.badEventEntry)) {
    if (Object.hasOwn(parameter, "ParameterValue")) {
      values[parameter.ParameterID] = number(where, parameter, "ParameterValue", Code.badParameterEntry, 0)
    }
  }
  if (type.startsWith("Audio")) return duration < 0 ? [2, start] : [2, start, duration]
  const value = (name, otherwise) => clamped(values[name] ?? otherwise)
  const feel = [value("HapticIntensity", defaults[type][0]), value("HapticSharpness", defaults[type][1])]
  if (type === "HapticTransient") return [0, start, ...feel, ...(duration < 0 ? [] : [duration])]
  const envelope = [value("AttackTime", 0), value("DecayTime", 0), value("ReleaseTime", 0)]
  const sustained = (values.Sustained ?? 1) >= 0.5 ? 1 : 0
  const isStandard = sustained === 1 && envelope.every(part => part === 0)
  return [1, start, duration, ...feel, ...(isStandard ? [] : [...envelope, sustained])]
}

function parameter(where, body) {
  const id = body.ParameterID
  const value = number(where, body, "ParameterValue", Code.badParameterEntry, factors.includes(id) ? 1 : 0)
  return { id, value, time: time(where, body, "Time") }
}

function curve(where, body) {
  const id = body.ParameterID
  const points = list(where, body, "ParameterCurveControlPoints", Code.badParameterEntry)
    // Omits a point at the greatest possible time, because playback never reaches it.
    .filter(point => number(where, point, "Time", Code.invalidTime, 0) <= LATEST_SECOND)
    .map(point => [time(where, point, "Time"), parameter(where, { ...point, ParameterID: id }).value])
  return { id, points, time: time(where, body, "Time") }
}

/** Returns the messages of a pattern; they do not yet contain the number of a player. */
function messagesOf(root) {
  const entries = isObject(root) ? root.Pattern : undefined
  if (!Array.isArray(entries) || entries.length === 0) {
    reject("Pattern", Code.invalidPatternDictionary, "expected an object with a list of entries under this key")
  }
  const [events, parameters, curves] = [[], [], []]
  const kinds = {
    Event: (where, body) => events.push(eventEntry(where, body)),
    Parameter: (where, body) => parameters.push(parameter(where, body)),
    ParameterCurve: (where, body) => curves.push(curve(where, body)),
  }
  entries.forEach((entry, index) => {
    const where = `Pattern[${index}]`
    if (!isObject(entry)) reject(where, Code.invalidPatternDictionary, "expected an object")
    for (const [key, body] of Object.entries(entry)) {
      if (!Object.hasOwn(kinds, key)) continue
      if (!isObject(body)) reject(where, Code.invalidPatternDictionary, `${key} must be an object`)
      kinds[key](where, body)
    }
  })
  const known = ({ id }) => dynamicParameters.includes(id)
  return [
    ...parts(events).map(part => ({ type: "pattern", events: part })),
    ...parameterMessages(parameters.filter(known), "pattern"),
    ...curves.filter(known).flatMap(curve => curveMessages(curve, "pattern")),
  ]
}
