// The declarations that the modules for Node and for browsers share.

/** The codes of Core Haptics that this package uses. The server may send other codes. */
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

/** An error from the server or from this package. */
export class HapticError extends Error {
  code: number
  /** The message without the port and the remedies. */
  reason: string
  port: string | undefined
  /** The faults of the board that caused the error, as a mask of bits; 0 for other errors. */
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

/** A change of a parameter along line segments between points. Each point has a time from the start of the curve, in
 * seconds, and a value. */
export interface HapticParameterCurve {
  id: string
  points: [number, number][]
  time?: number
}

/** The AHAP pattern that a module contains. */
export abstract class Pattern {
  private readonly isPattern: true
}

/** A point of the haptic output: intensity and sharpness, 0 to 1. */
export interface HapticOutput {
  intensity: number
  sharpness: number
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
  /** True if events without an end are ended after 30 s. */
  isLimited?: boolean
  loopEnabled?: boolean
  loopEnd?: number
  playbackRate?: number
}

/** A player of a pattern. Times are in seconds on the clock of the engine's `currentTime`; 0 means now. */
export class HapticPatternPlayer {
  private constructor()
  readonly number: number
  readonly isPlaying: boolean
  isMuted: boolean
  loopEnabled: boolean
  /**
   * The time at which each repetition ends, in seconds from the start of the pattern; 0 means the end of the last
   * event.
   */
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
   * Returns the output of this player alone, with the same limits as `Engine.output`; undefined if the player does not
   * play at that time.
   */
  output(time?: number): Promise<HapticOutput | undefined>
  /**
   * Releases the player; the player still plays to the end of its pattern. A player is also released when it is
   * garbage-collected, because the program no longer holds a reference to it.
   */
  release(): void
}

/** The common functions of the engines of Node and of browsers. */
export abstract class Engine {
  /** Adds a function that is called with each event. */
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
  makePlayer(pattern: Pattern, options?: HapticPlayerOptions): HapticPatternPlayer
  /** Plays a pattern. Events without an end are ended after 30 s. */
  playPattern(pattern: Pattern, time?: number): HapticPatternPlayer
  /** Waits until a player has ended. */
  finished(player: HapticPatternPlayer): Promise<void>
  /**
   * Returns the combined output of all players at a time, so that an image can move with it; 0 means now. The time may
   * be up to 0.2 s in the past and up to 1 s in the future; for earlier times, the output is silent.
   */
  output(time?: number): Promise<HapticOutput>
}
