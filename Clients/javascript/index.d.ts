import { Engine, HapticPatternPlayer, Pattern } from "./shared"

export {
  HapticDynamicParameter, HapticError, HapticErrorCode, HapticEvent, HapticOutput, HapticParameterCurve,
  HapticPatternPlayer, HapticPlayerOptions, faultNames,
} from "./shared"

/** A pattern in AHAP. */
export class HapticPattern extends Pattern {
  /** Reads AHAP: the text of a file, or the object that it contains. */
  constructor(ahap: string | object)
  static fromFile(path: string): HapticPattern
  /** Returns a named pattern, such as `success`. */
  static named(name: string): HapticPattern
  static names(): string[]
}

/** An engine that plays on a board that `bridge serve` serves. */
export class HapticEngine extends Engine {
  /**
   * `port` is the port of the board, or `tcp://HOST:PORT`. Without `port`, the engine uses the port in the environment
   * variable BRIDGE_PORT; if this variable is not set, it uses the only board that is served.
   */
  constructor(options?: { port?: string; locality?: string; keyFile?: string; program?: string })
  /** Plays a pattern, or the AHAP file at a path. Events without an end are ended after 30 s. */
  playPattern(pattern: Pattern | string, time?: number): HapticPatternPlayer
}
