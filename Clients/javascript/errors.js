// The errors of engines, players and patterns, with the codes of Core Haptics.

/** The codes of Core Haptics that this package uses. The server may send other codes. */
export const HapticErrorCode = Object.freeze({
  engineNotRunning: -4805,
  engineStartTimeout: -4808,
  notSupported: -4809,
  serverInitFailed: -4810,
  serverInterrupted: -4811,
  invalidPatternPlayer: -4812,
  invalidPatternData: -4813,
  invalidPatternDictionary: -4814,
  invalidParameterType: -4820,
  invalidEventType: -4821,
  badEventEntry: -4830,
  badParameterEntry: -4831,
  invalidTime: -4840,
  fileNotFound: -4851,
})

const names = [
  "underrun", "late write", "tap skipped", "dead-man", "bus error", "no chip", "wrong chip", "read-back differs",
  "chip reset", "over-temperature", "over-current", "did not come to rest", "malformed event",
  "level limited by the energy budget", "storage failed",
]

/** Returns the names of the faults in a mask of bits (SPEC.md 9). Unknown bits are omitted. */
export function faultNames(faults) {
  return names.filter((_, bit) => (faults >> bit) & 1)
}

/** An error from the server or from this package: the message and the remedies. */
export class HapticError extends Error {
  constructor(code, reason, { port, faults = 0, advice = [] } = {}) {
    super([port ? `${port}: ${reason}` : reason, ...advice].join("\n"))
    this.name = "HapticError"
    Object.assign(this, { code, reason, port, faults, advice })
  }

  get faultNames() {
    return faultNames(this.faults)
  }
}
