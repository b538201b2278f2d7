import { Engine, Pattern } from "./shared"

export {
  HapticDynamicParameter, HapticError, HapticErrorCode, HapticEvent, HapticOutput, HapticParameterCurve,
  HapticPatternPlayer, HapticPlayerOptions, faultNames,
} from "./shared"

/** A pattern in AHAP. */
export class HapticPattern extends Pattern {
  /** Reads AHAP: the text of a file, or the object that it contains. */
  constructor(ahap: string | object)
  /** Reads an AHAP file from a web server. */
  static fromURL(url: string | URL): Promise<HapticPattern>
  /** Returns a named pattern, such as `success`. */
  static named(name: string): HapticPattern
  static names(): string[]
}

/** An engine that plays on a board that `bridge serve --websocket` serves. */
export class HapticEngine extends Engine {
  /** `address` is the address that `bridge serve --websocket` prints. */
  constructor(options: { address: string; locality?: string; program?: string })
}
