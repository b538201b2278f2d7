/** The codes of Core Haptics that this package uses. The server may send others. */
export const HapticErrorCode: {
  readonly engineNotRunning: -4805
  readonly engineStartTimeout: -4808
  readonly notSupported: -4809
  readonly serverInitFailed: -4810
  readonly serverInterrupted: -4811
  readonly invalidPatternPlayer: -4812
  readonly invalidPatternData: -4813
  readonly invalidPatternDictionary: -4814
  readonly invalidParameterType: -4820
  readonly invalidEventType: -4821
  readonly badEventEntry: -4830
  readonly badParameterEntry: -4831
  readonly invalidTime: -4840
  readonly fileNotFound: -4851
}

/** Returns the names of the faults in a mask of bits. */
export function faultNames(faults: number): string[]

/** An error with the message of the server or of this package. */
export class HapticError extends Error {
  code: number
  /** The message without the port and the remedies. */
  reason: string
  port: string | undefined
  /** The faults of the board that are the reason, as a mask of bits; 0 for other errors. */
  faults: number
  /** The remedies, one sentence per element. */
  advice: string[]
  readonly faultNames: string[]
}

/** A dynamic parameter, such as HapticIntensityControl, at a time in seconds. */
export interface HapticDynamicParameter {
  id: string
  value: number
  time?: number
}

/** A change of a parameter along lines between points: times from the start of the curve, and values. */
export interface HapticParameterCurve {
  id: string
  points: [number, number][]
  time?: number
}

/** A pattern in AHAP. */
export class HapticPattern {
  /** Reads AHAP: the text of a file, or the object that it contains. */
  constructor(ahap: string | object)
  static fromFile(path: string): HapticPattern
  /** Returns a named pattern, such as `success`. */
  static named(name: string): HapticPattern
  static names(): string[]
}

/** The events of an engine. */
export type HapticEvent =
  | { type: "connected"; port: string; identity?: string }
  | { type: "started" }
  | { type: "finished"; players: number[] }
  | { type: "measured"; statistics: Record<string, unknown> }
  | { type: "faults"; faults: number; advice: string[] }
  | { type: "reset" }
  | { type: "stopped"; error?: HapticError; isSuspended: boolean }

/** The options of a player. */
export interface HapticPlayerOptions {
  isMuted?: boolean
  /** Ends events without an end after 30 s. */
  isLimited?: boolean
  loopEnabled?: boolean
  loopEnd?: number
  playbackRate?: number
}

/** A player of a pattern. Times are those of the engine's `currentTime`, in seconds; 0 means now. */
export class HapticPatternPlayer {
  private constructor()
  readonly number: number
  readonly isPlaying: boolean
  isMuted: boolean
  loopEnabled: boolean
  /** The end of a repetition, in seconds of the pattern; 0 is the end of its last event. */
  loopEnd: number
  /** The playback rate, 1/64 to 64. */
  playbackRate: number
  start(time?: number, options?: { offset?: number }): void
  stop(time?: number): void
  /** Stops the player now, and discards parameters that have not yet taken effect. */
  cancel(): void
  pause(time?: number): void
  resume(time?: number): void
  seek(offset: number): void
  sendParameters(parameters: HapticDynamicParameter[], time?: number): void
  scheduleParameterCurve(curve: HapticParameterCurve, time?: number): void
  /**
   * Releases the player, which plays to the end of its pattern. A player to which the program no longer has a reference
   * is released some time later.
   */
  release(): void
}

/** An engine that plays on a board that `bridge serve` serves. */
export class HapticEngine {
  /**
   * `port` is the port of the board, or `tcp://HOST:PORT`. Without it, the engine uses the port of the
   * environment variable BRIDGE_PORT, or else the only board that is served.
   */
  constructor(options?: { port?: string; locality?: string; keyFile?: string; program?: string })
  /** Adds a function that is called with each event, as in EventEmitter of Node. */
  on(name: "event", listener: (event: HapticEvent) => void): this
  once(name: "event", listener: (event: HapticEvent) => void): this
  off(name: "event", listener: (event: HapticEvent) => void): this
  /** The current time in seconds. */
  readonly currentTime: number
  readonly isRunning: boolean
  isMuted: boolean
  /** Starts the engine, or continues after a reset. */
  start(): Promise<void>
  /** Brings all players to rest. */
  stop(): Promise<void>
  makePlayer(pattern: HapticPattern, options?: HapticPlayerOptions): HapticPatternPlayer
  /** Plays a pattern, or the AHAP file with a path. */
  playPattern(pattern: HapticPattern | string, time?: number): HapticPatternPlayer
  /** Waits until a player has ended. */
  finished(player: HapticPatternPlayer): Promise<void>
}
